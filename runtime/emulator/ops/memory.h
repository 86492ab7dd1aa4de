// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the decoders of memory instructions share.
#pragma once

#include "runtime/emulator/program/decoder.h"

namespace tegula::emulator {

/// Takes the state space's modifier. A .param variable of a function's body lives in local memory.
Space take_state_space(Decoder &d, const Operand &address);
/// Takes memory order and scope. True if there was an order stronger than weak.
bool take_order(Decoder &d);
/// Tells the proxy check of a write through the generic proxy.
void note_generic_write(Warp &w, uint64_t address, Space space, unsigned bytes, unsigned lane);

} // namespace tegula::emulator
