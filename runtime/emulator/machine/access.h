// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From an address of the program to bytes of the host, with the checks that every access gets: bounds, alignment,
// life of the allocation, read-only memory.
#pragma once

#include "runtime/emulator/machine/machine.h"

namespace tegula::emulator {

enum class Use : uint8_t { read, write };

inline constexpr uint64_t kWindowBits = ~uint64_t{0} << 48;

/// The value of an address operand for a lane.
inline uint64_t address_of(const Exec &x, const Address &a, unsigned lane) {
  if (a.base_bytes == 8)
    return x.reg<uint64_t>(a.base)[lane] + static_cast<uint64_t>(a.imm);
  if (a.base_bytes == 4)
    return static_cast<uint32_t>(x.reg<uint32_t>(a.base)[lane] + static_cast<uint32_t>(a.imm));
  return static_cast<uint64_t>(a.imm);
}

/// Where `bytes` bytes of shared memory lie; the address names the CTA by its top bits. Never outside the CTA's memory.
struct SharedPlace {
  Cta *cta;
  uint32_t offset;
  [[nodiscard]] std::byte *data() const { return cta->shared + offset; }
};
SharedPlace shared_place(const Warp &w, uint64_t address, uint32_t bytes, int lane);

[[noreturn]] void fault_misaligned(const Warp &w, uint64_t address, uint32_t bytes, const char *space, int lane);
std::byte *global_slow(Warp &w, uint64_t address, uint32_t bytes, Use use, int lane);

inline std::byte *global_place(Warp &w, uint64_t address, uint32_t bytes, Use use, int lane) {
  if (address >= w.range_lo && address + bytes <= w.range_hi)
    return reinterpret_cast<std::byte *>(address);
  return global_slow(w, address, bytes, use, lane);
}

/// Any space. `space` generic looks at the window.
std::byte *place(Warp &w, uint64_t address, uint32_t bytes, ptx::Space space, Use use, unsigned lane);

} // namespace tegula::emulator
