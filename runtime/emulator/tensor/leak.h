// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the machine asks of tensor memory when a CTA ends.
#pragma once

namespace tegula::emulator {

class Warp;

/// Reports tensor memory that the CTA of its last warp has not freed.
void report_tensor_leak(const Warp &last);

} // namespace tegula::emulator
