// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An mbarrier's 64 bits in shared memory, in an encoding of our own: PTX keeps them opaque. The phase ends when no
// arrival is pending and no byte is outstanding; the byte count may be negative meanwhile.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace tegula::emulator {

struct Mbarrier {
  static constexpr uint32_t kMaxCount = (1u << 20) - 1;
  static constexpr int32_t kMaxTx = (1 << 20) - 1;

  uint32_t pending = 0, expected = 0;
  int32_t tx = 0;
  uint32_t parity = 0; // of the phase that is not complete yet

  static Mbarrier unpack(uint64_t bits) {
    Mbarrier m;
    m.pending = bits & kMaxCount;
    m.expected = bits >> 20 & kMaxCount;
    m.tx = static_cast<int32_t>(static_cast<uint32_t>(bits >> 40 & 0x3fffff) << 10) >> 10;
    m.parity = bits >> 62 & 1;
    return m;
  }
  [[nodiscard]] uint64_t pack() const {
    return uint64_t{pending} | uint64_t{expected} << 20 | (static_cast<uint64_t>(tx) & 0x3fffff) << 40 |
           uint64_t{parity} << 62 | uint64_t{1} << 63;
  }
  static Mbarrier load(const std::byte *at) {
    uint64_t bits;
    std::memcpy(&bits, at, 8);
    return unpack(bits);
  }
  void store(std::byte *at) const {
    uint64_t bits = pack();
    std::memcpy(at, &bits, 8);
  }
  /// Ends the phase if it is complete.
  bool settle() {
    if (pending != 0 || tx != 0)
      return false;
    parity ^= 1;
    pending = expected;
    return true;
  }
};

class Warp;
struct Cta;

/// The mbarrier at an address of the shared window, in whichever CTA of the cluster it lies. Faults if it lies nowhere.
struct MbarrierRef {
  Cta *cta;
  uint32_t offset;
};
MbarrierRef locate_mbarrier(Warp &warp, uint64_t address, int lane);

/// Adds to the arrivals (count) and bytes (tx) of a barrier and ends its phase if that is due. Used by instructions
/// and by copies that complete.
void mbarrier_complete_tx(Cta &cta, uint32_t offset, int32_t bytes);
/// \returns the state before, whose parity is the phase that was arrived at.
Mbarrier mbarrier_arrive(Warp *warp, Cta &cta, uint32_t offset, uint32_t count, int32_t expect_bytes, int lane);

} // namespace tegula::emulator
