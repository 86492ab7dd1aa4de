// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Writes and reads an entry's bytes. No size is believed before it was compared with the file's.
#include "runtime/cache/entry_format.h"

#include <fmt/format.h>

#include "runtime/cache/little_endian.h"

namespace tegula {
namespace {

constexpr std::string_view kMagic = "TEGULAKC";
constexpr uint32_t kVersion = 1;

Error damaged(std::string why) { return Error(ErrorCode::io_error, std::move(why)); }

void append_digest(std::string &out, const Digest &digest) {
  append_number(out, digest.high);
  append_number(out, digest.low);
}

Digest digest_at(std::string_view bytes, size_t at) {
  return {number_at<uint64_t>(bytes, at), number_at<uint64_t>(bytes, at + 8)};
}

bool is_image_kind(uint32_t kind) {
  return kind == static_cast<uint32_t>(CachedImageKind::ptx) || kind == static_cast<uint32_t>(CachedImageKind::cubin);
}

} // namespace

std::string_view name(CachedImageKind kind) { return kind == CachedImageKind::ptx ? "ptx" : "cubin"; }

std::string encode_entry(const CacheKey &key, const CachedKernel &kernel) {
  std::string parts = encode_parts(key.parts());
  std::string bytes;
  bytes.reserve(kHeaderBytes + parts.size() + kernel.metadata.size() + kernel.image.size() + kChecksumBytes);
  bytes += kMagic;
  append_number(bytes, kVersion);
  append_number(bytes, static_cast<uint32_t>(kernel.kind));
  append_digest(bytes, key.digest());
  for (const std::string *section : {&std::as_const(parts), &kernel.metadata, &kernel.image})
    append_number(bytes, static_cast<uint64_t>(section->size()));
  bytes += parts;
  bytes += kernel.metadata;
  bytes += kernel.image;
  append_digest(bytes, digest_of(bytes));
  return bytes;
}

Result<EntryHeader> decode_header(std::string_view bytes, int64_t file_bytes) {
  if (file_bytes < kHeaderBytes + kChecksumBytes || static_cast<int64_t>(bytes.size()) < kHeaderBytes)
    return damaged(
        fmt::format("it is cut short: {} bytes, an empty entry has {}", file_bytes, kHeaderBytes + kChecksumBytes));
  if (file_bytes > kMaxEntryBytes)
    return damaged(fmt::format("it has {} bytes; at most {}", file_bytes, kMaxEntryBytes));
  if (!bytes.starts_with(kMagic))
    return damaged("it does not begin as an entry does");
  if (uint32_t version = number_at<uint32_t>(bytes, 8); version != kVersion)
    return Error(ErrorCode::unsupported, fmt::format("its format is version {}, this is {}", version, kVersion));
  uint32_t kind = number_at<uint32_t>(bytes, 12);
  if (!is_image_kind(kind))
    return damaged(fmt::format("its image is of unknown kind {}", kind));

  // Each size is bounded before they are added, so that the sum can't wrap.
  uint64_t sizes[3], total = kHeaderBytes + kChecksumBytes;
  for (size_t i = 0; i < 3; ++i) {
    sizes[i] = number_at<uint64_t>(bytes, 32 + 8 * i);
    if (sizes[i] > static_cast<uint64_t>(file_bytes))
      return damaged(fmt::format("a section of it would have {} bytes, the file has {}", sizes[i], file_bytes));
    total += sizes[i];
  }
  if (total != static_cast<uint64_t>(file_bytes))
    return damaged(fmt::format("it should have {} bytes and has {}", total, file_bytes));
  return EntryHeader{static_cast<CachedImageKind>(kind), digest_at(bytes, 16), static_cast<int64_t>(sizes[0]),
                     static_cast<int64_t>(sizes[1]), static_cast<int64_t>(sizes[2])};
}

Result<DecodedEntry> decode_entry(std::string_view bytes) {
  TEGULA_TRY(EntryHeader header, decode_header(bytes, static_cast<int64_t>(bytes.size())));
  std::string_view covered = bytes.substr(0, bytes.size() - kChecksumBytes);
  if (digest_of(covered) != digest_at(bytes, covered.size()))
    return damaged("its checksum does not match");

  std::string_view rest = covered.substr(kHeaderBytes);
  auto take = [&rest](int64_t size) {
    std::string_view section = rest.substr(0, static_cast<size_t>(size));
    rest.remove_prefix(section.size());
    return section;
  };
  std::string_view parts_bytes = take(header.parts_bytes);
  if (digest_of(parts_bytes) != header.key)
    return damaged("its key does not match its parts");
  DecodedEntry entry;
  TEGULA_TRY(entry.parts, decode_parts(parts_bytes));
  entry.kernel.kind = header.kind;
  entry.kernel.metadata = take(header.metadata_bytes);
  entry.kernel.image = take(header.image_bytes);
  if (entry.kernel.image.empty())
    return damaged("it holds no image");
  return entry;
}

} // namespace tegula
