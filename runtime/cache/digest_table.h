// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The hash table that launches look kernels up in: readers take no lock, allocate nothing and never wait. Knows shared
// pointers to anything; MemoryTable gives them back their type.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "runtime/cache/digest.h"
#include "runtime/cache/process_local.h"

namespace tegula {

/// Values are added and all are cleared; none is replaced or removed alone. So a reader needs only that the slots it
/// looks at outlive its look, which lasts some nanoseconds: it counts itself in and out of one of 16 counters, each on
/// a cache line of its own and shared by a sixteenth of the threads. Slots that were exchanged (by growth or `clear`)
/// are freed at a later change, once every counter has been seen at zero after the exchange: whoever counts itself in
/// after that finds the new slots. A child forked while another thread was inside never sees that zero: it frees them
/// at its end.
class DigestTable {
public:
  DigestTable();
  DigestTable(const DigestTable &) = delete;
  DigestTable &operator=(const DigestTable &) = delete;
  /// No other thread may be inside.
  ~DigestTable();

  /// The value, or null. Two atomic additions on a counter, a probe, one more for the shared pointer.
  [[nodiscard]] std::shared_ptr<void> find(const Digest &key) const noexcept;

  /// Adds the value, unless the key has one: the first stays. \returns the one that is there.
  std::shared_ptr<void> insert(const Digest &key, std::shared_ptr<void> value);

  /// Forgets all values. Whoever holds one keeps it; the table's own hold ends now or at the next change.
  void clear();

  [[nodiscard]] int64_t size() const;

private:
  struct Node;
  struct Slots;
  struct Retired;
  struct Writers {
    std::mutex mutex;
    std::vector<Retired> retired;
    Writers();
    ~Writers();
  };
  struct alignas(64) Counter {
    std::atomic<uint32_t> readers = 0;
  };

  static constexpr size_t kCounters = 16;

  Counter &counter_of_this_thread() const;
  [[nodiscard]] std::vector<Retired> take_unread(Writers &writers) const;

  mutable std::array<Counter, kCounters> counters_;
  std::atomic<Slots *> current_;
  ProcessLocal<Writers> writers_;
};

} // namespace tegula
