// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A GEMM's kernels, loaded and bound: what a call for known extents updates and launches.
#pragma once

#include <optional>

#include "kernels/gemm/gemm.h"
#include "runtime/launch/kernel.h"

namespace tegula {

/// The launches of one plan. Binds each kernel at its first launch and only updates it from then on.
class PreparedGemm {
public:
  /// Compiles or finds the plan's kernels and loads them.
  [[nodiscard]] static Result<PreparedGemm> load(const Context &context, Jit &jit, GemmPlan plan);

  [[nodiscard]] const GemmPlan &plan() const { return plan_; }

  /// Binds all kernels to the call, and launches them if asked to.
  /// \param call  in normal form, of the plan's extents.
  /// \param workspace  at least plan().workspace_bytes, or 0 if there are none.
  enum class Then { launch, stop };
  [[nodiscard]] Result<void> run(const GemmCall &call, cu::CUdeviceptr workspace, StreamRef stream, Then then);

private:
  struct Step {
    Kernel kernel;
    std::optional<BoundKernel> bound = {};
  };
  explicit PreparedGemm(GemmPlan plan) : plan_(std::move(plan)) {}

  [[nodiscard]] static Result<void> start(Step &step, const KernelArgs &args, StreamRef stream, Then then);
  [[nodiscard]] Result<void> copy_operand(Step &step, GemmMatrix &matrix, const GemmOperand &operand, int64_t rows,
                                          int64_t columns, const WorkspaceMatrix &to, cu::CUdeviceptr workspace,
                                          StreamRef stream, Then then);
  [[nodiscard]] Result<void> multiply(GemmCall call, cu::CUdeviceptr workspace, StreamRef stream, Then then);
  [[nodiscard]] Result<void> reduce(const GemmCall &call, cu::CUdeviceptr workspace, StreamRef stream, Then then);

  GemmPlan plan_;
  std::optional<Step> copy_a_ = {}, copy_b_ = {}, multiply_ = {}, reduce_ = {};
};

} // namespace tegula
