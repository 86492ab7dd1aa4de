// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// saxpy, softmax and transpose: parameters, builders, formulas.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include <fmt/format.h>

#include "kernels/check/parallel.h"
#include "kernels/examples/check/example_entries.h"
#include "kernels/examples/check/example_run.h"
#include "kernels/examples/examples.h"

namespace tegula {
namespace {

constexpr std::array<std::string_view, 2> kTargets = {"sm_90a", "sm_100a"};
constexpr std::array<std::string_view, 3> kTypes = {"bf16", "fp16", "f32"};
constexpr int64_t kMostColumns = 16384; // of softmax: a row lies in the registers of 4 warps

dsl::Target target_of(std::string_view arch) { return arch == "sm_100a" ? dsl::Target::sm_100a : dsl::Target::sm_90a; }

Result<std::string> say_nothing_special(const ParameterValues &) { return std::string("one kernel, a block a tile"); }

// ---- saxpy

struct Saxpy {
  int64_t n;
  double alpha;
  uint64_t seed;
};

Result<Saxpy> read_saxpy(const ParameterValues &values) {
  Complaints wrong;
  const Saxpy saxpy{read_integer(values, "n", 0, INT32_MAX, wrong), read_number(values, "alpha", wrong),
                    static_cast<uint64_t>(read_integer(values, "seed", 0, INT32_MAX, wrong))};
  TEGULA_CHECK(wrong.verdict("bad parameters"));
  return saxpy;
}

const std::vector<Parameter> &saxpy_parameters() {
  static const std::vector<Parameter> parameters = {
      {"n", "100001", "elements"}, {"alpha", "2.5", "scales X"}, {"seed", "1", "of the random operands"}};
  return parameters;
}

Result<std::vector<KernelPart>> saxpy_parts(const ParameterValues &, std::string_view arch) {
  const dsl::Target target = target_of(arch);
  return std::vector<KernelPart>{
      {"saxpy", {"saxpy", "f32", "elements=1024 warps=4", [target] { return examples::saxpy(target); }}}};
}

Result<CheckReport> check_saxpy(Session &session, const ParameterValues &values) {
  TEGULA_TRY(const Saxpy saxpy, read_saxpy(values));
  TEGULA_TRY(std::vector<KernelPart> parts, saxpy_parts(values, native_arch(session.context.device())));
  ExampleRun run(session, std::move(parts[0].source), saxpy.seed);
  const GuardedImage &x = run.input("X", DType::f32, {saxpy.n});
  const GuardedImage &y = run.output("Y", DType::f32, {saxpy.n}, true);
  run.scalar("alpha", static_cast<float>(saxpy.alpha));
  return run.check([&](int64_t, int64_t j) {
    const double product = static_cast<float>(saxpy.alpha) * x.at(0, 0, j);
    return ExpectedValue{product + y.at(0, 0, j), 0x1p-24 * std::abs(product)}; // the product may be rounded by itself
  });
}

// ---- softmax and transpose: a matrix in, a matrix out

struct Matrix {
  int64_t m, n;
  DType dtype;
  uint64_t seed;
};

const std::vector<Parameter> &matrix_parameters() {
  static const std::vector<Parameter> parameters = {{"m", "500", "rows"},
                                                    {"n", "777", "columns"},
                                                    {"dtype", "bf16", "bf16, fp16, f32"},
                                                    {"seed", "1", "of the random operands"}};
  return parameters;
}

Result<Matrix> read_matrix(const ParameterValues &values, int64_t most_columns = INT32_MAX) {
  Complaints wrong;
  const Matrix matrix{read_integer(values, "m", 0, INT32_MAX, wrong), read_integer(values, "n", 0, most_columns, wrong),
                      std::array{DType::bf16, DType::fp16, DType::f32}[read_choice(values, "dtype", kTypes, wrong)],
                      static_cast<uint64_t>(read_integer(values, "seed", 0, INT32_MAX, wrong))};
  TEGULA_CHECK(wrong.verdict("bad parameters"));
  return matrix;
}

Result<std::vector<KernelPart>> softmax_parts(const ParameterValues &values, std::string_view arch) {
  TEGULA_TRY(const Matrix matrix, read_matrix(values, kMostColumns));
  examples::SoftmaxSchedule schedule;
  schedule.columns = static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(std::max<int64_t>(matrix.n, 256))));
  schedule.rows = std::max<int64_t>(1, 4096 / schedule.columns);
  const dsl::Target target = target_of(arch);
  const DType dtype = matrix.dtype;
  return std::vector<KernelPart>{
      {"softmax",
       {"softmax", std::string(name(dtype)),
        fmt::format("rows={} columns={} warps={}", schedule.rows, schedule.columns, schedule.warps),
        [=] { return examples::softmax(target, dtype, schedule); }}}};
}

Result<CheckReport> check_softmax(Session &session, const ParameterValues &values) {
  TEGULA_TRY(const Matrix matrix, read_matrix(values, kMostColumns));
  TEGULA_TRY(std::vector<KernelPart> parts, softmax_parts(values, native_arch(session.context.device())));
  ExampleRun run(session, std::move(parts[0].source), matrix.seed);
  const GuardedImage &x = run.input("X", matrix.dtype, {matrix.m, matrix.n});
  (void)run.output("Y", matrix.dtype, {matrix.m, matrix.n});
  std::vector<double> top(static_cast<size_t>(matrix.m), -INFINITY), sum(top.size());
  parallel_for(matrix.m, 16, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      for (int64_t j = 0; j < matrix.n; ++j)
        top[i] = std::max(top[i], x.at(0, i, j));
      for (int64_t j = 0; j < matrix.n; ++j)
        sum[i] += std::exp(x.at(0, i, j) - top[i]);
    }
  });
  return run.check([&](int64_t i, int64_t j) {
    const double value = std::exp(x.at(0, i, j) - top[i]) / sum[i];
    return ExpectedValue{value, 0x1p-19 * value + 1e-9}; // exponential and quotient to a few units of f32
  });
}

Result<std::vector<KernelPart>> transpose_parts(const ParameterValues &values, std::string_view arch) {
  TEGULA_TRY(const Matrix matrix, read_matrix(values));
  const dsl::Target target = target_of(arch);
  const DType dtype = matrix.dtype;
  return std::vector<KernelPart>{{"transpose", {"transpose", std::string(name(dtype)), "side=64 warps=4", [=] {
                                                  return examples::transpose(target, dtype);
                                                }}}};
}

Result<CheckReport> check_transpose(Session &session, const ParameterValues &values) {
  TEGULA_TRY(const Matrix matrix, read_matrix(values));
  TEGULA_TRY(std::vector<KernelPart> parts, transpose_parts(values, native_arch(session.context.device())));
  ExampleRun run(session, std::move(parts[0].source), matrix.seed);
  const GuardedImage &x = run.input("X", matrix.dtype, {matrix.m, matrix.n});
  (void)run.output("Y", matrix.dtype, {matrix.n, matrix.m});
  return run.check([&](int64_t i, int64_t j) { return ExpectedValue{x.at(0, j, i), 0}; });
}

} // namespace

KernelEntry saxpy_entry() {
  return {"saxpy",     "example: Y = alpha * X + Y", kTargets,    saxpy_parameters,
          saxpy_parts, say_nothing_special,          check_saxpy, nullptr};
}

KernelEntry softmax_entry() {
  return {"softmax",     "example: softmax of each row",
          kTargets,      matrix_parameters,
          softmax_parts, say_nothing_special,
          check_softmax, nullptr};
}

KernelEntry transpose_entry() {
  return {"transpose",     "example: Y = Xᵀ through shared memory",
          kTargets,        matrix_parameters,
          transpose_parts, say_nothing_special,
          check_transpose, nullptr};
}

} // namespace tegula
