// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Fences between the generic proxy and the one that reads tensor maps.
#pragma once

#include "runtime/emulator/program/inst.h"

namespace tegula::emulator {

void tensor_map_release(Exec &x, const Inst &i, uint32_t mask);
/// addr: of the map.
void tensor_map_acquire(Exec &x, const Inst &i, uint32_t mask);

} // namespace tegula::emulator
