// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A bundle's index: which images belong to which manifest, and their checksums. Inside the bundle library only.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/launch/manifest.h"
#include "runtime/result/result.h"

namespace tegula {

/// One image. In a folder `file` names it; in a packed bundle it lies at `offset` behind the index.
struct BundleBlob {
  std::string file;
  int64_t offset = 0;
  int64_t bytes = 0;
  std::string checksum; ///< of `checksum_of`; empty: there is no such image

  [[nodiscard]] bool present() const { return !checksum.empty(); }
};

struct IndexEntry {
  std::string stem; ///< file names without their ending
  KernelManifest manifest;
  BundleBlob cubin;
  BundleBlob ptx;
};

struct BundleIndex {
  std::vector<IndexEntry> entries;
};

inline constexpr std::string_view kIndexFile = "bundle.json";

[[nodiscard]] std::string to_json(const BundleIndex &index);
/// \errors bad_argument, naming the field; or both formats, where the bundle is of another one.
[[nodiscard]] Result<BundleIndex> parse_index(std::string_view json);

/// 16 hexadecimal digits of a 64-bit FNV-1a: finds damage, not malice.
[[nodiscard]] std::string checksum_of(std::span<const std::byte> bytes);

/// \errors io_error with the system's reason; not_found.
[[nodiscard]] Result<std::vector<std::byte>> read_file(const std::filesystem::path &path);
/// Writes a temporary file beside it and renames, so that a reader sees the old or the new one.
[[nodiscard]] Result<void> write_file(const std::filesystem::path &path, std::span<const std::byte> bytes);

} // namespace tegula
