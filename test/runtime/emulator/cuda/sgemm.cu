// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SGEMM as public tutorials write it: 64x64 tiles, 4x4 results a thread, float4 loads, two buffers; once through registers
// and once by cp.async. C = alpha * A * B + beta * C, row major, extents multiples of 64 (n, m) and 8 (k).
#include <cstdint>
#ifdef __CUDACC_DEBUG__
#define UNROLL
#else
#define UNROLL _Pragma("unroll")
#endif

constexpr int BM = 64, BN = 64, BK = 8, TM = 4, TN = 4;

template <int Bytes> __device__ __forceinline__ void copy_async(void *to, const void *from) {
  asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"((uint32_t)__cvta_generic_to_shared(to)), "l"(from), "n"(Bytes) : "memory");
}

template <bool Async> __device__ __forceinline__ void load(float (*a)[BM], float (*b)[BN], const float *A, const float *B,
                                                           int k0, int K, int N) {
  int t = threadIdx.x;
  if (t < 128) { // A: 64 rows of 8, transposed on the way
    int row = t / 2, col = t % 2 * 4;
    if constexpr (Async) {
UNROLL
      for (int i = 0; i < 4; ++i) copy_async<4>(&a[col + i][row], &A[(size_t)row * K + k0 + col + i]);
    } else {
      float4 v = *reinterpret_cast<const float4 *>(&A[(size_t)row * K + k0 + col]);
      a[col][row] = v.x; a[col + 1][row] = v.y; a[col + 2][row] = v.z; a[col + 3][row] = v.w;
    }
  } else { // B: 8 rows of 64
    int row = (t - 128) / 16, col = (t - 128) % 16 * 4;
    if constexpr (Async)
      copy_async<16>(&b[row][col], &B[(size_t)(k0 + row) * N + col]);
    else
      *reinterpret_cast<float4 *>(&b[row][col]) = *reinterpret_cast<const float4 *>(&B[(size_t)(k0 + row) * N + col]);
  }
  if constexpr (Async) asm volatile("cp.async.commit_group;" ::: "memory");
}

template <bool Async> __device__ void gemm(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
  __shared__ __align__(16) float a[2][BK][BM], b[2][BK][BN];
  A += (size_t)blockIdx.y * BM * K;
  B += blockIdx.x * BN;
  C += (size_t)blockIdx.y * BM * N + blockIdx.x * BN;
  int ty = threadIdx.x / (BN / TN), tx = threadIdx.x % (BN / TN);
  float acc[TM][TN] = {};
  load<Async>(a[0], b[0], A, B, 0, K, N);
  for (int k = 0, at = 0; k < K; k += BK, at ^= 1) {
    if constexpr (Async) asm volatile("cp.async.wait_group 0;" ::: "memory");
    __syncthreads();
    if (k + BK < K) load<Async>(a[at ^ 1], b[at ^ 1], A, B, k + BK, K, N);
UNROLL
    for (int i = 0; i < BK; ++i) {
      float4 x = *reinterpret_cast<float4 *>(&a[at][i][ty * TM]), y = *reinterpret_cast<float4 *>(&b[at][i][tx * TN]);
      float rx[TM] = {x.x, x.y, x.z, x.w}, ry[TN] = {y.x, y.y, y.z, y.w};
UNROLL
      for (int r = 0; r < TM; ++r)
UNROLL
        for (int c = 0; c < TN; ++c) acc[r][c] += rx[r] * ry[c];
    }
  }
UNROLL
  for (int r = 0; r < TM; ++r) {
    float4 *p = reinterpret_cast<float4 *>(&C[(size_t)(ty * TM + r) * N + tx * TN]);
    float4 old = beta == 0 ? float4{0, 0, 0, 0} : *p;
    *p = {alpha * acc[r][0] + beta * old.x, alpha * acc[r][1] + beta * old.y, alpha * acc[r][2] + beta * old.z,
          alpha * acc[r][3] + beta * old.w};
  }
}

extern "C" __global__ void __launch_bounds__(256) sgemm_registers(int M, int N, int K, float alpha, const float *A, const float *B,
                                                                  float beta, float *C) {
  gemm<false>(M, N, K, alpha, A, B, beta, C);
}
extern "C" __global__ void __launch_bounds__(256) sgemm_async(int M, int N, int K, float alpha, const float *A, const float *B,
                                                              float beta, float *C) {
  gemm<true>(M, N, K, alpha, A, B, beta, C);
}
