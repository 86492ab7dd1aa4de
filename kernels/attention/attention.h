// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Attention on a device: O = softmax(scale · Q · Kᵀ + mask) · V. This header is the manual; what may be asked for is in
// call.h, how it is run is chosen by schedule.h.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "compiler/jit/jit.h"
#include "kernels/attention/call.h"
#include "kernels/attention/schedule.h"
#include "runtime/driver/context.h"
#include "runtime/driver/stream.h"

namespace tegula {

struct AttentionOptions {
  /// A schedule to use for every call, in place of the table's choice.
  std::optional<AttentionSchedule> schedule = {};
};

/// Attention on one device. The first call for new extents chooses, compiles or loads a kernel; later calls only launch: no
/// compile, no file, no allocation. Results are deterministic. A kernel is compiled for types, head dims, kind of mask
/// and schedule and serves all extents, strides and windows. Rows that see no key are 0, with an LSE of -inf. One object
/// serves one thread at a time.
///
///     Attention attention(context, jit);
///     AttentionArgs args{.batch = b, .heads = h, .heads_kv = h, .seq_q = s, .seq_kv = s};
///     args.q = bhsd(q, h, s, 128), args.k = bhsd(k, h, s, 128), args.v = bhsd(v, h, s, 128);
///     args.o = bhsd(o, h, s, 128), args.mask = Mask::causal;
///     TEGULA_CHECK(attention.run(args, stream));
class Attention {
public:
  /// `jit` must outlive the object; several may share it.
  Attention(const Context &context, Jit &jit, AttentionOptions options = {});
  Attention(Attention &&) noexcept;
  Attention &operator=(Attention &&) noexcept;
  ~Attention();

  /// Puts the call into the stream. Without queries nothing is launched.
  /// \errors  bad_argument or unsupported, listing everything that is wrong with the call; unsupported, in a stream that
  ///          is being captured when extents are new ("prepare first": the capture stays valid); those of compiling and
  ///          launching.
  [[nodiscard]] Result<void> run(const AttentionArgs &args, StreamRef stream = {});

  /// Does everything for such a call but launching it. Of addresses only whether LSE is null counts.
  [[nodiscard]] Result<void> prepare(const AttentionArgs &args, StreamRef stream = {});

  /// Which kernel runs, with which schedule, in one line.
  [[nodiscard]] Result<std::string> explain(const AttentionArgs &args) const;

private:
  struct State;
  std::unique_ptr<State> state_;
};

/// The kernels that a call runs, for ahead-of-time compiling and for `tegula inspect`.
[[nodiscard]] KernelSource attention_source(const AttentionProblem &problem, const AttentionSchedule &schedule);
[[nodiscard]] KernelSource combine_parts_source(const AttentionProblem &problem, int64_t splits);
[[nodiscard]] KernelSource attention_without_keys_source(const AttentionProblem &problem);

} // namespace tegula
