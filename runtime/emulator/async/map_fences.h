// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tensor maps that a grid changes: a change must be released by a tensormap proxy fence and acquired by the CTA that
// copies through the map (PTX ISA 9.0, "fence.proxy.tensormap"). Plain stores to a map are not seen here.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>

namespace tegula::emulator {

struct Cta;

class MapFences {
public:
  /// A CTA changed the map at an address of global memory, at a line of the PTX text.
  void changed(uint64_t address, const Cta &by, uint32_t line, bool released);
  void release(const Cta &by);
  void acquire(uint64_t address, const Cta &by);
  /// Why a copy of the CTA through the map may meet an old one; empty if it may not.
  [[nodiscard]] std::string objection(uint64_t address, const Cta &by) const;

private:
  struct State {
    uint64_t version = 0;
    const Cta *writer = nullptr;
    uint32_t line = 0;
    bool released = false;
  };
  mutable std::mutex mutex_; // clusters run on several threads
  std::map<uint64_t, State> maps_;
  std::map<std::pair<const Cta *, uint64_t>, uint64_t> acquired_;
};

} // namespace tegula::emulator
