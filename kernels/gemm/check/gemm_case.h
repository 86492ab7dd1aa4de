// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One GEMM as the command line and the tests name it: extents, layouts, pitches, epilogue, seed; and where its operands
// lie.
#pragma once

#include <string>

#include "kernels/check/guarded_image.h"
#include "kernels/gemm/call.h"
#include "kernels/registry/parameters.h"

namespace tegula {

/// The columns of bench/gemm_shapes.csv, and more in their manner.
struct GemmCase {
  DType in = DType::bf16, out = DType::bf16;
  int64_t m = 4096, n = 4096, k = 4096, batch = 1;
  bool a_transposed = false, b_transposed = true, d_transposed = false;
  Activation activation = Activation::none;
  BiasAxis bias = BiasAxis::none;
  double alpha = 1, beta = 0;
  uint64_t seed = 1;
  int64_t lda = 0, ldb = 0, ldc = 0, ldd = 0; ///< pitches in elements; 0: dense
  int64_t gap = 0;                            ///< elements between the matrices of a batch
  int64_t shift = 0;                          ///< elements by which each operand is off an aligned address
  std::string broadcast = {};                 ///< operands that all products of a batch share: letters of "abc"
  std::string c_broadcast = {};               ///< axes along which C is one row or column: "", "m", "n", "mn"
  std::string schedule = {};                  ///< fields over the table's choice; "": the table's

  bool operator==(const GemmCase &) const = default;
};

/// The parameters of `gemm` on the command line, with their defaults and meanings.
[[nodiscard]] const std::vector<Parameter> &gemm_parameters();

/// Reads parameters that were checked against gemm_parameters().
/// \errors bad_argument: each value that can't be, with what it can be.
[[nodiscard]] Result<GemmCase> read_gemm_case(const ParameterValues &values);

/// "m=128 n=256 ..." : every parameter that isn't at its default; the command line that repeats the case.
[[nodiscard]] std::string to_string(const GemmCase &test);

/// Where the operands lie, in the order of StridedShape's axes: batch, rows, columns.
struct GemmShapes {
  StridedShape a, b, c, d, bias;
};
[[nodiscard]] GemmShapes operand_shapes(const GemmCase &test);

/// The call for operands that lie at these addresses (of their first elements).
struct GemmAddresses {
  cu::CUdeviceptr a = 0, b = 0, c = 0, d = 0, bias = 0;
};
[[nodiscard]] GemmArgs call_of(const GemmCase &test, const GemmAddresses &at);

/// A random case: small and odd extents, all layouts, pitches, epilogues; the same for the same seed.
[[nodiscard]] GemmCase random_gemm_case(uint64_t seed);

} // namespace tegula
