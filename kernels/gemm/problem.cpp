// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Names and identities of GEMM problems.
#include "kernels/gemm/problem.h"

#include <array>

#include <fmt/format.h>

#include "runtime/result/complaints.h"

namespace tegula {
namespace {

constexpr std::array<std::string_view, 4> kActivations = {"none", "relu", "gelu", "silu"};
constexpr std::array<std::string_view, 3> kBiasAxes = {"none", "column", "row"};
constexpr std::array<std::string_view, 3> kCAccesses = {"none", "rows", "strided"};

std::string to_string(const GemmOperand &operand) {
  return fmt::format("{}{}{}", operand.transposed ? "t" : "n", operand.batched ? "-batched" : "",
                     operand.tma ? "" : "-unaligned");
}

} // namespace

std::string_view name(Activation activation) { return kActivations[static_cast<size_t>(activation)]; }
std::string_view name(BiasAxis axis) { return kBiasAxes[static_cast<size_t>(axis)]; }
std::string_view name(CAccess access) { return kCAccesses[static_cast<size_t>(access)]; }

BiasAxis across(BiasAxis axis) {
  switch (axis) {
  case BiasAxis::none: return BiasAxis::none;
  case BiasAxis::column: return BiasAxis::row;
  case BiasAxis::row: return BiasAxis::column;
  }
  return axis;
}

Result<Activation> parse_activation(std::string_view text) {
  for (size_t i = 0; i < kActivations.size(); ++i)
    if (kActivations[i] == text)
      return static_cast<Activation>(i);
  return Error(ErrorCode::bad_argument,
               fmt::format("act is '{}'; it must be one of {}", text, fmt::join(kActivations, ", ")));
}

std::string layout_name(const GemmProblem &problem) {
  return fmt::format("{}{}", problem.a.transposed ? 't' : 'n', problem.b.transposed ? 't' : 'n');
}

std::string to_string(const GemmProblem &problem) {
  std::string text = fmt::format("in={} out={} a={} b={}", name(problem.in), name(problem.out), to_string(problem.a),
                                 to_string(problem.b));
  if (problem.d_batched)
    text += " d=batched";
  if (problem.d_transposed)
    text += " d_transposed";
  if (!problem.d_tma)
    text += " d_unaligned";
  if (problem.activation != Activation::none)
    text += fmt::format(" act={}", name(problem.activation));
  if (problem.bias != BiasAxis::none)
    text += fmt::format(" bias={}{}{}", name(problem.bias), problem.bias_batched ? "-batched" : "",
                        problem.bias_strided ? "-strided" : "");
  if (problem.c != CAccess::none)
    text += fmt::format(" c={}{}", name(problem.c), problem.c_batched ? "-batched" : "");
  if (problem.partial)
    text += " partial";
  return text;
}

GemmProblem swap_operands(const GemmProblem &problem) {
  GemmProblem swapped = problem;
  // Bᵀ stored [N, K] is a row-major A of the new product; so each operand's transposition turns over.
  swapped.a = problem.b;
  swapped.a.transposed = !problem.b.transposed;
  swapped.b = problem.a;
  swapped.b.transposed = !problem.a.transposed;
  swapped.d_transposed = !problem.d_transposed;
  swapped.bias = across(problem.bias);
  return swapped;
}

Result<void> validate(const GemmProblem &problem) {
  Complaints wrong;
  if (problem.in != DType::bf16 && problem.in != DType::fp16)
    wrong.add(fmt::format("the inputs are {}; they must be bf16 or fp16", name(problem.in)), ErrorCode::unsupported);
  if (problem.out != problem.in && problem.out != DType::f32)
    wrong.add(fmt::format("the output is {}; it must be {} as the inputs, or f32", name(problem.out), name(problem.in)),
              ErrorCode::unsupported);
  return wrong.verdict("no gemm for these types");
}

} // namespace tegula
