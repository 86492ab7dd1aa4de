// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// matmul and gated_matmul: parameters, builders, formulas.
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "kernels/examples/check/example_entries.h"
#include "kernels/examples/check/example_run.h"
#include "kernels/examples/examples.h"

namespace tegula {
namespace {

constexpr std::array<std::string_view, 1> kTargets = {"sm_90a"};
constexpr std::array<std::string_view, 2> kTypes = {"bf16", "fp16"};

struct Product {
  int64_t m, n, k;
  DType dtype;
  uint64_t seed;
};

const std::vector<Parameter> &product_parameters() {
  static const std::vector<Parameter> parameters = {{"m", "500", "rows of A and C"},
                                                    {"n", "520", "columns of C; a multiple of 8"},
                                                    {"k", "264", "columns of A; a multiple of 8"},
                                                    {"dtype", "bf16", "bf16, fp16"},
                                                    {"seed", "1", "of the random operands"}};
  return parameters;
}

Result<Product> read_product(const ParameterValues &values) {
  Complaints wrong;
  const auto extent = [&](std::string_view name) { return read_integer(values, name, 0, INT32_MAX, wrong); };
  const Product product{extent("m"), extent("n"), extent("k"),
                        std::array{DType::bf16, DType::fp16}[read_choice(values, "dtype", kTypes, wrong)],
                        static_cast<uint64_t>(extent("seed"))};
  TEGULA_CHECK(wrong.verdict("bad parameters"));
  return product;
}

template <auto build>
Result<std::vector<KernelPart>> parts_of(std::string_view label, const ParameterValues &values,
                                         const examples::MatmulSchedule &schedule) {
  TEGULA_TRY(const Product product, read_product(values));
  const DType dtype = product.dtype;
  return std::vector<KernelPart>{{std::string(label),
                                  {std::string(label), std::string(name(dtype)),
                                   fmt::format("m={} n={} k={} stages={} raster={}", schedule.m, schedule.n, schedule.k,
                                               schedule.stages, schedule.raster),
                                   [=] { return build(dtype, schedule); }}}};
}

Result<std::vector<KernelPart>> matmul_parts(const ParameterValues &values, std::string_view) {
  return parts_of<examples::matmul>("matmul", values, {});
}

Result<std::vector<KernelPart>> gated_parts(const ParameterValues &values, std::string_view) {
  return parts_of<examples::gated_matmul>("gated_matmul", values, {.n = 128});
}

Result<std::string> explain(const ParameterValues &) {
  return std::string("one kernel: persistent blocks, one warp loads by TMA, two warpgroups multiply");
}

// The product's sum and how far the tensor cores may be off it: gemm_reference.h says why.
ExpectedValue dot(const Product &p, const GuardedImage &a, const GuardedImage &b, int64_t i, int64_t j) {
  double sum = 0, squares = 0;
  for (int64_t kk = 0; kk < p.k; ++kk) {
    const double term = a.at(0, i, kk) * b.at(0, j, kk);
    sum += term;
    squares += term * term;
  }
  return {sum, (8 + static_cast<double>(p.k) / 16) * 0x1p-21 * std::sqrt(squares)};
}

Result<CheckReport> check_matmul(Session &session, const ParameterValues &values) {
  TEGULA_TRY(const Product p, read_product(values));
  TEGULA_TRY(std::vector<KernelPart> parts, matmul_parts(values, {}));
  ExampleRun run(session, std::move(parts[0].source), p.seed);
  const GuardedImage &a = run.input("A", p.dtype, {p.m, p.k}), &b = run.input("B", p.dtype, {p.n, p.k});
  (void)run.output("C", p.dtype, {p.m, p.n});
  return run.check([&](int64_t i, int64_t j) { return dot(p, a, b, i, j); });
}

Result<CheckReport> check_gated(Session &session, const ParameterValues &values) {
  TEGULA_TRY(const Product p, read_product(values));
  TEGULA_TRY(std::vector<KernelPart> parts, gated_parts(values, {}));
  ExampleRun run(session, std::move(parts[0].source), p.seed);
  const GuardedImage &a = run.input("A", p.dtype, {p.m, p.k}), &b = run.input("B", p.dtype, {p.n, p.k});
  const GuardedImage &bias = run.input("bias", DType::f32, {p.n}), &gate = run.input("gate", p.dtype, {p.m, p.n});
  (void)run.output("C", p.dtype, {p.m, p.n});
  return run.check([&](int64_t i, int64_t j) {
    const ExpectedValue sum = dot(p, a, b, i, j);
    const double x = sum.value + bias.at(0, 0, j), g = gate.at(0, i, j), swish = x / (1 + std::exp(-x));
    return ExpectedValue{swish * g, (1.1 * sum.allowed + 0x1p-19 * (std::abs(x) + 1)) * std::abs(g)};
  });
}

} // namespace

KernelEntry matmul_entry() {
  return {"matmul", "example: C = A · Bᵀ", kTargets, product_parameters, matmul_parts, explain, check_matmul, nullptr};
}

KernelEntry gated_matmul_entry() {
  return {"gated_matmul", "example: C = swish(A · Bᵀ + bias) · gate, an epilogue of one's own",
          kTargets,       product_parameters,
          gated_parts,    explain,
          check_gated,    nullptr};
}

} // namespace tegula
