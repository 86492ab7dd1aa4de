// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Global memory in one reserved, lazily committed range. Freed ranges are not reused while fresh ones last, so that a
// use after free is told apart from a use of something newer.
#include "runtime/emulator/machine/memory.h"

#include <sys/mman.h>

#include <vector>

namespace tegula::emulator {
namespace {
constexpr uint64_t kGuard = 512; // bytes between two allocations that belong to nobody
constexpr uint64_t kPage = 4096;
uint64_t round_up(uint64_t v, uint64_t a) { return (v + a - 1) / a * a; }
} // namespace

GlobalMemory::GlobalMemory() {
  for (uint64_t size = uint64_t{1} << 41; size >= (uint64_t{1} << 30) && !arena_; size /= 2) {
    void *p = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p != MAP_FAILED) {
      arena_ = reinterpret_cast<uint64_t>(p);
      reserved_ = size;
    }
  }
  next_ = arena_ + kPage;
}

GlobalMemory::~GlobalMemory() {
  if (arena_)
    munmap(reinterpret_cast<void *>(arena_), reserved_);
}

uint64_t GlobalMemory::allocate(uint64_t bytes, uint64_t align, std::string name) {
  std::unique_lock lock(mutex_);
  if (bytes == 0 || bytes > capacity_ - used_)
    return 0;
  uint64_t base = round_up(next_, align < 512 ? 512 : align);
  if (base + bytes + kGuard > arena_ + reserved_) {
    // Fresh addresses are used up: forget what was freed and take the first gap that is wide enough.
    for (auto it = allocations_.begin(); it != allocations_.end();)
      it = it->second.live ? std::next(it) : allocations_.erase(it);
    base = round_up(arena_ + kPage, align < 512 ? 512 : align);
    for (const auto &[b, a] : allocations_) {
      if (!owns(b))
        continue;
      if (base + bytes + kGuard <= b)
        break;
      base = round_up(b + a.bytes + kGuard, align < 512 ? 512 : align);
    }
    if (base + bytes + kGuard > arena_ + reserved_)
      return 0;
  } else {
    next_ = base + bytes + kGuard;
  }
  Allocation a;
  a.base = base;
  a.bytes = bytes;
  a.name = name.empty() ? "buffer " + std::to_string(++count_) : std::move(name);
  used_ += bytes;
  allocations_[base] = std::move(a);
  return base;
}

bool GlobalMemory::release(uint64_t base) {
  std::unique_lock lock(mutex_);
  auto it = allocations_.find(base);
  if (it == allocations_.end() || !it->second.live || it->second.host)
    return false;
  it->second.live = false;
  used_ -= it->second.bytes;
  uint64_t lo = round_up(base, kPage), hi = (base + it->second.bytes) / kPage * kPage;
  if (hi > lo)
    madvise(reinterpret_cast<void *>(lo), hi - lo, MADV_DONTNEED);
  return true;
}

void GlobalMemory::adopt_host(uint64_t base, uint64_t bytes) {
  std::unique_lock lock(mutex_);
  Allocation a;
  a.base = base;
  a.bytes = bytes;
  a.host = true;
  a.name = "host buffer " + std::to_string(++count_);
  allocations_[base] = std::move(a);
}

bool GlobalMemory::drop_host(uint64_t base) {
  std::unique_lock lock(mutex_);
  auto it = allocations_.find(base);
  if (it == allocations_.end() || !it->second.host)
    return false;
  allocations_.erase(it);
  return true;
}

void GlobalMemory::set_read_only(uint64_t base) {
  std::unique_lock lock(mutex_);
  if (auto it = allocations_.find(base); it != allocations_.end())
    it->second.read_only = true;
}

std::optional<Allocation> GlobalMemory::find(uint64_t address) const {
  std::shared_lock lock(mutex_);
  auto it = allocations_.upper_bound(address);
  if (it == allocations_.begin())
    return std::nullopt;
  --it;
  if (address - it->second.base >= it->second.bytes)
    return std::nullopt;
  return it->second;
}

bool GlobalMemory::valid(uint64_t address, uint64_t bytes) const {
  auto a = find(address);
  return a && a->live && bytes <= a->bytes - (address - a->base);
}

std::string GlobalMemory::describe(uint64_t address) const {
  if (auto a = find(address))
    return "byte " + std::to_string(address - a->base) + " of " + a->name + " (" + std::to_string(a->bytes) + " bytes" +
           (a->live ? ")" : ", already freed)");
  std::shared_lock lock(mutex_);
  auto it = allocations_.upper_bound(address);
  if (it != allocations_.begin()) {
    const Allocation &a = std::prev(it)->second;
    if (address - a.base - a.bytes < (uint64_t{1} << 30))
      return std::to_string(address - a.base - a.bytes) + " bytes past the end of " + a.name + " (" +
             std::to_string(a.bytes) + " bytes)";
  }
  if (it != allocations_.end() && it->second.base - address < (uint64_t{1} << 30))
    return std::to_string(it->second.base - address) + " bytes before " + it->second.name;
  return address < 65536 ? "near null" : "in no allocation";
}

} // namespace tegula::emulator
