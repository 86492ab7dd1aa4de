// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Handlers that the decoder itself needs to bring operands into shape.
#pragma once

#include "runtime/emulator/program/inst.h"

namespace tegula::emulator {

/// From a register of one width to one of another, extended with or without sign.
[[nodiscard]] Handler resize_handler(unsigned from_bytes, unsigned to_bytes, bool sign);
/// d = local address of the frame + addr.imm.
[[nodiscard]] Handler local_address_handler(unsigned bytes);
[[nodiscard]] Handler not_pred_handler();
[[nodiscard]] Control return_control();

} // namespace tegula::emulator
