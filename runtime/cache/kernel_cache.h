// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The kernel cache: compiled kernels in memory and on disk, one compile a machine. This header is its manual; how
// entries lie on disk is in entry_format.h and cache_files.h, the table for launches in memory_table.h.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/cache/cache_directory.h"
#include "runtime/cache/cache_key.h"
#include "runtime/cache/entry_format.h"
#include "runtime/cache/inventory.h"
#include "runtime/cache/io_step.h"
#include "runtime/environment/environment.h"
#include "runtime/result/result.h"

namespace tegula {

struct CacheOptions {
  /// The folder; empty: as the environment says (locate_cache).
  std::string directory = {};
  /// What all entries on disk may take together, each counted in blocks of 4 KiB. Those used longest ago go first. 0 or
  /// less: no disk, memory only.
  int64_t max_bytes = int64_t{4} << 30;
  /// Gets each warning, one line without a full stop, from whichever thread meets the trouble. Empty: they are dropped.
  std::function<void(std::string_view)> warn = {};
  /// How long to wait for another process or thread that compiles the same kernel, before compiling it as well.
  std::chrono::milliseconds longest_wait = std::chrono::minutes(2);
  /// For tests: see io_step.h.
  FaultHook before_step = {};
};

/// A compiled kernel and the key it was found under. Immutable, shared, alive as long as anybody holds it.
struct CacheEntry {
  CacheKey key;
  CachedKernel kernel;
};

enum class CacheSource { memory, disk, compiled };

struct CacheAnswer {
  std::shared_ptr<const CacheEntry> entry; ///< never null
  CacheSource source;
};

/// How often each way was taken since the cache was opened, by this process.
struct CacheCounts {
  int64_t memory_hits = 0;
  int64_t disk_hits = 0;
  int64_t compiles = 0;
};

/// What keeps kernels from being compiled twice, by threads, processes and days.
///
/// - An entry on disk is one file with a checksum. It is used only if all of it is sound and all parts of its key are
///   equal; anything else counts as absent, is compiled anew and replaced.
/// - Of threads and processes that want one missing kernel at once, one compiles and the others wait for it. A process
///   that dies frees its lock by dying. A failed compile is not kept; those that waited in the same process share its
///   error.
/// - Nothing that is wrong with the disk is an error: the kernel is compiled and kept in memory, and one warning for
///   each cache object says what, where, and which variable names another folder.
/// - It has no threads and no global state, opens no file before it is asked for a kernel, and may be used in a child
///   after a fork. All members may be called from many threads at once.
///
///     KernelCache cache = KernelCache::open(read_environment(), {.warn = print_line});
///     TEGULA_TRY(CacheAnswer found, cache.get_or_compile(key, [&] { return compile(kernel); }));
///     load(found.entry->kernel.image);
class KernelCache {
public:
  using Compile = std::function<Result<CachedKernel>()>;

  /// Never fails and touches no file: a folder that can't be used is noticed, and warned of, when it is needed.
  [[nodiscard]] static KernelCache open(const Environment &environment, CacheOptions options = {});
  KernelCache(KernelCache &&) noexcept;
  KernelCache &operator=(KernelCache &&) noexcept;
  ~KernelCache();

  /// The kernel, from memory, from disk or from `compile`. There is no way around the cache: an explicit compile asks
  /// here too, and so finds what an earlier process has made.
  /// \param compile  called at most once, without any lock of this process held. It must not ask for its own key.
  /// \errors  those of `compile`; internal, if it throws, gives an empty image or asks for its own key.
  [[nodiscard]] Result<CacheAnswer> get_or_compile(const CacheKey &key, const Compile &compile);

  /// The kernel if memory or disk have it, else null.
  [[nodiscard]] std::shared_ptr<const CacheEntry> find(const CacheKey &key);

  /// The kernel if memory has it, else null. No file is opened, nothing allocated, no lock taken: fit for a launch, and
  /// for a graph capture.
  [[nodiscard]] std::shared_ptr<const CacheEntry> find_in_memory(const CacheKey &key) const;

  /// Where the entries lie, or why nowhere. For `tegula cache path` and `tegula doctor`.
  [[nodiscard]] const CacheDirectory &directory() const;
  [[nodiscard]] CacheCounts counts() const;

  /// As in inventory.h; without a folder there are no entries. `clear` empties memory as well.
  [[nodiscard]] Result<std::vector<EntryInfo>> list() const;
  [[nodiscard]] Result<VerifyReport> verify() const;
  [[nodiscard]] Result<ClearReport> clear();

private:
  class State;
  explicit KernelCache(std::unique_ptr<State> state);

  std::unique_ptr<State> state_;
};

} // namespace tegula
