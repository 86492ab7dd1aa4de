// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The frame of a packed bundle.
#include "runtime/bundle/packed_bundle.h"

#include <cstring>

namespace tegula {
namespace {

constexpr std::string_view kMagic = "TEGULAB\n";
constexpr size_t kFrame = kMagic.size() + sizeof(uint64_t);

} // namespace

Result<PackedParts> split_packed(std::string_view file) {
  if (!file.starts_with(kMagic))
    return Error(ErrorCode::bad_argument, "not a bundle: it doesn't begin like one");
  uint64_t length = 0;
  if (file.size() >= kFrame)
    std::memcpy(&length, file.data() + kMagic.size(), sizeof length);
  if (file.size() < kFrame || length > file.size() - kFrame)
    return Error(ErrorCode::bad_argument, "the bundle is damaged: it ends within its index");
  return PackedParts{file.substr(kFrame, length), static_cast<int64_t>(kFrame + length)};
}

std::string join_packed(std::string_view index, std::string_view blobs) {
  const uint64_t length = index.size();
  std::string file(kMagic);
  file.append(reinterpret_cast<const char *>(&length), sizeof length);
  file += index;
  file += blobs;
  return file;
}

} // namespace tegula
