// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The source of simt_o3.ptx (nvcc 13.0 -ptx -arch=sm_90a -O3 -lineinfo) and simt_g.ptx (-G -O0). Tests read the PTX.
#include <cstdio>
#include <cstdint>
extern "C" __global__ void saxpy(int n, float a, const float *x, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
}
extern "C" __global__ void softmax(const float *in, float *out, int cols) {
  extern __shared__ float buf[];
  const float *row = in + (size_t)blockIdx.x * cols;
  float m = -INFINITY;
  for (int c = threadIdx.x; c < cols; c += blockDim.x) m = fmaxf(m, row[c]);
  for (int o = 16; o; o /= 2) m = fmaxf(m, __shfl_xor_sync(~0u, m, o));
  if (threadIdx.x % 32 == 0) buf[threadIdx.x / 32] = m;
  __syncthreads();
  m = buf[0];
  for (int w = 1; w < blockDim.x / 32; ++w) m = fmaxf(m, buf[w]);
  __syncthreads();
  float s = 0;
  for (int c = threadIdx.x; c < cols; c += blockDim.x) s += __expf(row[c] - m);
  for (int o = 16; o; o /= 2) s += __shfl_xor_sync(~0u, s, o);
  if (threadIdx.x % 32 == 0) buf[threadIdx.x / 32] = s;
  __syncthreads();
  s = 0;
  for (int w = 0; w < blockDim.x / 32; ++w) s += buf[w];
  for (int c = threadIdx.x; c < cols; c += blockDim.x) out[(size_t)blockIdx.x * cols + c] = __expf(row[c] - m) / s;
}
extern "C" __global__ void transpose(const float *in, float *out, int rows, int cols) {
  __shared__ float tile[32][33];
  int c = blockIdx.x * 32 + threadIdx.x;
  for (int j = threadIdx.y; j < 32; j += blockDim.y) {
    int r = blockIdx.y * 32 + j;
    if (r < rows && c < cols) tile[j][threadIdx.x] = in[r * cols + c];
  }
  __syncthreads();
  int oc = blockIdx.y * 32 + threadIdx.x;
  for (int j = threadIdx.y; j < 32; j += blockDim.y) {
    int orow = blockIdx.x * 32 + j;
    if (orow < cols && oc < rows) out[orow * rows + oc] = tile[threadIdx.x][j];
  }
}
extern "C" __global__ void sgemm(const float *a, const float *b, float *c, int n) {
  __shared__ float sa[16][16], sb[16][16];
  int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * 16 + y, col = blockIdx.x * 16 + x;
  float acc = 0;
  for (int k = 0; k < n; k += 16) {
    sa[y][x] = a[row * n + k + x];
    sb[y][x] = b[(k + y) * n + col];
    __syncthreads();
    for (int i = 0; i < 16; ++i) acc += sa[y][i] * sb[i][x];
    __syncthreads();
  }
  c[row * n + col] = acc;
}
__device__ __noinline__ int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
extern "C" __global__ void recursive(int *out) { out[threadIdx.x] = fib(threadIdx.x % 12); }
extern "C" __global__ void histogram(const int *in, int n, int *bins) {
  __shared__ int h[64];
  if (threadIdx.x < 64) h[threadIdx.x] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) atomicAdd(&h[in[i] & 63], 1);
  __syncthreads();
  if (threadIdx.x < 64) atomicAdd(&bins[threadIdx.x], h[threadIdx.x]);
}
extern "C" __global__ void spinlock(int *lock, int *count) {
  for (bool done = false; !done;) {
    if (atomicCAS(lock, 0, 1) == 0) { *(volatile int *)count = *(volatile int *)count + 1; __threadfence(); atomicExch(lock, 0); done = true; }
  }
}
extern "C" __global__ void gridbarrier(unsigned *arrived, int *data, int *out) {
  if (threadIdx.x == 0) data[blockIdx.x] = blockIdx.x + 1;
  __threadfence(); __syncthreads();
  if (threadIdx.x == 0) { atomicAdd(arrived, 1); while (*(volatile unsigned *)arrived < gridDim.x); }
  __syncthreads();
  if (threadIdx.x == 0) { int s = 0; for (int i = 0; i < gridDim.x; ++i) s += ((volatile int*)data)[i]; out[blockIdx.x] = s; }
}
extern "C" __global__ void hello(int n) { if (threadIdx.x < 2) printf("hello %d of %d: %f %s\n", threadIdx.x, n, 1.5, "text"); }
extern "C" __global__ void oob(float *p, int i) { p[i] = 1; }
