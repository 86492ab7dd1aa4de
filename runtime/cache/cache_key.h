// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What decides a kernel's code, part by part. Whoever compiles names the parts; the cache only compares them.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/cache/digest.h"
#include "runtime/result/result.h"

namespace tegula {

/// One thing that a kernel's code depends on, e.g. {"target", "sm_90a"}.
struct KeyPart {
  std::string name;
  std::string value;

  friend bool operator==(const KeyPart &, const KeyPart &) = default;
};

/// The name of a compiled kernel: its parts, and their digest. A value; dear to make, cheap to copy and to look up by.
class CacheKey {
public:
  /// \param parts  in any order. Five must be there: "kernel" (its IR, or whatever fixes it), "schedule" (the one that
  ///               may be empty), "target", "compiler" (version and build) and "assembler" (what turns PTX into a
  ///               cubin, with its version, or that the driver does). More are welcome, "flags" for one; nothing that
  ///               can't change the code belongs in.
  /// \errors  bad_argument, listing each part that is missing, empty or given twice.
  ///     TEGULA_TRY(CacheKey key, CacheKey::of({{"kernel", ir}, {"schedule", s}, {"target", "sm_90a"},
  ///                                            {"compiler", build_id}, {"assembler", "ptxas 13.0.88"}}));
  [[nodiscard]] static Result<CacheKey> of(std::vector<KeyPart> parts);

  [[nodiscard]] const Digest &digest() const { return digest_; }
  /// The digest as 32 hexadecimal digits; the entry's file is named by it.
  [[nodiscard]] std::string hex() const { return tegula::hex(digest_); }
  /// In the order of their names.
  [[nodiscard]] std::span<const KeyPart> parts() const { return *parts_; }

  friend bool operator==(const CacheKey &a, const CacheKey &b) {
    return a.digest_ == b.digest_ && (a.parts_ == b.parts_ || *a.parts_ == *b.parts_);
  }

private:
  explicit CacheKey(std::vector<KeyPart> parts);

  std::shared_ptr<const std::vector<KeyPart>> parts_; // Shared by copies, which so are equal at a glance.
  Digest digest_;
};

/// The parts as bytes: counts and lengths before texts, so that no two lists of parts share an encoding. A key's digest
/// is taken of these bytes.
[[nodiscard]] std::string encode_parts(std::span<const KeyPart> parts);

/// \errors  io_error, saying what is wrong with the bytes.
[[nodiscard]] Result<std::vector<KeyPart>> decode_parts(std::string_view bytes);

} // namespace tegula
