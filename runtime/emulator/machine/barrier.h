// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Named barriers (bar.sync and its kin).
#pragma once

namespace tegula::emulator {

struct Cta;
struct NamedBarrier;

/// Ends the barrier's phase if all whom it expects have arrived.
bool complete_if_full(Cta &cta, NamedBarrier &barrier);

} // namespace tegula::emulator
