// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From a call in normal form to the arguments of each kernel, by the names that kernels.h lists.
#include "kernels/gemm/prepared.h"

#include <array>

namespace tegula {
namespace {

// The arguments of one launch, gathered without an allocation.
class ArgumentBlock {
public:
  void dim(std::string_view name, int64_t value) { dims_[dim_count_++] = {name, value}; }
  void scalar(std::string_view name, float value) { scalars_[scalar_count_++] = {name, value}; }

  /// A tensor of up to three dims, its strides outermost first.
  void global(std::string_view name, cu::CUdeviceptr base, DType dtype, std::initializer_list<int64_t> strides) {
    std::copy(strides.begin(), strides.end(), strides_[global_count_].begin());
    globals_[global_count_] = {name, base, dtype, {strides_[global_count_].data(), strides.size()}, {}};
    ++global_count_;
  }

  /// A matrix: its rows' stride, or its columns' if it is stored transposed, is the last but one.
  void matrix(std::string_view name, const GemmMatrix &m, DType dtype, bool batched, bool transposed) {
    const int64_t outer = transposed ? m.column_stride : m.row_stride,
                  inner = transposed ? m.row_stride : m.column_stride;
    batched ? global(name, m.address, dtype, {m.batch_stride, outer, inner})
            : global(name, m.address, dtype, {outer, inner});
  }

  operator KernelArgs() const {
    return {{globals_.data(), global_count_}, {dims_.data(), dim_count_}, {scalars_.data(), scalar_count_}};
  }

private:
  std::array<GlobalArg, 5> globals_ = {};
  std::array<std::array<int64_t, 3>, 5> strides_ = {};
  std::array<DimArg, 8> dims_ = {};
  std::array<ScalarArg, 2> scalars_ = {};
  size_t global_count_ = 0, dim_count_ = 0, scalar_count_ = 0;
};

void add_epilogue(const GemmProblem &problem, const GemmCall &call, ArgumentBlock &args) {
  args.scalar("alpha", call.alpha);
  if (problem.c != CAccess::none) {
    args.scalar("beta", call.beta);
    // C and D lie as in the caller's normal form, rows dense, whether or not the kernel sees them transposed.
    args.matrix("C", call.c, problem.out, problem.c_batched, false);
  }
  if (problem.bias != BiasAxis::none) {
    if (problem.bias_batched)
      args.global("bias", call.bias.address, problem.out, {call.bias.batch_stride, call.bias.stride});
    else
      args.global("bias", call.bias.address, problem.out, {call.bias.stride});
  }
}

} // namespace

Result<PreparedGemm> PreparedGemm::load(const Context &context, Jit &jit, GemmPlan plan) {
  PreparedGemm prepared(std::move(plan));
  const GemmPlan &p = prepared.plan_;
  const auto load_step = [&](std::optional<Step> &step, const KernelSource &source) -> Result<void> {
    TEGULA_TRY(Kernel kernel, jit.load(context, source));
    step = Step{std::move(kernel)};
    return {};
  };
  if (p.choice.repitch_a)
    TEGULA_CHECK(load_step(prepared.copy_a_, repitch_source(p.problem.in)));
  if (p.choice.repitch_b)
    TEGULA_CHECK(load_step(prepared.copy_b_, repitch_source(p.problem.in)));
  if (p.multiplies())
    TEGULA_CHECK(load_step(prepared.multiply_, gemm_source(p)));
  if (p.reduces())
    TEGULA_CHECK(load_step(prepared.reduce_, reduce_source(p)));
  return prepared;
}

Result<void> PreparedGemm::start(Step &step, const KernelArgs &args, StreamRef stream, Then then) {
  if (step.bound) {
    TEGULA_CHECK(step.bound->update(args));
  } else {
    TEGULA_TRY(step.bound, step.kernel.bind(args));
  }
  return then == Then::launch ? step.bound->launch({.stream = stream, .start = Start::overlapped}) : Result<void>();
}

Result<void> PreparedGemm::copy_operand(Step &step, GemmMatrix &matrix, const GemmOperand &operand, int64_t rows,
                                        int64_t columns, const WorkspaceMatrix &to, cu::CUdeviceptr workspace,
                                        StreamRef stream, Then then) {
  const bool t = operand.transposed;
  const GemmMatrix copy = t ? column_major(workspace + to.offset, to.pitch, to.slice)
                            : row_major(workspace + to.offset, to.pitch, to.slice);
  ArgumentBlock args;
  args.dim("batch", operand.batched ? plan_.shape.batch : 1);
  args.dim("R", t ? columns : rows);
  args.dim("C", t ? rows : columns);
  args.matrix("S", matrix, plan_.problem.in, true, t);
  args.matrix("T", copy, plan_.problem.in, true, t);
  matrix = copy;
  return start(step, args, stream, then);
}

Result<void> PreparedGemm::multiply(GemmCall call, cu::CUdeviceptr workspace, StreamRef stream, Then then) {
  if (plan_.choice.schedule.swap)
    call = swap_operands(call);
  const GemmProblem &k = plan_.kernel;
  ArgumentBlock args;
  args.dim("M", call.shape.m);
  args.dim("N", call.shape.n);
  args.dim("K", call.shape.k);
  if (k.a.batched || k.b.batched || k.d_batched)
    args.dim("batch", call.shape.batch);
  if (k.partial) {
    args.dim("slices", call.shape.batch * plan_.splits);
    args.dim("splits", plan_.splits);
    args.dim("steps", plan_.steps);
    args.dim("width", plan_.sums.pitch);
    call.d = row_major(workspace + plan_.sums.offset, plan_.sums.pitch, plan_.sums.slice);
  }
  args.matrix("A", call.a, k.in, k.a.batched, k.a.transposed);
  args.matrix("B", call.b, k.in, k.b.batched, k.b.transposed);
  args.matrix("D", call.d, k.out, k.d_batched || k.partial, false);
  if (!k.partial)
    add_epilogue(k, call, args);
  return start(*multiply_, args, stream, then);
}

Result<void> PreparedGemm::reduce(const GemmCall &call, cu::CUdeviceptr workspace, StreamRef stream, Then then) {
  const int64_t pitch = plan_.splits == 0 ? 32 : plan_.sums.pitch;
  ArgumentBlock args;
  args.dim("M", call.shape.m);
  args.dim("N", call.shape.n);
  args.dim("batch", call.shape.batch);
  args.dim("slices", call.shape.batch * plan_.splits);
  args.dim("splits", plan_.splits);
  args.dim("width", pitch);
  args.global("W", plan_.splits == 0 ? 0 : workspace + plan_.sums.offset, DType::f32,
              {std::max<int64_t>(plan_.sums.slice, pitch), pitch, 1});
  args.matrix("D", call.d, call.problem.out, call.problem.d_batched, false);
  add_epilogue(call.problem, call, args);
  return start(*reduce_, args, stream, then);
}

Result<void> PreparedGemm::run(const GemmCall &given, cu::CUdeviceptr workspace, StreamRef stream, Then then) {
  GemmCall call = given;
  const GemmShape &s = plan_.shape;
  if (copy_a_)
    TEGULA_CHECK(copy_operand(*copy_a_, call.a, plan_.problem.a, s.m, s.k, plan_.copy_a, workspace, stream, then));
  if (copy_b_)
    TEGULA_CHECK(copy_operand(*copy_b_, call.b, plan_.problem.b, s.k, s.n, plan_.copy_b, workspace, stream, then));
  if (multiply_)
    TEGULA_CHECK(multiply(call, workspace, stream, then));
  if (reduce_)
    TEGULA_CHECK(reduce(call, workspace, stream, then));
  return {};
}

} // namespace tegula
