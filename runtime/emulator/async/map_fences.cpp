// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Who changed which tensor map, and who has heard of it.
#include "runtime/emulator/async/map_fences.h"

namespace tegula::emulator {

void MapFences::changed(uint64_t address, const Cta &by, uint32_t line, bool released) {
  std::lock_guard lock(mutex_);
  State &s = maps_[address];
  ++s.version;
  s.writer = &by;
  s.line = line;
  s.released = released;
}

void MapFences::release(const Cta &by) {
  std::lock_guard lock(mutex_);
  for (auto &[address, s] : maps_)
    s.released |= s.writer == &by;
}

void MapFences::acquire(uint64_t address, const Cta &by) {
  std::lock_guard lock(mutex_);
  if (auto it = maps_.find(address); it != maps_.end() && it->second.released)
    acquired_[{&by, address}] = it->second.version;
}

std::string MapFences::objection(uint64_t address, const Cta &by) const {
  std::lock_guard lock(mutex_);
  auto it = maps_.find(address);
  if (it == maps_.end())
    return {};
  const State &s = it->second;
  std::string text = "the tensor map was changed at PTX line " + std::to_string(s.line);
  if (!s.released)
    return text + " with no fence.proxy.tensormap::generic.release (or tensormap.cp_fenceproxy) since";
  auto seen = acquired_.find({&by, address});
  if (seen == acquired_.end() || seen->second != s.version)
    return text + " and this CTA has run no fence.proxy.tensormap::generic.acquire on it since";
  return {};
}

} // namespace tegula::emulator
