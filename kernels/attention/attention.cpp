// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The call: looks up what is prepared for its extents, prepares what is not, launches.
#include "kernels/attention/attention.h"

#include <array>
#include <bit>
#include <cmath>
#include <unordered_map>

#include <fmt/format.h>

#include "kernels/attention/kernels.h"
#include "kernels/capture/capture.h"

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

void add_tensor(ArgumentList &list, std::string_view name, const AttentionTensor &t, const AttentionArgs &args,
                int64_t heads, int64_t rows, int64_t head_dim) {
  list.global(name, t.address, args.dtype, {args.batch, heads, rows, head_dim},
              {t.batch_stride, t.head_stride, t.row_stride, 1});
}

ArgumentList arguments_of(const AttentionArgs &args) {
  ArgumentList list;
  add_tensor(list, "O", args.o, args, args.heads, args.seq_q, args.head_dim_v);
  if (args.lse != 0)
    list.global("LSE", args.lse, DType::f32, {args.batch, args.heads, args.seq_q});
  if (args.seq_kv == 0)
    return list;
  add_tensor(list, "Q", args.q, args, args.heads, args.seq_q, args.head_dim);
  add_tensor(list, "K", args.k, args, args.heads_kv, args.seq_kv, args.head_dim);
  add_tensor(list, "V", args.v, args, args.heads_kv, args.seq_kv, args.head_dim_v);
  list.scalar("scale", scale_of(args));
  if (args.mask == Mask::window)
    list.scalar("left", bounded(args.left, args)).scalar("right", bounded(args.right, args));
  return list;
}

} // namespace

KernelSource attention_source(const AttentionProblem &problem, const AttentionSchedule &schedule) {
  return {"attention", to_string(problem), to_string(schedule), [=] { return attention_sm90(problem, schedule); }};
}

KernelSource attention_without_keys_source(const AttentionProblem &problem) {
  return {"attention_without_keys", to_string(problem), "", [=] { return attention_without_keys(problem); }};
}

struct Attention::State {
  const Context &context;
  Jit &jit;
  AttentionOptions options;
  std::unordered_map<std::string, Kernel> kernels = {};
  std::unordered_map<CallKey, BoundKernel, KeyHash> bound = {};

  [[nodiscard]] AttentionSchedule schedule(const AttentionArgs &args) const {
    return options.schedule ? *options.schedule
                            : choose_schedule(problem_of(args), args.seq_q, context.device().shared_bytes_per_block);
  }
  [[nodiscard]] Result<const Kernel *> kernel(const AttentionArgs &args);
  [[nodiscard]] Result<BoundKernel *> find(const AttentionArgs &args, StreamRef stream);
  [[nodiscard]] static Result<void> aim(BoundKernel &kernel, const AttentionArgs &args);
};

Result<const Kernel *> Attention::State::kernel(const AttentionArgs &args) {
  const AttentionProblem problem = problem_of(args);
  if (args.seq_kv > 0)
    TEGULA_CHECK(validate(problem, schedule(args), context.device().shared_bytes_per_block));
  const KernelSource source =
      args.seq_kv > 0 ? attention_source(problem, schedule(args)) : attention_without_keys_source(problem);
  const std::string name = source.kernel + " " + source.identity + " " + source.schedule;
  if (const auto found = kernels.find(name); found != kernels.end())
    return &found->second;
  TEGULA_TRY(Kernel loaded, jit.load(context, source));
  return &kernels.emplace(name, std::move(loaded)).first->second;
}

Result<BoundKernel *> Attention::State::find(const AttentionArgs &args, StreamRef stream) {
  CallKey key = key_of(args);
  if (const auto found = bound.find(key); found != bound.end())
    return &found->second;
  TEGULA_CHECK(validate(args));
  TEGULA_CHECK(refuse_in_capture(
      context, stream, fmt::format("no attention of {} queries over {} keys is prepared", args.seq_q, args.seq_kv)));
  TEGULA_TRY(const Kernel *const loaded, kernel(args));
  TEGULA_TRY(BoundKernel made, loaded->bind(arguments_of(args)));
  return &bound.emplace(std::move(key), std::move(made)).first->second;
}

// Points a kernel that is bound to such a call at this one's tensors.
Result<void> Attention::State::aim(BoundKernel &kernel, const AttentionArgs &args) {
  TEGULA_CHECK(kernel.set_base("O", args.o.address));
  if (args.lse != 0)
    TEGULA_CHECK(kernel.set_base("LSE", args.lse));
  if (args.seq_kv == 0)
    return {};
  TEGULA_CHECK(kernel.set_base("Q", args.q.address));
  TEGULA_CHECK(kernel.set_base("K", args.k.address));
  return kernel.set_base("V", args.v.address);
}

Attention::Attention(const Context &context, Jit &jit, AttentionOptions options)
    : state_(new State{context, jit, std::move(options)}) {}
Attention::Attention(Attention &&) noexcept = default;
Attention &Attention::operator=(Attention &&) noexcept = default;
Attention::~Attention() = default;

Result<void> Attention::prepare(const AttentionArgs &args, StreamRef stream) {
  if (args.batch == 0 || args.heads == 0 || args.seq_q == 0)
    return validate(args);
  TEGULA_TRY([[maybe_unused]] BoundKernel *const kernel, state_->find(args, stream));
  return {};
}

Result<void> Attention::run(const AttentionArgs &args, StreamRef stream) {
  if (args.batch == 0 || args.heads == 0 || args.seq_q == 0)
    return validate(args);
  TEGULA_TRY(BoundKernel *const kernel, state_->find(args, stream));
  TEGULA_CHECK(State::aim(*kernel, args));
  return kernel->launch({.stream = stream});
}

Result<std::string> Attention::explain(const AttentionArgs &args) const {
  TEGULA_CHECK(validate(args));
  if (args.seq_kv == 0)
    return std::string("no keys: zeros");
  return fmt::format("attention {}, {} queries a tile: {}", to_string(problem_of(args)),
                     64 * state_->schedule(args).math, to_string(state_->schedule(args)));
}

} // namespace tegula
