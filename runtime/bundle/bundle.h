// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels compiled ahead of time: several kernels, schedules and architectures in a folder or in one file, loaded with
// the runtime alone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/launch/kernel.h"
#include "runtime/launch/manifest.h"

namespace tegula {

/// A compiled kernel for one architecture: a cubin, PTX or both (then the cubin is tried first).
struct BundleEntry {
  KernelManifest manifest;
  std::vector<std::byte> cubin;
  std::string ptx;
};

/// "k=64 m=128 n=256": what tells schedules of one kernel apart, in the order of their names.
[[nodiscard]] std::string schedule_key(const KernelManifest &manifest);

/// A bundle that was opened. Images are read when a kernel is loaded, and checked against their checksums.
class Bundle {
public:
  /// \param path a folder with a bundle.json, or a file that `pack_bundle` wrote.
  /// \errors not_found; io_error; bad_argument: no bundle, damaged, or of another format than this runtime's, naming
  ///         both.
  [[nodiscard]] static Result<Bundle> open(const std::filesystem::path &path);

  Bundle(Bundle &&) noexcept;
  Bundle &operator=(Bundle &&) noexcept;
  ~Bundle();

  [[nodiscard]] size_t size() const;
  [[nodiscard]] const KernelManifest &manifest(size_t index) const;

  /// The entry of a kernel that runs on a device.
  /// \param schedule  a schedule_key; empty: the first one.
  /// \errors not_found, listing the kernels or schedules that there are; wrong_architecture, with what the bundle
  ///         holds, what the device is, and the command that adds it.
  [[nodiscard]] Result<size_t> find(std::string_view kernel, const DeviceInfo &device,
                                    std::string_view schedule = {}) const;
  /// An entry with its images. \errors io_error; bad_argument when an image doesn't match its checksum.
  [[nodiscard]] Result<BundleEntry> read(size_t index) const;
  /// find, read and Kernel::load. A cubin that this driver refuses gives way to the PTX beside it.
  [[nodiscard]] Result<Kernel> load(const Context &context, std::string_view kernel,
                                    std::string_view schedule = {}) const;

  struct State;

private:
  explicit Bundle(std::unique_ptr<State> state);

  std::unique_ptr<State> state_;
};

/// Puts an entry into the bundle of a folder, which is made where it doesn't exist; it takes the place of an entry of
/// the same kernel, schedule and architecture. Writes NAME.ARCH.cubin, .ptx, .json (manifest) and .h (the same,
/// embedded); NAME is the kernel's, with a hash where the folder has several schedules.
/// \errors io_error, naming the file; bad_argument: an entry with no image.
/// \returns the files that were written.
[[nodiscard]] Result<std::vector<std::filesystem::path>> add_to_bundle(const std::filesystem::path &folder,
                                                                       const BundleEntry &entry);

/// Packs a folder's bundle into one file.
/// \errors bad_argument when a kernel lacks an architecture that another one has, naming both; io_error.
[[nodiscard]] Result<void> pack_bundle(const std::filesystem::path &folder, const std::filesystem::path &file);

/// Loads a kernel that was built into the program; what embedded headers call.
[[nodiscard]] Result<Kernel> load_embedded(const Context &context, std::string_view manifest_json,
                                           std::span<const unsigned char> image);

} // namespace tegula
