// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loads kernels: what can be checked once, before any launch, is checked here.
#include "runtime/launch/kernel.h"

#include <utility>

#include <fmt/format.h>

#include "runtime/launch/kernel_state.h"
#include "runtime/result/complaints.h"

namespace tegula {
namespace {

constexpr int kPortableClusterBlocks = 8; // CUDA C++ Programming Guide 13.0, thread block clusters

Result<void> check_device(const KernelManifest &m, ImageKind kind, const DeviceInfo &device) {
  const Arch arch = *parse_arch(m.arch);
  if (!runs_on(arch, kind, device.arch))
    return Error(ErrorCode::wrong_architecture,
                 fmt::format("cannot load '{}': it was compiled for {}, which {} can't run; "
                             "`tegula compile {} --arch {} -o DIR` makes one that it can",
                             m.kernel, m.arch, to_string(device), m.kernel, native_arch(device)));
  Complaints wrong;
  if (m.dynamic_shared_bytes > device.shared_bytes_per_block)
    wrong.add(fmt::format("it needs {} bytes of shared memory a block, {} has {}; use fewer stages or a smaller tile",
                          m.dynamic_shared_bytes, to_string(device), device.shared_bytes_per_block),
              ErrorCode::unsupported);
  if (m.cluster[0] > 1 && !device.clusters)
    wrong.add(fmt::format("it runs in clusters of {} blocks, {} has no clusters", m.cluster[0], to_string(device)),
              ErrorCode::unsupported);
  return wrong.verdict(fmt::format("cannot load '{}'", m.kernel));
}

// The sizes that the entry point takes against those that the manifest gives, so that a stale manifest can't make
// garbage of the parameters.
Result<void> check_params(const ResolvedManifest &resolved, const Function &function, std::optional<int> entry_params) {
  Complaints wrong;
  const int count = static_cast<int>(resolved.params.size());
  for (int i = 0; i < count; ++i) {
    auto asked = function.param_bytes(i);
    if (!asked && asked.error().code() == ErrorCode::unsupported)
      return {};
    TEGULA_TRY(std::optional<int64_t> taken, std::move(asked));
    const int64_t given = param_bytes(resolved.params[static_cast<size_t>(i)]);
    if (!taken) {
      wrong.add(fmt::format("the entry point takes {} parameters, the manifest has {}", i, count));
      break;
    }
    if (*taken != given)
      wrong.add(fmt::format("parameter {} ({}) has {} bytes, the manifest says {}", i,
                            resolved.manifest.params[static_cast<size_t>(i)].name, *taken, given));
  }
  // The driver only answers about parameters that there are, and a question beyond them counts as a fault with
  // compute-sanitizer: so further ones are found in the PTX, where it is PTX.
  if (entry_params && *entry_params > count)
    wrong.add(fmt::format("the entry point takes {} parameters, the manifest has {}", *entry_params, count));
  return wrong.verdict(
      fmt::format("cannot load '{}': image and manifest don't belong together", resolved.manifest.kernel));
}

Result<void> check_function(const KernelManifest &m, const FunctionInfo &info, const DeviceInfo &device) {
  Complaints wrong;
  const int64_t shared = m.dynamic_shared_bytes + info.static_shared_bytes;
  if (shared > device.shared_bytes_per_block)
    wrong.add(fmt::format("it needs {} + {} bytes of shared memory a block, {} has {}", m.dynamic_shared_bytes,
                          info.static_shared_bytes, to_string(device), device.shared_bytes_per_block),
              ErrorCode::unsupported);
  if (m.block_threads > info.max_block_threads)
    wrong.add(fmt::format("it runs with {} threads a block, its {} registers allow {}", m.block_threads, info.registers,
                          info.max_block_threads),
              ErrorCode::unsupported);
  return wrong.verdict(fmt::format("cannot load '{}'", m.kernel));
}

} // namespace

std::string native_arch(const DeviceInfo &device) {
  Arch arch = device.arch;
  // From Hopper on, the full instruction set is that of the "a" targets.
  arch.scope = arch.major >= 9 ? ArchScope::architecture : ArchScope::generic;
  return to_string(arch);
}

Result<Kernel> Kernel::load(const Context &context, KernelManifest manifest, std::span<const std::byte> image) {
  TEGULA_CHECK(validate(manifest));
  TEGULA_CHECK(check_device(manifest, image_kind(image), context.device()));
  const std::string doing = fmt::format("cannot load '{}'", manifest.kernel);
  auto loaded = Module::load(context, image);
  if (!loaded)
    return std::move(loaded).error().while_doing(doing);
  auto found = loaded->function(manifest.entry);
  if (!found)
    return std::move(found).error().while_doing(doing);
  auto state =
      std::make_shared<const State>(std::move(*loaded), std::move(*found), ResolvedManifest(std::move(manifest)));

  const KernelManifest &m = state->resolved.manifest;
  const Function &function = state->function;
  std::optional<int> entry_params;
  if (state->module.kind() == ImageKind::ptx)
    entry_params = count_ptx_params({reinterpret_cast<const char *>(image.data()), image.size()}, m.entry);
  TEGULA_CHECK(check_params(state->resolved, function, entry_params));
  TEGULA_TRY(FunctionInfo info, function.info());
  TEGULA_CHECK(check_function(m, info, context.device()));
  TEGULA_CHECK(function.allow_dynamic_shared(m.dynamic_shared_bytes));
  if (m.cluster[0] > kPortableClusterBlocks)
    TEGULA_CHECK(function.allow_non_portable_cluster());
  TEGULA_CHECK(function.load_now());
  return Kernel(std::move(state));
}

const KernelManifest &Kernel::manifest() const { return state_->resolved.manifest; }
const DeviceInfo &Kernel::device() const { return state_->function.context()->info; }
const Function &Kernel::function() const { return state_->function; }

Result<void> Kernel::launch(const KernelArgs &args, const LaunchOptions &options,
                            const BindOptions &bind_options) const {
  TEGULA_TRY(BoundKernel bound, bind(args, bind_options));
  return bound.launch(options);
}

} // namespace tegula
