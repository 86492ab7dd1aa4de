// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Opens bundles, finds the entry for a device, and loads it. Writing is in write_bundle.cpp.
#include "runtime/bundle/bundle.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "runtime/bundle/bundle_index.h"
#include "runtime/bundle/packed_bundle.h"

namespace tegula {

struct Bundle::State {
  std::filesystem::path path;
  bool packed = false;
  int64_t blobs_at = 0; // in a packed file
  BundleIndex index;
};

namespace {

template <typename T> void add_once(std::vector<T> &list, T value) {
  if (std::find(list.begin(), list.end(), value) == list.end())
    list.push_back(std::move(value));
}

bool has_image_for(const IndexEntry &entry, const DeviceInfo &device) {
  const Arch arch = *parse_arch(entry.manifest.arch);
  return (entry.cubin.present() && runs_on(arch, ImageKind::cubin, device.arch)) ||
         (entry.ptx.present() && runs_on(arch, ImageKind::ptx, device.arch));
}

Result<std::vector<std::byte>> read_blob(const Bundle::State &bundle, const BundleBlob &blob, std::string_view what) {
  std::vector<std::byte> bytes;
  const std::filesystem::path file = bundle.packed ? bundle.path : bundle.path / blob.file;
  TEGULA_TRY(bytes, read_file(file));
  if (bundle.packed) {
    const int64_t start = bundle.blobs_at + blob.offset;
    const auto size = static_cast<int64_t>(bytes.size());
    if (start > size || blob.bytes > size - start)
      return Error(ErrorCode::bad_argument, fmt::format("{} is damaged: it ends before {}", file.string(), what));
    bytes.erase(bytes.begin() + start + blob.bytes, bytes.end());
    bytes.erase(bytes.begin(), bytes.begin() + start);
  }
  if (static_cast<int64_t>(bytes.size()) != blob.bytes || checksum_of(bytes) != blob.checksum)
    return Error(ErrorCode::bad_argument,
                 fmt::format("{} is damaged: {} doesn't match its checksum; compile it again", file.string(), what));
  return bytes;
}

} // namespace

Bundle::Bundle(std::unique_ptr<State> state) : state_(std::move(state)) {}
Bundle::Bundle(Bundle &&) noexcept = default;
Bundle &Bundle::operator=(Bundle &&) noexcept = default;
Bundle::~Bundle() = default;

size_t Bundle::size() const { return state_->index.entries.size(); }
const KernelManifest &Bundle::manifest(size_t index) const { return state_->index.entries[index].manifest; }

std::string schedule_key(const KernelManifest &manifest) {
  std::string key;
  for (const auto &[name, value] : manifest.schedule)
    key += fmt::format("{}{}={}", key.empty() ? "" : " ", name, value);
  return key;
}

Result<Bundle> Bundle::open(const std::filesystem::path &path) {
  auto state = std::make_unique<State>();
  state->path = path;
  std::error_code ignored;
  state->packed = std::filesystem::is_regular_file(path, ignored);
  std::vector<std::byte> bytes;
  TEGULA_TRY(bytes, read_file(state->packed ? path : path / kIndexFile));
  std::string_view text(reinterpret_cast<const char *>(bytes.data()), bytes.size());
  if (state->packed) {
    auto split = split_packed(text);
    if (!split)
      return std::move(split).error().while_doing(path.string());
    text = split->index;
    state->blobs_at = split->blobs_at;
  }
  auto index = parse_index(text);
  if (!index)
    return std::move(index).error().while_doing(path.string());
  state->index = std::move(*index);
  return Bundle(std::move(state));
}

Result<size_t> Bundle::find(std::string_view kernel, const DeviceInfo &device, std::string_view schedule) const {
  std::vector<std::string> kernels;
  std::vector<std::string> schedules;
  std::vector<std::string> archs;
  for (size_t i = 0; i < size(); ++i) {
    const IndexEntry &entry = state_->index.entries[i];
    add_once(kernels, entry.manifest.kernel);
    if (entry.manifest.kernel != kernel)
      continue;
    const std::string key = schedule_key(entry.manifest);
    add_once(schedules, key);
    if (!schedule.empty() && key != schedule)
      continue;
    if (has_image_for(entry, device))
      return i;
    add_once(archs, entry.manifest.arch);
  }
  const std::string where = state_->path.string();
  if (schedules.empty())
    return Error(ErrorCode::not_found,
                 fmt::format("the bundle {} has no kernel '{}'; it has {}", where, kernel,
                             kernels.empty() ? "none" : fmt::format("{}", fmt::join(kernels, ", "))));
  if (archs.empty())
    return Error(ErrorCode::not_found, fmt::format("the bundle {} has '{}' with other schedules than '{}': {}", where,
                                                   kernel, schedule, fmt::join(schedules, "; ")));
  return Error(
      ErrorCode::wrong_architecture,
      fmt::format("the bundle {} has '{}' for {}, {} can't run that; `tegula compile {} --arch {} -o {}` adds it",
                  where, kernel, fmt::join(archs, ", "), to_string(device), kernel, native_arch(device), where));
}

Result<BundleEntry> Bundle::read(size_t index) const {
  const IndexEntry &from = state_->index.entries[index];
  BundleEntry entry;
  entry.manifest = from.manifest;
  if (from.cubin.present()) {
    TEGULA_TRY(entry.cubin, read_blob(*state_, from.cubin, from.stem + ".cubin"));
  }
  if (from.ptx.present()) {
    TEGULA_TRY(std::vector<std::byte> text, read_blob(*state_, from.ptx, from.stem + ".ptx"));
    entry.ptx.assign(reinterpret_cast<const char *>(text.data()), text.size());
  }
  return entry;
}

Result<Kernel> Bundle::load(const Context &context, std::string_view kernel, std::string_view schedule) const {
  TEGULA_TRY(size_t index, find(kernel, context.device(), schedule));
  TEGULA_TRY(BundleEntry entry, read(index));
  const Arch arch = *parse_arch(entry.manifest.arch);
  const auto ptx = std::as_bytes(std::span(entry.ptx));
  if (entry.cubin.empty() || !runs_on(arch, ImageKind::cubin, context.device().arch))
    return Kernel::load(context, std::move(entry.manifest), ptx);
  auto loaded = Kernel::load(context, entry.manifest, entry.cubin);
  if (loaded || ptx.empty())
    return loaded;
  auto second = Kernel::load(context, std::move(entry.manifest), ptx);
  // Both refused: the cubin's reason is the one to know.
  return second ? std::move(second) : std::move(loaded);
}

Result<Kernel> load_embedded(const Context &context, std::string_view manifest_json,
                             std::span<const unsigned char> image) {
  TEGULA_TRY(KernelManifest manifest, parse_manifest(manifest_json));
  return Kernel::load(context, std::move(manifest), std::as_bytes(image));
}

} // namespace tegula
