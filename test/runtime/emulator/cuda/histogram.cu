// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Histograms of 256 bins in three ways: shared atomics with a copy a warp, aggregation of equal values in a warp before
// the atomic, and 64-bit sums by bin with compare-and-swap of doubles.
extern "C" __global__ void histogram_shared(const unsigned char *in, int n, unsigned *bins) {
  extern __shared__ unsigned copies[]; // 256 a warp
  int warps = blockDim.x / 32;
  for (int i = threadIdx.x; i < 256 * warps; i += blockDim.x) copies[i] = 0;
  __syncthreads();
  unsigned *mine = copies + threadIdx.x / 32 * 256;
  const uchar4 *in4 = reinterpret_cast<const uchar4 *>(in);
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n / 4; i += gridDim.x * blockDim.x) {
    uchar4 v = in4[i];
    atomicAdd(&mine[v.x], 1u); atomicAdd(&mine[v.y], 1u); atomicAdd(&mine[v.z], 1u); atomicAdd(&mine[v.w], 1u);
  }
  __syncthreads();
  for (int b = threadIdx.x; b < 256; b += blockDim.x) {
    unsigned sum = 0;
    for (int w = 0; w < warps; ++w) sum += copies[w * 256 + b];
    if (sum) atomicAdd(&bins[b], sum);
  }
}

extern "C" __global__ void histogram_aggregated(const unsigned char *in, int n, unsigned *bins) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    unsigned active = __activemask(), same = __match_any_sync(active, in[i]);
    if ((threadIdx.x & 31) == __ffs(same) - 1) atomicAdd(&bins[in[i]], (unsigned)__popc(same));
  }
}

__device__ void add(double *at, double v) {
  auto *word = reinterpret_cast<unsigned long long *>(at);
  unsigned long long seen = *word, expected;
  do {
    expected = seen;
    seen = atomicCAS(word, expected, __double_as_longlong(v + __longlong_as_double(expected)));
  } while (seen != expected);
}
extern "C" __global__ void sum_by_bin(const unsigned char *in, const float *value, int n, double *sums, unsigned long long *last) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    add(&sums[in[i]], value[i]);
    atomicMax(&last[in[i]], (unsigned long long)i);
  }
}
