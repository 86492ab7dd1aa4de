// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The call: looks up what is prepared for its extents, prepares what is not, finds workspace, launches.
#include "kernels/gemm/gemm.h"

#include <cstring>
#include <unordered_map>
#include <vector>

#include <fmt/format.h>

#include "kernels/gemm/prepared.h"
#include "kernels/workspace/capture.h"
#include "kernels/workspace/stream_workspaces.h"

namespace tegula {
namespace {

// Everything that a call's validity and its plan depend on; of addresses only null or not, and their place in 16 bytes.
struct CallKey {
  int64_t extents[4];
  int64_t strides[4][3];
  int64_t bias_strides[2];
  uint8_t places[5];
  uint8_t types[5];

  bool operator==(const CallKey &other) const { return std::memcmp(this, &other, sizeof(*this)) == 0; }
};

uint8_t place(cu::CUdeviceptr address) { return static_cast<uint8_t>(address == 0 ? 255 : address % 16); }

CallKey key_of(const GemmArgs &args) {
  CallKey key;
  std::memset(&key, 0, sizeof(key)); // padding takes part in the comparison
  const int64_t extents[4] = {args.m, args.n, args.k, args.batch};
  std::memcpy(key.extents, extents, sizeof(extents));
  const bool reads_c = args.beta != 0, has_bias = args.bias_axis != BiasAxis::none;
  const GemmMatrix *matrices[4] = {&args.a, &args.b, &args.d, &args.c};
  for (int i = 0; i < (reads_c ? 4 : 3); ++i) {
    key.strides[i][0] = matrices[i]->row_stride;
    key.strides[i][1] = matrices[i]->column_stride;
    key.strides[i][2] = matrices[i]->batch_stride;
    key.places[i] = place(matrices[i]->address);
  }
  if (has_bias) {
    key.bias_strides[0] = args.bias.stride;
    key.bias_strides[1] = args.bias.batch_stride;
    key.places[4] = place(args.bias.address);
  }
  const uint8_t types[5] = {static_cast<uint8_t>(args.in), static_cast<uint8_t>(args.out),
                            static_cast<uint8_t>(args.activation), static_cast<uint8_t>(args.bias_axis),
                            static_cast<uint8_t>(reads_c)};
  std::memcpy(key.types, types, sizeof(types));
  return key;
}

struct KeyHash {
  size_t operator()(const CallKey &key) const {
    uint64_t hash = 0;
    const auto *words = reinterpret_cast<const unsigned char *>(&key);
    for (size_t i = 0; i + 8 <= sizeof(key); i += 8) {
      uint64_t word;
      std::memcpy(&word, words + i, 8);
      hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
      hash ^= hash >> 29;
    }
    return hash;
  }
};

GemmMachine machine_of(const DeviceInfo &device) {
  return {.sms = device.multiprocessors, .shared_limit = device.shared_bytes_per_block};
}

} // namespace

struct Gemm::State {
  const Context &context;
  Jit &jit;
  GemmOptions options;
  std::unordered_map<CallKey, PreparedGemm, KeyHash> prepared = {};
  StreamWorkspaces workspaces = {};

  [[nodiscard]] GemmPlan plan(const GemmCall &call) const {
    return make_plan(call.problem, call.shape, machine_of(context.device()),
                     options.schedule ? &*options.schedule : nullptr);
  }
  [[nodiscard]] Result<PreparedGemm *> find(const GemmArgs &args, StreamRef stream);
  [[nodiscard]] Result<cu::CUdeviceptr> workspace(const GemmPlan &plan, StreamRef stream, const GemmWorkspace &given);
  [[nodiscard]] Result<void> run(const GemmArgs &args, StreamRef stream, const GemmWorkspace &workspace,
                                 PreparedGemm::Then then);
};

Result<PreparedGemm *> Gemm::State::find(const GemmArgs &args, StreamRef stream) {
  const CallKey key = key_of(args);
  if (const auto found = prepared.find(key); found != prepared.end())
    return &found->second;
  TEGULA_CHECK(validate(args));
  if (args.m != 0 && args.n != 0 && args.batch != 0)
    TEGULA_CHECK(
        refuse_in_capture(context, stream, fmt::format("no gemm of {}x{}x{} is prepared", args.m, args.n, args.k)));
  GemmPlan plan = this->plan(normalize(args));
  if (plan.multiplies())
    TEGULA_CHECK(validate(plan.kernel, plan.choice.schedule, context.device().shared_bytes_per_block));
  TEGULA_TRY(PreparedGemm loaded, PreparedGemm::load(context, jit, std::move(plan)));
  return &prepared.emplace(key, std::move(loaded)).first->second;
}

Result<cu::CUdeviceptr> Gemm::State::workspace(const GemmPlan &plan, StreamRef stream, const GemmWorkspace &given) {
  if (plan.workspace_bytes == 0 || given.address == 0)
    return workspaces.acquire(context, stream, plan.workspace_bytes);
  if (given.bytes >= plan.workspace_bytes && given.address % 256 == 0)
    return given.address;
  return Error(ErrorCode::bad_argument,
               fmt::format("the workspace is {} bytes at {:#x}; this gemm needs {} bytes, at a multiple of 256",
                           given.bytes, given.address, plan.workspace_bytes));
}

Result<void> Gemm::State::run(const GemmArgs &args, StreamRef stream, const GemmWorkspace &given,
                              PreparedGemm::Then then) {
  TEGULA_TRY(PreparedGemm *const gemm, find(args, stream));
  if (gemm->plan().empty())
    return {};
  TEGULA_TRY(const cu::CUdeviceptr address, workspace(gemm->plan(), stream, given));
  return gemm->run(normalize(args), address, stream, then);
}

Gemm::Gemm(const Context &context, Jit &jit, GemmOptions options)
    : state_(new State{context, jit, std::move(options)}) {}
Gemm::Gemm(Gemm &&) noexcept = default;
Gemm &Gemm::operator=(Gemm &&) noexcept = default;
Gemm::~Gemm() = default;

Result<void> Gemm::run(const GemmArgs &args, StreamRef stream, const GemmWorkspace &workspace) {
  return state_->run(args, stream, workspace, PreparedGemm::Then::launch);
}

Result<void> Gemm::prepare(const GemmArgs &args, StreamRef stream, const GemmWorkspace &workspace) {
  return state_->run(args, stream, workspace, PreparedGemm::Then::stop);
}

Result<int64_t> Gemm::workspace_bytes(const GemmArgs &args) const {
  TEGULA_CHECK(validate(args));
  return state_->plan(normalize(args)).workspace_bytes;
}

Result<std::string> Gemm::explain(const GemmArgs &args) const {
  TEGULA_CHECK(validate(args));
  return describe(state_->plan(normalize(args)));
}

} // namespace tegula
