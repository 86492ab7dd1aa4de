// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Control flow that the warp's loop treats itself.
#pragma once

#include "runtime/emulator/program/inst.h"

namespace tegula::emulator {

/// Marks a branch; the warp's loop moves the program counter, this is never called.
After branch_control(Warp &, Group &, const Inst &);
inline bool is_branch(const Inst &i) { return i.control == &branch_control; }

} // namespace tegula::emulator
