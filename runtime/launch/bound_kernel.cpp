// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Plans of launches: checked once, kept in the form that the driver wants, and brought up to date with little work.
#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "runtime/launch/check_launch.h"
#include "runtime/launch/gather_arguments.h"
#include "runtime/launch/kernel_state.h"
#include "runtime/launch/tensor_map.h"

namespace tegula {

using namespace cu;

struct BoundKernel::State {
  explicit State(std::shared_ptr<const Kernel::State> kernel_, const BindOptions &options_);

  [[nodiscard]] const ResolvedManifest &resolved() const { return kernel->resolved; }
  [[nodiscard]] const ContextState &context() const { return *kernel->function.context(); }

  Result<void> take(const KernelArgs &args);
  Result<void> move(size_t global, DevicePtr base);

  std::shared_ptr<const Kernel::State> kernel;
  BindOptions options;
  bool planned = false;

  // What the plan was made from, and scratch of the same size for what comes next.
  std::vector<int64_t> numbers;
  std::vector<int64_t> next;
  std::vector<unsigned char> given;

  // The plan. Parameters are 8 bytes each; the driver copies as many as the entry point takes (little-endian).
  std::vector<TensorMapSpec> specs;
  std::vector<TensorMapSpec> next_specs;
  std::vector<TensorMap> maps;
  std::vector<TensorMap> next_maps;
  std::vector<void *> params;
  CUlaunchConfig config{};
  // The cluster first, then the early start: each launch passes the part that it wants.
  CUlaunchAttribute attributes[2]{};
  bool clustered = false;

private:
  void check_pointers(Complaints &wrong) const;
  [[nodiscard]] Result<void> encode_maps();
  void commit(int64_t blocks);
};

BoundKernel::State::State(std::shared_ptr<const Kernel::State> kernel_, const BindOptions &options_)
    : kernel(std::move(kernel_)), options(options_) {
  const ResolvedManifest &r = resolved();
  numbers.resize(r.number_count);
  next.resize(r.number_count);
  given.resize(r.number_count);
  specs.resize(r.map_global.size());
  next_specs.resize(r.map_global.size());
  maps.resize(r.map_global.size());
  next_maps.resize(r.map_global.size());
  for (const ResolvedParam &param : r.params)
    params.push_back(param.kind == ParamKind::tensor_map ? static_cast<void *>(&maps[param.position])
                                                         : static_cast<void *>(&numbers[param.position]));
  const KernelManifest &m = r.manifest;
  config.gridDimX = 0;
  config.gridDimY = config.gridDimZ = 1;
  config.blockDimX = static_cast<unsigned>(m.block_threads);
  config.blockDimY = config.blockDimZ = 1;
  config.sharedMemBytes = static_cast<unsigned>(m.dynamic_shared_bytes);
  clustered = m.cluster[0] > 1;
  attributes[0].id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
  attributes[0].value.clusterDim = {static_cast<unsigned>(m.cluster[0]), 1, 1};
  attributes[1].id = CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION;
  attributes[1].value.programmaticStreamSerializationAllowed = 1;
}

void BoundKernel::State::check_pointers(Complaints &wrong) const {
  const ResolvedManifest &r = resolved();
  for (size_t i = 0; i < r.globals.size(); ++i) {
    const size_t base = r.globals[i].base;
    const bool known = planned && next[base] == numbers[base];
    if (given[base] == 0 || known || r.globals[i].empty(next))
      continue;
    check_residence(context(), r.manifest.globals[i].name, static_cast<DevicePtr>(next[base]), wrong);
  }
}

// Into next_maps, so that a failure leaves the plan as it was. An empty tensor gets no map: nothing is read through it,
// and the driver refuses an extent of 0.
Result<void> BoundKernel::State::encode_maps() {
  const ResolvedManifest &r = resolved();
  for (size_t i = 0; i < maps.size(); ++i) {
    next_maps[i] = maps[i];
    next_specs[i] = {};
    if (r.globals[r.map_global[i]].empty(next)) {
      next_maps[i] = {};
      continue;
    }
    next_specs[i] = tensor_map_spec(r, i, next);
    if (planned && next_specs[i] == specs[i])
      continue;
    auto map = encode_tensor_map(context(), next_specs[i]);
    if (!map)
      return std::move(map).error().while_doing(
          fmt::format("cannot launch '{}': {}", r.manifest.kernel, r.manifest.tensor_maps[i].global));
    next_maps[i] = *map;
  }
  return {};
}

void BoundKernel::State::commit(int64_t blocks) {
  std::copy(next.begin(), next.end(), numbers.begin());
  std::copy(next_specs.begin(), next_specs.end(), specs.begin());
  std::copy(next_maps.begin(), next_maps.end(), maps.begin());
  config.gridDimX = static_cast<unsigned>(blocks);
  planned = true;
}

Result<void> BoundKernel::State::take(const KernelArgs &args) {
  const ResolvedManifest &r = resolved();
  Complaints wrong;
  gather(r, args, next, given, wrong);
  if (planned && wrong.empty() && std::memcmp(next.data(), numbers.data(), next.size() * sizeof(int64_t)) == 0)
    return {};
  check_numbers(r, next, given, wrong);
  int64_t blocks = grid_blocks(r, next, context().info.multiprocessors, wrong);
  if (options.pointers == Pointers::looked_up)
    check_pointers(wrong);
  if (!wrong.empty())
    return wrong.verdict(fmt::format("cannot launch '{}'", r.manifest.kernel));
  TEGULA_CHECK(encode_maps());
  commit(blocks);
  return {};
}

Result<void> BoundKernel::State::move(size_t global, DevicePtr base) {
  const ResolvedManifest &r = resolved();
  const size_t position = r.globals[global].base;
  if (static_cast<DevicePtr>(numbers[position]) == base)
    return {};
  std::copy(numbers.begin(), numbers.end(), next.begin());
  next[position] = static_cast<int64_t>(base);
  if (!r.globals[global].empty(next)) {
    Complaints wrong;
    check_base(r, global, next, wrong);
    if (!wrong.empty())
      return wrong.verdict(fmt::format("cannot launch '{}'", r.manifest.kernel));
  }
  TEGULA_CHECK(encode_maps());
  commit(config.gridDimX);
  return {};
}

BoundKernel::BoundKernel(std::unique_ptr<State> state) : state_(std::move(state)) {}
BoundKernel::BoundKernel(BoundKernel &&) noexcept = default;
BoundKernel &BoundKernel::operator=(BoundKernel &&) noexcept = default;
BoundKernel::~BoundKernel() = default;

int64_t BoundKernel::blocks() const { return state_->config.gridDimX; }

Result<void> BoundKernel::launch(const LaunchOptions &options) const {
  State &s = *state_;
  if (s.config.gridDimX == 0)
    return {};
  const bool early = options.start == Start::overlapped && s.resolved().manifest.pdl;
  CUlaunchConfig config = s.config;
  config.hStream = options.stream.raw;
  config.attrs = s.clustered ? s.attributes : s.attributes + 1;
  config.numAttrs = (s.clustered ? 1u : 0u) + (early ? 1u : 0u);
  const ContextState &context = s.context();
  CurrentContext current(context);
  CUresult status = current.status();
  if (status == CUDA_SUCCESS)
    status = context.driver.api().cuLaunchKernelEx(&config, s.kernel->function.raw(), s.params.data(), nullptr);
  if (status != CUDA_SUCCESS) [[unlikely]]
    return context.driver.error(status, "cuLaunchKernelEx")
        .while_doing(fmt::format("cannot launch '{}'", s.resolved().manifest.kernel));
  return {};
}

Result<void> BoundKernel::update(const KernelArgs &args) { return state_->take(args); }

Result<void> BoundKernel::set_base(std::string_view global, DevicePtr base) {
  const std::vector<GlobalInfo> &globals = state_->resolved().manifest.globals;
  for (size_t i = 0; i < globals.size(); ++i)
    if (globals[i].name == global)
      return state_->move(i, base);
  return Error(ErrorCode::bad_argument,
               fmt::format("there is no global '{}' in '{}'", global, state_->resolved().manifest.kernel));
}

Result<BoundKernel> Kernel::bind(const KernelArgs &args, const BindOptions &options) const {
  auto plan = std::make_unique<BoundKernel::State>(state_, options);
  TEGULA_CHECK(plan->take(args));
  return BoundKernel(std::move(plan));
}

} // namespace tegula
