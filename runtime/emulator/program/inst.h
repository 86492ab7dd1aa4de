// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A decoded instruction, and how its handler finds the lanes' values. A register is an array of 32 lanes, so most
// handlers are one loop over 32. No standard containers here: lanes/ compiles this header once per instruction set.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tegula::emulator {

inline constexpr unsigned kLanes = 32;
inline constexpr uint32_t kAllLanes = 0xffffffffu;

/// Where an operand lives: a byte offset into the frame's registers or, with the top bit, into the constants.
struct Slot {
  uint32_t off = 0;
};
inline constexpr uint32_t kConstantBit = 0x80000000u;

/// What a handler needs of its warp; Warp derives from it.
struct Exec {
  std::byte *base[2] = {nullptr, nullptr}; // registers of the current frame; constants of its function

  template <class T> [[nodiscard]] T *reg(Slot s) const {
    return reinterpret_cast<T *>(base[s.off >> 31] + (s.off & ~kConstantBit));
  }
  /// A predicate register: one bit a lane.
  [[nodiscard]] uint32_t &pred(Slot s) const { return *reg<uint32_t>(s); }
};

struct Inst;
class Warp;
struct Group;

using Handler = void (*)(Exec &, const Inst &, uint32_t mask);

/// What a control instruction did. `blocked` leaves the program counter; the instruction runs again later.
enum class After : uint8_t { next, jumped, blocked };
using Control = After (*)(Warp &, Group &, const Inst &);

/// Which lanes must stand at an instruction before it runs.
enum class Converge : uint8_t { none, aligned, member_mask };

enum class Guard : uint8_t { none, if_true, if_false };

/// An address operand: [base + imm], base of 0 (absent), 4 or 8 bytes.
struct Address {
  Slot base;
  uint8_t base_bytes = 0;
  int64_t imm = 0;
};

struct Inst {
  Handler run = nullptr;     // exactly one of run and control is set
  Control control = nullptr; // may block or move the program counter
  Slot d, d2;
  Slot s[4];
  Slot guard_pred, member;
  Guard guard = Guard::none;
  Converge converge = Converge::none;
  uint8_t bytes = 0; // of one element
  uint8_t vec = 1;
  uint8_t space = 0;
  uint8_t mode = 0; // per family: rounding, comparison, …
  uint32_t flags = 0;
  uint32_t target = 0;
  Address addr, addr2;
  const Slot *list = nullptr; // vectors of registers, fragments
  const void *extra = nullptr;
  const Slot *touched = nullptr; // every register read or written, for the checks
  uint16_t list_count = 0, touched_count = 0;
  uint16_t written_count = 0; // the first so many of `touched` are written
  uint32_t line = 0;          // of the PTX text
  uint32_t location = 0;      // into Function::locations
};

} // namespace tegula::emulator
