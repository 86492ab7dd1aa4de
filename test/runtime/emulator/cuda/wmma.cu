// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products of 16x16 tiles by mma.h, one warp a tile: halves into f32 and f16, bf16, bytes into s32, tf32, doubles.
#include <mma.h>
#include <type_traits>
using namespace nvcuda;

template <int M, int N, int K, class In, class Storage, class Acc, class LA, class LB>
__device__ __forceinline__ void tiles(const Storage *a, const Storage *b, Acc *d, int n, int k) {
  int ti = blockIdx.y, tj = blockIdx.x;
  wmma::fragment<wmma::matrix_a, M, N, K, In, LA> fa;
  wmma::fragment<wmma::matrix_b, M, N, K, In, LB> fb;
  wmma::fragment<wmma::accumulator, M, N, K, Acc> acc;
  wmma::fill_fragment(acc, Acc(0));
  for (int kk = 0; kk < k; kk += K) {
    wmma::load_matrix_sync(fa, std::is_same<LA, wmma::row_major>::value ? a + ti * M * k + kk : a + kk * (gridDim.y * M) + ti * M, std::is_same<LA, wmma::row_major>::value ? k : gridDim.y * M);
    wmma::load_matrix_sync(fb, std::is_same<LB, wmma::row_major>::value ? b + kk * n + tj * N : b + tj * N * k + kk, std::is_same<LB, wmma::row_major>::value ? n : k);
    wmma::mma_sync(acc, fa, fb, acc);
  }
  for (int i = 0; i < acc.num_elements; ++i) acc.x[i] = acc.x[i] + acc.x[i];
  wmma::store_matrix_sync(d + ti * M * n + tj * N, acc, n, wmma::mem_row_major);
}

using row = wmma::row_major;
using col = wmma::col_major;
// d (m by n, rows) = 2 a b
#define PRODUCT(name, M, N, K, In, Storage, Acc, LA, LB)                                                        \
  extern "C" __global__ void name(const Storage *a, const Storage *b, Acc *d, int n, int k) {                   \
    tiles<M, N, K, In, Storage, Acc, LA, LB>(a, b, d, n, k);                                                    \
  }
PRODUCT(half_float_rr, 16, 16, 16, half, half, float, row, row)
PRODUCT(half_float_cr, 16, 16, 16, half, half, float, col, row)
PRODUCT(half_half_rc, 16, 16, 16, half, half, half, row, col)
PRODUCT(half_float_tall, 32, 8, 16, half, half, float, row, col)
PRODUCT(half_float_wide, 8, 32, 16, half, half, float, col, col)
PRODUCT(bfloat, 16, 16, 16, __nv_bfloat16, __nv_bfloat16, float, row, col)
PRODUCT(signed_bytes, 16, 16, 16, signed char, signed char, int, row, col)
PRODUCT(unsigned_bytes, 32, 8, 16, unsigned char, unsigned char, int, row, row)
PRODUCT(tf32, 16, 16, 8, wmma::precision::tf32, float, float, row, col)
PRODUCT(doubles, 8, 8, 4, double, double, double, row, col)
