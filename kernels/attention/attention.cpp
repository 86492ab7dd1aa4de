// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The call: looks up what is prepared for its extents, prepares what is not, launches.
#include "kernels/attention/attention.h"

#include <array>
#include <bit>
#include <cmath>
#include <unordered_map>

#include <fmt/format.h>

#include "kernels/attention/kernels.h"
#include "kernels/attention/plan.h"
#include "kernels/workspace/capture.h"
#include "kernels/workspace/stream_workspaces.h"

namespace tegula {
namespace {

// Everything that a call's validity and its launch depend on, but for addresses.
struct CallKey {
  std::array<int64_t, 24> numbers = {};
  std::string modifier;

  bool operator==(const CallKey &) const = default;
};

CallKey key_of(const AttentionArgs &args) {
  CallKey key{.modifier = args.modifier.name};
  size_t count = 0;
  const auto add = [&](int64_t number) { key.numbers[count++] = number; };
  for (int64_t number :
       {args.batch, args.heads, args.heads_kv, args.seq_q, args.seq_kv, args.head_dim, args.head_dim_v})
    add(number);
  for (const AttentionTensor *tensor : {&args.q, &args.k, &args.v, &args.o})
    for (int64_t stride : {tensor->batch_stride, tensor->head_stride, tensor->row_stride})
      add(stride);
  add(static_cast<int64_t>(args.dtype) << 8 | static_cast<int64_t>(args.mask) << 1 | (args.lse != 0));
  add(std::bit_cast<int32_t>(args.scale));
  if (args.mask == Mask::window) {
    add(args.left);
    add(args.right);
  }
  return key;
}

struct KeyHash {
  size_t operator()(const CallKey &key) const {
    uint64_t hash = std::hash<std::string>()(key.modifier);
    for (int64_t number : key.numbers) {
      hash = (hash ^ static_cast<uint64_t>(number)) * 0x9e3779b97f4a7c15u;
      hash ^= hash >> 29;
    }
    return hash;
  }
};

float scale_of(const AttentionArgs &args) {
  return args.scale != 0 ? args.scale : 1 / std::sqrt(static_cast<float>(args.head_dim));
}

// A side of a window that reaches beyond all keys, however it was given.
int64_t bounded(int64_t side, const AttentionArgs &args) {
  const int64_t all = args.seq_q + args.seq_kv;
  return side < 0 ? all : std::min(side, all);
}

struct Heads {
  int64_t count, rows, head_dim;
};
void add_tensor(ArgumentList &list, std::string_view name, const AttentionTensor &t, const AttentionArgs &args,
                Heads h) {
  list.global(name, t.address, args.dtype, {args.batch, h.count, h.rows, h.head_dim},
              {t.batch_stride, t.head_stride, t.row_stride, 1});
}

void add_lse(ArgumentList &list, std::string_view name, DevicePtr address, int64_t slices, const AttentionArgs &args) {
  list.global(name, address, DType::f32, {slices, args.heads, args.seq_q});
}

DevicePtr lse_of_parts(const AttentionPlan &plan, DevicePtr workspace) {
  return workspace + static_cast<DevicePtr>(plan.lse_offset);
}

// The parts in the workspace as they are written: [batch · splits, heads, rows].
void add_slices(ArgumentList &list, const AttentionPlan &plan, DevicePtr workspace) {
  const AttentionArgs &args = plan.args;
  const int64_t slices = args.batch * plan.splits;
  list.global("O", workspace, DType::f32, {slices, args.heads, args.seq_q, args.head_dim_v});
  add_lse(list, "LSE", lse_of_parts(plan, workspace), slices, args);
  list.dim("slices", slices).dim("splits", plan.splits).dim("span", plan.span);
}

// The same as they are read: [batch, heads, rows, splits].
void add_parts(ArgumentList &list, const AttentionPlan &plan, DevicePtr workspace) {
  const AttentionArgs &args = plan.args;
  const int64_t slice = args.heads * args.seq_q, dv = args.head_dim_v;
  list.global("part", workspace, DType::f32, {args.batch, args.heads, args.seq_q, plan.splits, dv},
              {plan.splits * slice * dv, args.seq_q * dv, dv, slice * dv, 1});
  list.global("part_lse", lse_of_parts(plan, workspace), DType::f32, {args.batch, args.heads, args.seq_q, plan.splits},
              {plan.splits * slice, args.seq_q, 1, slice});
}

void add_outputs(ArgumentList &list, const AttentionArgs &args) {
  add_tensor(list, "O", args.o, args, {args.heads, args.seq_q, args.head_dim_v});
  if (args.lse != 0)
    add_lse(list, "LSE", args.lse, args.batch, args);
}

// Of the kernel that computes: the whole, or the parts in the workspace.
ArgumentList arguments_of(const AttentionPlan &plan, DevicePtr workspace) {
  const AttentionArgs &args = plan.args;
  ArgumentList list;
  if (plan.problem.partial) {
    add_slices(list, plan, workspace);
  } else {
    add_outputs(list, args);
  }
  if (args.seq_kv == 0)
    return list;
  if (plan.problem.packed)
    list.dim("queries", plan.queries);
  add_tensor(list, "Q", args.q, args, {args.heads, args.seq_q, args.head_dim});
  add_tensor(list, "K", args.k, args, {args.heads_kv, args.seq_kv, args.head_dim});
  add_tensor(list, "V", args.v, args, {args.heads_kv, args.seq_kv, args.head_dim_v});
  list.scalar("scale", scale_of(args));
  if (args.mask == Mask::window)
    list.scalar("left", bounded(args.left, args)).scalar("right", bounded(args.right, args));
  return list;
}

ArgumentList combine_arguments_of(const AttentionPlan &plan, DevicePtr workspace) {
  ArgumentList list;
  add_outputs(list, plan.args);
  add_parts(list, plan, workspace);
  return list;
}

/// The launches of a call: one kernel, or two where the keys are in parts.
struct Prepared {
  AttentionPlan plan;
  BoundKernel main;
  std::optional<BoundKernel> combine = {};
};

} // namespace

KernelSource attention_source(const AttentionProblem &problem, const AttentionSchedule &schedule) {
  return {"attention", to_string(problem), to_string(schedule), [=] { return attention_sm90(problem, schedule); }};
}

KernelSource attention_without_keys_source(const AttentionProblem &problem) {
  return {"attention_without_keys", to_string(problem), "", [=] { return attention_without_keys(problem); }};
}

KernelSource combine_parts_source(const AttentionProblem &problem, int64_t splits) {
  const CombineSchedule schedule = choose_combine(splits);
  return {"combine_parts", to_string(problem), to_string(schedule), [=] { return combine_parts(problem, schedule); }};
}

struct Attention::State {
  const Context &context;
  Jit &jit;
  AttentionOptions options;
  std::unordered_map<std::string, Kernel> kernels = {};
  std::unordered_map<CallKey, Prepared, KeyHash> prepared = {};
  StreamWorkspaces workspaces = {};

  [[nodiscard]] AttentionMachine machine() const {
    return {context.device().multiprocessors, context.device().shared_bytes_per_block};
  }
  [[nodiscard]] const AttentionSchedule *forced() const { return options.schedule ? &*options.schedule : nullptr; }
  [[nodiscard]] AttentionPlan plan(const AttentionArgs &args) const {
    if (args.seq_kv == 0)
      return {.problem = problem_of(args), .args = args};
    return make_plan(args, machine(), forced());
  }
  [[nodiscard]] Result<const Kernel *> load(const KernelSource &source);
  [[nodiscard]] Result<Prepared> prepare(const AttentionArgs &args, StreamRef stream);
  [[nodiscard]] Result<Prepared *> find(const AttentionArgs &args, StreamRef stream);
  [[nodiscard]] static Result<void> aim(Prepared &call, const AttentionArgs &args, DevicePtr workspace);
};

Result<const Kernel *> Attention::State::load(const KernelSource &source) {
  const std::string name = source.kernel + " " + source.identity + " " + source.schedule;
  if (const auto found = kernels.find(name); found != kernels.end())
    return &found->second;
  TEGULA_TRY(Kernel loaded, jit.load(context, source));
  return &kernels.emplace(name, std::move(loaded)).first->second;
}

Result<Prepared> Attention::State::prepare(const AttentionArgs &args, StreamRef stream) {
  AttentionPlan made = plan(args);
  if (args.seq_kv > 0)
    TEGULA_CHECK(validate(made.problem, made.schedule, context.device().shared_bytes_per_block));
  TEGULA_TRY(const DevicePtr workspace, workspaces.acquire(context, stream, made.workspace_bytes));
  TEGULA_TRY(const Kernel *const kernel, load(args.seq_kv > 0 ? attention_source(made.problem, made.schedule)
                                                              : attention_without_keys_source(made.problem)));
  TEGULA_TRY(BoundKernel main, kernel->bind(arguments_of(made, workspace)));
  Prepared call{std::move(made), std::move(main)};
  if (call.plan.problem.partial) {
    TEGULA_TRY(const Kernel *const second, load(combine_parts_source(problem_of(args), call.plan.splits)));
    TEGULA_TRY(call.combine, second->bind(combine_arguments_of(call.plan, workspace)));
  }
  return call;
}

Result<Prepared *> Attention::State::find(const AttentionArgs &args, StreamRef stream) {
  CallKey key = key_of(args);
  if (const auto found = prepared.find(key); found != prepared.end())
    return &found->second;
  TEGULA_CHECK(validate(args));
  TEGULA_CHECK(refuse_in_capture(
      context, stream, fmt::format("no attention of {} queries over {} keys is prepared", args.seq_q, args.seq_kv)));
  TEGULA_TRY(Prepared made, prepare(args, stream));
  return &prepared.emplace(std::move(key), std::move(made)).first->second;
}

// Points kernels that are bound to such a call at this one's tensors.
Result<void> Attention::State::aim(Prepared &call, const AttentionArgs &args, DevicePtr workspace) {
  BoundKernel &last = call.combine ? *call.combine : call.main;
  TEGULA_CHECK(last.set_base("O", args.o.address));
  if (args.lse != 0)
    TEGULA_CHECK(last.set_base("LSE", args.lse));
  if (args.seq_kv == 0)
    return {};
  if (call.combine) {
    const DevicePtr lse = lse_of_parts(call.plan, workspace);
    TEGULA_CHECK(call.main.set_base("O", workspace));
    TEGULA_CHECK(call.main.set_base("LSE", lse));
    TEGULA_CHECK(call.combine->set_base("part", workspace));
    TEGULA_CHECK(call.combine->set_base("part_lse", lse));
  }
  TEGULA_CHECK(call.main.set_base("Q", args.q.address));
  TEGULA_CHECK(call.main.set_base("K", args.k.address));
  return call.main.set_base("V", args.v.address);
}

Attention::Attention(const Context &context, Jit &jit, AttentionOptions options)
    : state_(new State{context, jit, std::move(options)}) {}
Attention::Attention(Attention &&) noexcept = default;
Attention &Attention::operator=(Attention &&) noexcept = default;
Attention::~Attention() = default;

Result<void> Attention::prepare(const AttentionArgs &args, StreamRef stream) {
  if (is_empty(args))
    return validate(args);
  TEGULA_TRY(const Prepared *const call, state_->find(args, stream));
  TEGULA_CHECK(state_->workspaces.acquire(state_->context, stream, call->plan.workspace_bytes));
  return {};
}

Result<void> Attention::run(const AttentionArgs &args, StreamRef stream) {
  if (is_empty(args))
    return validate(args);
  TEGULA_TRY(Prepared *const call, state_->find(args, stream));
  TEGULA_TRY(const DevicePtr workspace,
             state_->workspaces.acquire(state_->context, stream, call->plan.workspace_bytes));
  TEGULA_CHECK(State::aim(*call, args, workspace));
  const LaunchOptions options{.stream = stream, .start = Start::overlapped};
  TEGULA_CHECK(call->main.launch(options));
  return call->combine ? call->combine->launch(options) : Result<void>();
}

Result<std::string> Attention::explain(const AttentionArgs &args) const {
  TEGULA_CHECK(validate(args));
  return explain_call(args, state_->machine(), state_->forced());
}

} // namespace tegula
