// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Keeps the cache's folder within its bytes: a running account that costs one small write an entry, and a sweep over
// all entries, oldest use first, only when the account says that the bound is passed.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "runtime/cache/file_system.h"

namespace tegula {

class SizeBound {
public:
  SizeBound(const FileSystem &files, int64_t max_bytes) : files_(files), max_bytes_(max_bytes) {}

  /// What a file of this size is counted as: whole blocks of 4 KiB.
  [[nodiscard]] static int64_t charged_bytes(int64_t file_bytes);
  /// Whether a sweep would leave room for such a file.
  [[nodiscard]] bool fits(int64_t file_bytes) const { return charged_bytes(file_bytes) <= low_water(); }

  /// Notes that a file of this size is about to appear. Noted before and not after: a writer killed in between leaves
  /// an account that is too high, which the next sweep puts right; one too low would let the folder grow.
  void account(const std::string &root, int64_t file_bytes) const;

  /// Whether it is time to sweep: the bound is passed, or the account is missing, damaged or long.
  [[nodiscard]] bool is_due(const std::string &root) const;

  /// Removes what dead writers left and, if the bound is passed, the entries used longest ago, down to nine tenths of
  /// it. Returns at once if another process is sweeping.
  void sweep(const std::string &root) const;

private:
  struct Candidate {
    std::string shard, name;
    int64_t used_ns;
    int64_t bytes;
  };

  [[nodiscard]] int64_t low_water() const { return max_bytes_ - max_bytes_ / 10; }
  int64_t evict(const std::string &root, std::vector<Candidate> entries, int64_t total) const;
  void restart_account(const std::string &root, int64_t total) const;

  const FileSystem &files_;
  int64_t max_bytes_;
};

/// Removes a temporary whose writer is dead (nobody holds its lock). \returns whether it did.
bool remove_if_orphaned(const FileSystem &files, const Descriptor &directory, const std::string &name);

} // namespace tegula
