// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Special registers.
#pragma once

#include "runtime/emulator/program/inst.h"

#include <string_view>

namespace tegula::emulator {

struct SpecialRegister {
  Handler run = nullptr; // null: no such register
  unsigned bytes = 4;    // 0: a predicate
};
[[nodiscard]] SpecialRegister find_special(std::string_view name);

} // namespace tegula::emulator
