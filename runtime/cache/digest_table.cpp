// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Open addressing with linear probing, at most half full; slots go from empty to full once and never back.
#include "runtime/cache/digest_table.h"

#include <pthread.h>

namespace tegula {

struct DigestTable::Node {
  Digest key;
  std::shared_ptr<void> value;
};

struct DigestTable::Slots {
  explicit Slots(size_t size) : mask(size - 1), nodes(std::make_unique<std::atomic<Node *>[]>(size)) {}

  /// The node of this key, or null; `free` is then the slot where it would go.
  Node *probe(const Digest &key, size_t &free) const {
    for (size_t i = key.low & mask;; i = (i + 1) & mask) {
      Node *node = nodes[i].load(std::memory_order_acquire);
      if (!node || node->key == key) {
        free = i;
        return node;
      }
    }
  }

  size_t mask;
  std::atomic<size_t> used = 0;
  std::unique_ptr<std::atomic<Node *>[]> nodes; // The Slots that are current own them; growth hands them on.
};

/// Slots that readers may still look at, and the counters not yet seen at zero since they were exchanged.
struct DigestTable::Retired {
  std::unique_ptr<Slots> slots;
  bool with_nodes;
  uint32_t unseen = (1u << kCounters) - 1;

  Retired(std::unique_ptr<Slots> slots, bool with_nodes) : slots(std::move(slots)), with_nodes(with_nodes) {}
  Retired(Retired &&) = default;
  Retired &operator=(Retired &&) = default;
  ~Retired() {
    for (size_t i = 0; slots && with_nodes && i <= slots->mask; ++i)
      std::unique_ptr<Node>(slots->nodes[i].load(std::memory_order_relaxed)).reset();
  }
};

namespace {

constexpr size_t kFirstSlots = 64;

} // namespace

DigestTable::Writers::Writers() = default;
DigestTable::Writers::~Writers() = default;

DigestTable::DigestTable() : current_(std::make_unique<Slots>(kFirstSlots).release()) {}

DigestTable::~DigestTable() { Retired(std::unique_ptr<Slots>(current_.load()), true); }

DigestTable::Counter &DigestTable::counter_of_this_thread() const {
  // A thread's descriptor is its own and page-aligned; the multiplication spreads its upper bits over the counters.
  auto thread = static_cast<uint64_t>(::pthread_self());
  return counters_[thread * 0x9e3779b97f4a7c15u >> 60];
}

std::shared_ptr<void> DigestTable::find(const Digest &key) const noexcept {
  // Both sequentially consistent, as is the exchange that retires slots: either the writer sees this reader counted, or
  // this reader sees the writer's new slots.
  std::atomic<uint32_t> &readers = counter_of_this_thread().readers;
  readers.fetch_add(1, std::memory_order_seq_cst);
  size_t slot;
  const Node *node = current_.load(std::memory_order_seq_cst)->probe(key, slot);
  std::shared_ptr<void> value = node ? node->value : nullptr;
  readers.fetch_sub(1, std::memory_order_release);
  return value;
}

std::shared_ptr<void> DigestTable::insert(const Digest &key, std::shared_ptr<void> value) {
  Writers &writers = writers_.get();
  std::vector<Retired> unread; // Outlives the lock: values are let go outside of it.
  std::lock_guard lock(writers.mutex);
  Slots *slots = current_.load();
  size_t slot;
  if (Node *node = slots->probe(key, slot))
    return node->value;

  if (size_t used = slots->used.load(); 2 * (used + 1) > slots->mask + 1) {
    auto grown = std::make_unique<Slots>(2 * (slots->mask + 1));
    grown->used = used;
    for (size_t i = 0; i <= slots->mask; ++i)
      if (Node *node = slots->nodes[i].load()) {
        grown->probe(node->key, slot);
        grown->nodes[slot].store(node, std::memory_order_relaxed);
      }
    std::unique_ptr<Slots> old(current_.exchange(grown.get()));
    slots = grown.release();
    writers.retired.emplace_back(std::move(old), false);
    slots->probe(key, slot);
  }
  auto node = std::make_unique<Node>(Node{key, std::move(value)});
  std::shared_ptr<void> answer = node->value;
  slots->used.fetch_add(1);
  slots->nodes[slot].store(node.release(), std::memory_order_release);
  unread = take_unread(writers);
  return answer;
}

void DigestTable::clear() {
  Writers &writers = writers_.get();
  std::vector<Retired> unread;
  std::lock_guard lock(writers.mutex);
  auto fresh = std::make_unique<Slots>(kFirstSlots);
  std::unique_ptr<Slots> old(current_.exchange(fresh.get()));
  (void)fresh.release();
  writers.retired.emplace_back(std::move(old), true);
  unread = take_unread(writers);
}

int64_t DigestTable::size() const {
  std::atomic<uint32_t> &readers = counter_of_this_thread().readers;
  readers.fetch_add(1, std::memory_order_seq_cst);
  auto used = static_cast<int64_t>(current_.load(std::memory_order_seq_cst)->used.load());
  readers.fetch_sub(1, std::memory_order_release);
  return used;
}

std::vector<DigestTable::Retired> DigestTable::take_unread(Writers &writers) const {
  uint32_t idle = 0;
  for (size_t i = 0; i < kCounters; ++i)
    if (counters_[i].readers.load(std::memory_order_seq_cst) == 0)
      idle |= 1u << i;
  std::vector<Retired> unread, kept;
  for (Retired &retired : writers.retired) {
    retired.unseen &= ~idle;
    (retired.unseen == 0 ? unread : kept).push_back(std::move(retired));
  }
  writers.retired = std::move(kept);
  return unread;
}

} // namespace tegula
