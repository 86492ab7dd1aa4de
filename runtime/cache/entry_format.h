// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One entry of the kernel cache as the bytes of one file. Knows no files, only bytes; trusts none of them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/cache/cache_key.h"
#include "runtime/result/result.h"

namespace tegula {

enum class CachedImageKind : uint32_t { ptx = 1, cubin = 2 };

/// "ptx" or "cubin".
[[nodiscard]] std::string_view name(CachedImageKind kind);

/// What a compile gives, and a cached launch needs.
struct CachedKernel {
  CachedImageKind kind = CachedImageKind::cubin;
  std::string metadata; ///< the manifest's JSON, or what the caller likes; may be empty
  std::string image;    ///< a string, so that PTX ends in the NUL that the driver looks for; not empty

  friend bool operator==(const CachedKernel &, const CachedKernel &) = default;
};

/// A file, little-endian:
///     0   "TEGULAKC"
///     8   u32 version of the format, u32 kind of the image
///     16  u64, u64 the key's digest (high, low)
///     32  u64 bytes of the parts, u64 bytes of the metadata, u64 bytes of the image
///     56  the parts (encode_parts), the metadata, the image, without gaps
///     end u64, u64 digest of all bytes before (high, low)
inline constexpr int64_t kHeaderBytes = 56;
inline constexpr int64_t kChecksumBytes = 16;
/// Larger entries are neither written nor read: a damaged size must not make the reader allocate the machine's memory.
inline constexpr int64_t kMaxEntryBytes = int64_t{1} << 30;

struct EntryHeader {
  CachedImageKind kind;
  Digest key;
  int64_t parts_bytes;
  int64_t metadata_bytes;
  int64_t image_bytes;
};

/// What a file holds once every check has passed.
struct DecodedEntry {
  std::vector<KeyPart> parts;
  CachedKernel kernel;
};

[[nodiscard]] std::string encode_entry(const CacheKey &key, const CachedKernel &kernel);

/// Reads the first kHeaderBytes of a file of `file_bytes` bytes.
/// \errors  io_error: damaged, and how; unsupported: of another version of the format.
[[nodiscard]] Result<EntryHeader> decode_header(std::string_view bytes, int64_t file_bytes);

/// Reads a whole file: sizes, checksum, digest of the parts. Errors as above.
[[nodiscard]] Result<DecodedEntry> decode_entry(std::string_view bytes);

} // namespace tegula
