// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What distinguishes one compiled GEMM from another, apart from how it is run (schedule.h). Extents, strides, alpha and
// beta are run-time arguments and no part of it: integer arguments never cause a recompile.
#pragma once

#include <string>
#include <string_view>

#include "runtime/result/result.h"
#include "runtime/types/dtype.h"

namespace tegula {

enum class Activation : uint8_t { none, relu, gelu, silu };
/// Which extent of D the bias runs along: `column` has a value a column (n of them), `row` a value a row (m).
enum class BiasAxis : uint8_t { none, column, row };
/// How C is addressed: not at all (beta = 0), as rows like D's, or with any two strides (0 broadcasts).
enum class CAccess : uint8_t { none, rows, strided };

[[nodiscard]] std::string_view name(Activation activation);
[[nodiscard]] std::string_view name(BiasAxis axis);
[[nodiscard]] std::string_view name(CAccess access);
/// The axis that the bias runs along once rows and columns are exchanged.
[[nodiscard]] BiasAxis across(BiasAxis axis);
[[nodiscard]] Result<Activation> parse_activation(std::string_view text);

/// One input operand as the kernel sees it.
struct GemmOperand {
  bool transposed = false; ///< A: stored [K, M]; B: stored [N, K]
  bool batched = false;    ///< has a batch dimension; false with a batch: every product reads the same one
  bool tma = true;         ///< base and strides are multiples of 16 bytes, so TMA can fetch it

  bool operator==(const GemmOperand &) const = default;
};

/// D[m,n] = act(alpha · A[m,k] · B[k,n] + beta · C[m,n] + bias), in f32 up to the store; D's rows are dense.
///     GemmProblem p{.in = DType::bf16, .out = DType::f32, .b = {.transposed = true}};  // the layout "nt"
struct GemmProblem {
  DType in = DType::bf16;
  DType out = DType::bf16;
  GemmOperand a = {};
  GemmOperand b = {.transposed = true};
  bool d_batched = false;
  bool d_transposed = false; ///< D is stored [N, M]: how a product with swapped operands writes the caller's rows
  bool d_tma = true;         ///< TMA may store D: base, strides and the bytes of a row are multiples of 16
  Activation activation = Activation::none;
  BiasAxis bias = BiasAxis::none;
  bool bias_batched = false;
  bool bias_strided = false; ///< any stride from one value to the next (0 broadcasts one)
  CAccess c = CAccess::none;
  bool c_batched = false;
  bool partial = false; ///< writes f32 sums of a part of K to [slices, M, N]; the epilogue is reduce_split_k's

  bool operator==(const GemmProblem &) const = default;
  [[nodiscard]] bool batched() const { return d_batched; }
};

/// "nt" and the like: a letter an operand, t for transposed.
[[nodiscard]] std::string layout_name(const GemmProblem &problem);

/// Every field that isn't at its default, as "name=value" in one order: a part of the kernel's cache key, and for
/// people.
[[nodiscard]] std::string to_string(const GemmProblem &problem);

/// The same product with A and B exchanged: Dᵀ = Bᵀ · Aᵀ. Its M is our N; D, C and the bias keep their memory.
[[nodiscard]] GemmProblem swap_operands(const GemmProblem &problem);

/// Whether there is a kernel for the problem's types; lists all that is wrong.
[[nodiscard]] Result<void> validate(const GemmProblem &problem);

} // namespace tegula
