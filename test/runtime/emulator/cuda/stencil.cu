// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A 3D stencil of 25 points that marches along z with a column in registers and a plane in shared memory, and a 2D
// convolution whose weights are in constant memory.
constexpr int R = 4, BX = 16, BY = 8;
__constant__ float weight[R + 1] = {-2.5f, 1.25f, -0.25f, 0.0625f, -0.015625f};
__constant__ float taps[5][5];

// in, out: nz planes of ny rows of nx; the border of R stays as it is. nx - 2R and ny - 2R are multiples of the block.
extern "C" __global__ void stencil(const float *__restrict__ in, float *__restrict__ out, int nx, int ny, int nz) {
  __shared__ float plane[BY + 2 * R][BX + 2 * R];
  int x = blockIdx.x * BX + threadIdx.x + R, y = blockIdx.y * BY + threadIdx.y + R;
  int stride = nx * ny, at = y * nx + x;
  float column[2 * R + 1];
#pragma unroll
  for (int i = 0; i < 2 * R; ++i) column[i + 1] = in[at + i * stride];
  for (int z = R; z < nz - R; ++z) {
#pragma unroll
    for (int i = 0; i < 2 * R; ++i) column[i] = column[i + 1];
    column[2 * R] = in[at + (z + R) * stride];
    __syncthreads();
    plane[threadIdx.y + R][threadIdx.x + R] = column[R];
    if (threadIdx.x < R) {
      plane[threadIdx.y + R][threadIdx.x] = in[at + z * stride - R];
      plane[threadIdx.y + R][threadIdx.x + BX + R] = in[at + z * stride + BX];
    }
    if (threadIdx.y < R) {
      plane[threadIdx.y][threadIdx.x + R] = in[at + z * stride - R * nx];
      plane[threadIdx.y + BY + R][threadIdx.x + R] = in[at + z * stride + BY * nx];
    }
    __syncthreads();
    float v = 3 * weight[0] * column[R];
#pragma unroll
    for (int i = 1; i <= R; ++i)
      v += weight[i] * (column[R - i] + column[R + i] + plane[threadIdx.y + R - i][threadIdx.x + R] +
                        plane[threadIdx.y + R + i][threadIdx.x + R] + plane[threadIdx.y + R][threadIdx.x + R - i] +
                        plane[threadIdx.y + R][threadIdx.x + R + i]);
    out[at + z * stride] = v;
  }
}

// Clamped at the edges; the image has bytes, the result is rounded and saturated.
extern "C" __global__ void convolve(const unsigned char *in, unsigned char *out, int w, int h) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= w || y >= h) return;
  float v = 0;
  for (int j = -2; j <= 2; ++j)
    for (int i = -2; i <= 2; ++i)
      v += taps[j + 2][i + 2] * in[min(max(y + j, 0), h - 1) * w + min(max(x + i, 0), w - 1)];
  out[y * w + x] = (unsigned char)__float2uint_rn(fminf(fmaxf(v, 0.f), 255.f));
}
