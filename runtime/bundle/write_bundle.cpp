// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Adds kernels to a folder's bundle and packs a folder into one file.
#include <algorithm>
#include <cctype>
#include <map>
#include <set>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include "runtime/bundle/bundle.h"
#include "runtime/bundle/bundle_index.h"
#include "runtime/bundle/embed_header.h"
#include "runtime/bundle/packed_bundle.h"
#include "runtime/result/complaints.h"

namespace tegula {
namespace {

// Two compilers that add to one folder at once must not lose each other's entry. Gone with the process.
class FolderLock {
public:
  explicit FolderLock(const std::filesystem::path &folder)
      : file_(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
    if (file_ >= 0)
      (void)flock(file_, LOCK_EX);
  }
  ~FolderLock() {
    if (file_ >= 0)
      close(file_);
  }
  FolderLock(const FolderLock &) = delete;
  FolderLock &operator=(const FolderLock &) = delete;

private:
  int file_;
};

std::span<const std::byte> bytes_of(std::string_view text) { return std::as_bytes(std::span(text)); }

std::string file_name(std::string_view text) {
  std::string name(text);
  for (char &c : name)
    if (!std::isalnum(static_cast<unsigned char>(c)) && c != '_' && c != '-' && c != '.')
      c = '_';
  return name;
}

bool same_slot(const KernelManifest &a, const KernelManifest &b) {
  return a.kernel == b.kernel && a.arch == b.arch && a.schedule == b.schedule;
}

// gemm.sm_90a; where another schedule has that name already, gemm.sm_90a-1f2e3d4c.
std::string choose_stem(const BundleIndex &index, const KernelManifest &manifest) {
  std::string plain = file_name(fmt::format("{}.{}", manifest.kernel, manifest.arch));
  for (const IndexEntry &entry : index.entries)
    if (same_slot(entry.manifest, manifest))
      return entry.stem;
  bool taken = std::any_of(index.entries.begin(), index.entries.end(),
                           [&](const IndexEntry &entry) { return entry.stem == plain; });
  return taken ? plain + "-" + checksum_of(bytes_of(schedule_key(manifest))).substr(0, 8) : plain;
}

Result<BundleIndex> read_index(const std::filesystem::path &folder) {
  auto text = read_file(folder / kIndexFile);
  if (!text && text.error().code() == ErrorCode::not_found)
    return BundleIndex();
  if (!text)
    return std::move(text).error();
  auto index = parse_index({reinterpret_cast<const char *>(text->data()), text->size()});
  if (!index)
    return std::move(index).error().while_doing((folder / kIndexFile).string());
  return index;
}

// A kernel that lacks an architecture which another one has would fail on that device alone, later.
Result<void> check_complete(const BundleIndex &index) {
  std::set<std::string> archs;
  std::map<std::string, std::set<std::string>> by_kernel;
  for (const IndexEntry &entry : index.entries) {
    archs.insert(entry.manifest.arch);
    by_kernel[entry.manifest.kernel].insert(entry.manifest.arch);
  }
  Complaints wrong;
  for (const auto &[kernel, has] : by_kernel)
    for (const std::string &arch : archs)
      if (!has.contains(arch))
        wrong.add(fmt::format("kernel '{}' was not compiled for {}, which others were", kernel, arch));
  return wrong.verdict("cannot pack the bundle");
}

Result<BundleBlob> write_blob(const std::filesystem::path &folder, const std::string &file,
                              std::span<const std::byte> bytes, std::vector<std::filesystem::path> &written) {
  if (bytes.empty())
    return BundleBlob();
  TEGULA_CHECK(write_file(folder / file, bytes));
  written.push_back(folder / file);
  return BundleBlob{.file = file, .bytes = static_cast<int64_t>(bytes.size()), .checksum = checksum_of(bytes)};
}

} // namespace

Result<std::vector<std::filesystem::path>> add_to_bundle(const std::filesystem::path &folder,
                                                         const BundleEntry &entry) {
  TEGULA_CHECK(validate(entry.manifest));
  if (entry.cubin.empty() && entry.ptx.empty())
    return Error(ErrorCode::bad_argument, fmt::format("'{}' has neither a cubin nor PTX", entry.manifest.kernel));
  std::error_code failed;
  std::filesystem::create_directories(folder, failed);
  if (failed)
    return Error(ErrorCode::io_error, fmt::format("cannot make the folder {}: {}", folder.string(), failed.message()));
  FolderLock lock(folder);
  TEGULA_TRY(BundleIndex index, read_index(folder));

  std::vector<std::filesystem::path> written;
  IndexEntry added{.stem = choose_stem(index, entry.manifest), .manifest = entry.manifest, .cubin = {}, .ptx = {}};
  TEGULA_TRY(added.cubin, write_blob(folder, added.stem + ".cubin", entry.cubin, written));
  TEGULA_TRY(added.ptx, write_blob(folder, added.stem + ".ptx", bytes_of(entry.ptx), written));
  const auto image = entry.cubin.empty() ? bytes_of(entry.ptx) : std::span<const std::byte>(entry.cubin);
  for (const auto &[ending, text] : {std::pair<std::string, std::string>{".json", to_json(entry.manifest)},
                                     {".h", embed_header(entry.manifest, image)}}) {
    TEGULA_CHECK(write_file(folder / (added.stem + ending), bytes_of(text)));
    written.push_back(folder / (added.stem + ending));
  }

  auto old = std::find_if(index.entries.begin(), index.entries.end(),
                          [&](const IndexEntry &e) { return same_slot(e.manifest, entry.manifest); });
  if (old != index.entries.end())
    *old = std::move(added);
  else
    index.entries.push_back(std::move(added));
  // Last, when all that it names is there.
  TEGULA_CHECK(write_file(folder / kIndexFile, bytes_of(to_json(index))));
  written.push_back(folder / kIndexFile);
  return written;
}

Result<void> pack_bundle(const std::filesystem::path &folder, const std::filesystem::path &file) {
  TEGULA_TRY(Bundle bundle, Bundle::open(folder));
  TEGULA_TRY(BundleIndex index, read_index(folder));
  TEGULA_CHECK(check_complete(index));
  std::string blobs;
  auto pack = [&](BundleBlob &blob, std::string_view bytes) {
    if (!blob.present())
      return;
    blob.offset = static_cast<int64_t>(blobs.size());
    blob.file.clear();
    blobs += bytes;
  };
  for (size_t i = 0; i < index.entries.size(); ++i) {
    TEGULA_TRY(BundleEntry entry, bundle.read(i));
    pack(index.entries[i].cubin, {reinterpret_cast<const char *>(entry.cubin.data()), entry.cubin.size()});
    pack(index.entries[i].ptx, entry.ptx);
  }
  return write_file(file, bytes_of(join_packed(to_json(index), blobs)));
}

} // namespace tegula
