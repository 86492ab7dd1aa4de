// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Matrix products on a device: D = act(alpha · A · B + beta · C + bias). This header is the manual; what may be asked
// for is in call.h, how it is run is chosen by schedule_table.h.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "compiler/jit/jit.h"
#include "kernels/gemm/call.h"
#include "kernels/gemm/plan.h"
#include "runtime/driver/context.h"
#include "runtime/driver/stream.h"

namespace tegula {

struct GemmOptions {
  /// A schedule to use for every call, in place of the table's choice.
  std::optional<GemmSchedule> schedule = {};
};

/// Memory that split products and re-pitched operands pass through, if the caller wants to give it.
struct GemmWorkspace {
  cu::CUdeviceptr address = 0; ///< a multiple of 256
  int64_t bytes = 0;           ///< at least Gemm::workspace_bytes
};

/// GEMMs on one device. The first call for new extents chooses, compiles or loads kernels and allocates workspace;
/// later calls only launch: no compile, no file, no allocation. Results are deterministic. A kernel is compiled for
/// types, layouts, alignment and schedule and serves all extents.
///
///     TEGULA_TRY(Context context, open_device("cuda:0"));
///     Jit jit;
///     Gemm gemm(context, jit);
///     const GemmArgs args{.m = m, .n = n, .k = k, .a = row_major(x, k), .b = column_major(w, k), .d = row_major(y, n)};
///     TEGULA_CHECK(gemm.run(args, stream));
///
/// Workspace: the object keeps one a stream, so calls on different streams do not meet in it, and grows it as calls ask
/// for more. A captured graph uses the workspace of the stream that it was captured on: replay it on that stream, or so
/// that nothing of this object runs on that stream meanwhile; or give a workspace of your own. Workspace that a graph
/// may hold is freed with the object. One object serves one thread at a time.
class Gemm {
public:
  /// `jit` must outlive the object; several may share it.
  Gemm(const Context &context, Jit &jit, GemmOptions options = {});
  Gemm(Gemm &&) noexcept;
  Gemm &operator=(Gemm &&) noexcept;
  ~Gemm();

  /// Puts the product into the stream. m, n or batch of 0: nothing is launched. k = 0: D = act(beta · C + bias).
  /// \errors  bad_argument, listing everything that is wrong with the call; unsupported, in a stream that is being
  ///          captured when extents are new ("prepare first": the capture stays valid); those of compiling and
  ///          launching.
  [[nodiscard]] Result<void> run(const GemmArgs &args, StreamRef stream = {}, const GemmWorkspace &workspace = {});

  /// Does everything for such a call but launching it: to be called before a capture or before it gets serious. Only
  /// extents, strides, types and the alignment of addresses count.
  [[nodiscard]] Result<void> prepare(const GemmArgs &args, StreamRef stream = {}, const GemmWorkspace &workspace = {});

  /// What a workspace of the caller's own must hold.
  [[nodiscard]] Result<int64_t> workspace_bytes(const GemmArgs &args) const;

  /// Which kernels run, with which schedule, and why, in one line.
  [[nodiscard]] Result<std::string> explain(const GemmArgs &args) const;

private:
  struct State;
  std::unique_ptr<State> state_;
};

/// The kernels that a plan runs, in order: for ahead-of-time compiling and for `tegula inspect`.
struct GemmPart {
  std::string label; ///< "gemm", "reduce_split_k", "repitch"
  KernelSource source;
};
[[nodiscard]] std::vector<GemmPart> gemm_parts(const GemmPlan &plan);

[[nodiscard]] KernelSource gemm_source(const GemmPlan &plan);
[[nodiscard]] KernelSource reduce_source(const GemmPlan &plan);
[[nodiscard]] KernelSource repitch_source(DType dtype);

} // namespace tegula
