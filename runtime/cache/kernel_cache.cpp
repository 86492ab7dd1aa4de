// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The order in which memory, disk, other threads, other processes and the compiler are asked.
#include "runtime/cache/kernel_cache.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <optional>
#include <thread>

#include <fmt/format.h>

#include "runtime/cache/disk_store.h"
#include "runtime/cache/memory_table.h"
#include "runtime/cache/single_flight.h"

namespace tegula {
namespace {

using Entry = std::shared_ptr<const CacheEntry>;
using std::chrono::steady_clock;

/// A waiting process looks again after 1, 2, 4 … 32 ms: a compile takes some hundred.
constexpr std::chrono::milliseconds kFirstPause{1}, kLongestPause{32};

constexpr std::string_view kWayOut = "kernels stay in memory and each process compiles them anew; set TEGULA_CACHE_DIR "
                                     "to a folder that can be written";

Result<CachedKernel> compile_guarded(const KernelCache::Compile &compile) {
  try {
    Result<CachedKernel> kernel = compile();
    if (kernel.ok() && kernel->image.empty())
      return Error(ErrorCode::internal, "the compile of a kernel gave an empty image");
    return kernel;
  } catch (const std::exception &thrown) {
    return Error(ErrorCode::internal, fmt::format("the compile of a kernel threw: {}", thrown.what()));
  }
}

} // namespace

class KernelCache::State {
public:
  State(const Environment &environment, CacheOptions options)
      : directory_(locate_cache(options.directory, environment)), warn_(std::move(options.warn)),
        longest_wait_(options.longest_wait) {
    if (options.max_bytes <= 0)
      directory_ = {.source = "option", .problem = "max_bytes is 0: memory only"};
    else if (!directory_.path.empty())
      disk_.emplace(directory_, options.max_bytes, std::move(options.before_step));
    wants_disk_ = options.max_bytes > 0;
  }

  Result<CacheAnswer> get_or_compile(const CacheKey &key, const Compile &compile);
  Entry find_in_memory(const CacheKey &key) const;
  Entry find_on_disk(const CacheKey &key);

  const CacheDirectory &directory() const { return directory_; }
  const std::optional<DiskStore> &disk() const { return disk_; }
  CacheCounts counts() const { return {memory_hits_.load(), disk_hits_.load(), compiles_.load()}; }
  void count_memory_hit() { memory_hits_.fetch_add(1, std::memory_order_relaxed); }
  void clear_memory() { memory_.clear(); }

private:
  Result<CacheAnswer> load_or_compile(const CacheKey &key, const Compile &compile);
  Result<CacheAnswer> compile_and_keep(const CacheKey &key, const Compile &compile);
  Entry wait_for_turn(const CacheKey &key, KeyLock &lock);
  Entry keep(const CacheKey &key, CachedKernel kernel);

  void warn_once(std::atomic<bool> &warned, const std::string &line) {
    if (!warned.exchange(true) && warn_)
      warn_("kernel cache: " + line);
  }
  void warn_of_disk(std::string_view trouble) { warn_once(warned_of_disk_, fmt::format("{}; {}", trouble, kWayOut)); }

  CacheDirectory directory_;
  std::function<void(std::string_view)> warn_;
  std::chrono::milliseconds longest_wait_;
  bool wants_disk_ = false;
  std::optional<DiskStore> disk_;
  MemoryTable<const CacheEntry> memory_;
  SingleFlight<CacheAnswer> flights_;
  std::atomic<bool> warned_of_disk_ = false, warned_of_damage_ = false;
  std::atomic<int64_t> memory_hits_ = 0, disk_hits_ = 0, compiles_ = 0;
};

Entry KernelCache::State::find_in_memory(const CacheKey &key) const {
  Entry entry = memory_.find(key.digest());
  return entry && entry->key == key ? entry : nullptr;
}

Entry KernelCache::State::keep(const CacheKey &key, CachedKernel kernel) {
  auto entry = std::make_shared<const CacheEntry>(CacheEntry{key, std::move(kernel)});
  Entry first = memory_.insert(key.digest(), entry);
  return first->key == key ? first : entry; // Two keys of one digest: the second is not kept.
}

Entry KernelCache::State::find_on_disk(const CacheKey &key) {
  if (!disk_)
    return nullptr;
  LoadOutcome found = disk_->load(key);
  switch (found.state) {
  case LoadOutcome::State::hit:
    disk_hits_.fetch_add(1, std::memory_order_relaxed);
    return keep(key, std::move(found.kernel));
  case LoadOutcome::State::absent: return nullptr;
  case LoadOutcome::State::damaged:
    warn_once(warned_of_damage_, found.reason + "; it is compiled anew. 'tegula cache verify' finds all such entries");
    return nullptr;
  case LoadOutcome::State::unreadable: warn_of_disk(found.reason); return nullptr;
  }
  return nullptr;
}

Result<CacheAnswer> KernelCache::State::get_or_compile(const CacheKey &key, const Compile &compile) {
  if (Entry entry = find_in_memory(key)) {
    count_memory_hit();
    return CacheAnswer{std::move(entry), CacheSource::memory};
  }
  Result<CacheAnswer> answer = flights_.run(key.digest(), longest_wait_, [&] { return load_or_compile(key, compile); });
  if (answer.ok() && answer->entry->key != key)
    return load_or_compile(key, compile); // Flew along with another key of the same digest.
  return answer;
}

Result<CacheAnswer> KernelCache::State::load_or_compile(const CacheKey &key, const Compile &compile) {
  if (Entry entry = find_in_memory(key))
    return CacheAnswer{std::move(entry), CacheSource::memory}; // Another flight has just landed.
  if (!disk_) {
    if (wants_disk_)
      warn_of_disk(directory_.problem);
    return compile_and_keep(key, compile);
  }
  if (Entry entry = find_on_disk(key))
    return CacheAnswer{std::move(entry), CacheSource::disk};
  KeyLock lock = disk_->lock(key);
  if (Entry entry = wait_for_turn(key, lock))
    return CacheAnswer{std::move(entry), CacheSource::disk};
  return compile_and_keep(key, compile);
}

/// The entry, if another process publishes it before it is our turn; else null, with the lock if it could be had.
Entry KernelCache::State::wait_for_turn(const CacheKey &key, KeyLock &lock) {
  steady_clock::time_point deadline = steady_clock::now() + longest_wait_;
  std::chrono::milliseconds pause = kFirstPause;
  while (lock.attempt() == KeyLock::State::busy) {
    if (Entry entry = find_on_disk(key))
      return entry;
    if (steady_clock::now() >= deadline)
      return nullptr;
    std::this_thread::sleep_for(pause);
    pause = std::min(2 * pause, kLongestPause);
  }
  // Whoever had the lock, just now or before we first tried, may have published.
  return find_on_disk(key);
}

Result<CacheAnswer> KernelCache::State::compile_and_keep(const CacheKey &key, const Compile &compile) {
  TEGULA_TRY(CachedKernel kernel, compile_guarded(compile));
  compiles_.fetch_add(1, std::memory_order_relaxed);
  if (disk_)
    if (Result<void> published = disk_->publish(key, kernel); !published)
      warn_of_disk(published.error().message());
  return CacheAnswer{keep(key, std::move(kernel)), CacheSource::compiled};
}

KernelCache::KernelCache(std::unique_ptr<State> state) : state_(std::move(state)) {}
KernelCache::KernelCache(KernelCache &&) noexcept = default;
KernelCache &KernelCache::operator=(KernelCache &&) noexcept = default;
KernelCache::~KernelCache() = default;

KernelCache KernelCache::open(const Environment &environment, CacheOptions options) {
  return KernelCache(std::make_unique<State>(environment, std::move(options)));
}

Result<CacheAnswer> KernelCache::get_or_compile(const CacheKey &key, const Compile &compile) {
  return state_->get_or_compile(key, compile);
}

Entry KernelCache::find_in_memory(const CacheKey &key) const { return state_->find_in_memory(key); }

Entry KernelCache::find(const CacheKey &key) {
  Entry entry = state_->find_in_memory(key);
  if (entry)
    state_->count_memory_hit();
  return entry ? entry : state_->find_on_disk(key);
}

const CacheDirectory &KernelCache::directory() const { return state_->directory(); }

CacheCounts KernelCache::counts() const { return state_->counts(); }

Result<std::vector<EntryInfo>> KernelCache::list() const {
  if (!state_->disk())
    return std::vector<EntryInfo>();
  return list_entries(*state_->disk());
}

Result<VerifyReport> KernelCache::verify() const {
  if (!state_->disk())
    return VerifyReport();
  return verify_entries(*state_->disk());
}

Result<ClearReport> KernelCache::clear() {
  state_->clear_memory();
  if (!state_->disk())
    return ClearReport();
  return clear_entries(*state_->disk());
}

} // namespace tegula
