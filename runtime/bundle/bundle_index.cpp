// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The index as JSON, checksums, and files written whole.
#include "runtime/bundle/bundle_index.h"

#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/json/json_object.h"

namespace tegula {
namespace {

// Raised when an older runtime couldn't read the bundle rightly.
constexpr int kFormat = 1;

Json write_blob(const BundleBlob &blob) {
  return {{"file", blob.file}, {"offset", blob.offset}, {"bytes", blob.bytes}, {"checksum", blob.checksum}};
}

BundleBlob read_blob(JsonObject &from) {
  BundleBlob blob;
  blob.file = from.string("file");
  blob.offset = from.integer("offset", 0);
  blob.bytes = from.integer("bytes", 0);
  blob.checksum = from.string("checksum");
  // A name from a file must not lead out of the folder.
  if (blob.file.find('/') != std::string::npos || blob.file == "..")
    from.complain("file", "is '" + blob.file + "'; it must be a name without folders");
  return blob;
}

Error io(std::string_view doing, const std::filesystem::path &path, int reason) {
  return Error(reason == ENOENT && doing == "read" ? ErrorCode::not_found : ErrorCode::io_error,
               fmt::format("cannot {} {}: {}", doing, path.string(), std::strerror(reason)));
}

int write_all(int to, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    ssize_t put = write(to, bytes.data(), bytes.size());
    if (put < 0 && errno != EINTR)
      return errno;
    bytes = bytes.subspan(put > 0 ? static_cast<size_t>(put) : 0);
  }
  return 0;
}

} // namespace

std::string to_json(const BundleIndex &index) {
  Json json;
  json["tegula_bundle"] = kFormat;
  json["entries"] = Json::array();
  for (const IndexEntry &entry : index.entries)
    json["entries"].push_back({{"stem", entry.stem},
                               // As text, so that the manifest has one reader and one writer.
                               {"manifest", to_json(entry.manifest)},
                               {"cubin", write_blob(entry.cubin)},
                               {"ptx", write_blob(entry.ptx)}});
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

Result<BundleIndex> parse_index(std::string_view text) {
  TEGULA_TRY(Json json, parse_json(text));
  if (json.is_object() && json.contains("tegula_bundle") && json["tegula_bundle"].is_number_integer() &&
      json["tegula_bundle"] != kFormat)
    return Error(ErrorCode::bad_argument,
                 fmt::format("the bundle has format {}, this runtime reads {}; compile it again",
                             json["tegula_bundle"].get<int64_t>(), kFormat));
  Complaints wrong;
  BundleIndex index;
  {
    JsonObject root(json, "", wrong);
    (void)root.integer("tegula_bundle");
    root.each_object("entries", [&](JsonObject &from) {
      IndexEntry entry;
      entry.stem = from.string("stem");
      std::string manifest = from.string("manifest");
      from.object("cubin", [&](JsonObject &blob) { entry.cubin = read_blob(blob); });
      from.object("ptx", [&](JsonObject &blob) { entry.ptx = read_blob(blob); });
      auto parsed = parse_manifest(manifest);
      if (!parsed)
        return from.complain("manifest", parsed.error().message());
      entry.manifest = std::move(*parsed);
      index.entries.push_back(std::move(entry));
    });
  }
  TEGULA_CHECK(wrong.verdict("cannot read the bundle's index"));
  return index;
}

std::string checksum_of(std::span<const std::byte> bytes) {
  uint64_t hash = 0xcbf29ce484222325;
  for (std::byte byte : bytes)
    hash = (hash ^ static_cast<uint64_t>(byte)) * 0x100000001b3;
  return fmt::format("{:016x}", hash);
}

Result<std::vector<std::byte>> read_file(const std::filesystem::path &path) {
  int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0)
    return io("read", path, errno);
  std::vector<std::byte> bytes;
  std::byte buffer[65536];
  int reason = 0;
  for (;;) {
    ssize_t got = read(file, buffer, sizeof buffer);
    if (got < 0 && errno == EINTR)
      continue;
    reason = got < 0 ? errno : 0;
    if (got <= 0)
      break;
    bytes.insert(bytes.end(), buffer, buffer + got);
  }
  close(file);
  if (reason != 0)
    return io("read", path, reason);
  return bytes;
}

Result<void> write_file(const std::filesystem::path &path, std::span<const std::byte> bytes) {
  std::string temporary = path.string() + ".XXXXXX";
  int file = mkostemp(temporary.data(), O_CLOEXEC);
  if (file < 0)
    return io("write", path, errno);
  int reason = write_all(file, bytes);
  // mkostemp makes it private; a bundle is to be read by whoever may read the folder.
  mode_t mask = umask(0);
  umask(mask);
  if (reason == 0 && fchmod(file, 0666 & ~mask) != 0)
    reason = errno;
  if (close(file) != 0 && reason == 0)
    reason = errno;
  if (reason == 0 && rename(temporary.c_str(), path.c_str()) != 0)
    reason = errno;
  if (reason == 0)
    return {};
  unlink(temporary.c_str());
  return io("write", path, reason);
}

} // namespace tegula
