// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// cp splits into per-thread copies and bulk copies.
#pragma once

namespace tegula::emulator {

class Decoder;
void decode_cp_async(Decoder &d);
void decode_bulk(Decoder &d, bool reduce);

} // namespace tegula::emulator
