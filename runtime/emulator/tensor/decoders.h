// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How tcgen05 is decoded, a function a family; decode.cpp sorts the forms. Shared helpers of the families.
#pragma once

#include "runtime/emulator/machine/machine.h"
#include "runtime/emulator/program/decoder.h"

namespace tegula::emulator {

void decode_tensor_allocation(Decoder &d); // alloc, dealloc, relinquish_alloc_permit
void decode_tensor_transfer(Decoder &d);   // ld, st
void decode_tensor_copy(Decoder &d);       // cp, shift
void decode_tensor_mma(Decoder &d);
void decode_tensor_sync(Decoder &d); // commit, wait::, fence::

/// Takes .cta_group::1 or ::2. One function has one value (ptxas refuses a mixture). \returns 1 or 2
unsigned take_cta_group(Decoder &d);
/// An operand of a warp-wide instruction. Faults when lanes of the warp have different values.
uint32_t uniform_operand(Warp &w, Slot s, uint32_t mask, const char *what);
uint32_t uniform_address(Warp &w, const Address &a, uint32_t mask, const char *what);

} // namespace tegula::emulator
