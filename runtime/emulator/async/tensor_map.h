// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A tensor map in our own encoding of 128 bytes; the driver's is secret. Hardware and emulator must not exchange them,
// hence the magic number.
#pragma once

#include <cstdint>

namespace tegula::emulator {

/// Numbers as in CUtensorMapDataType.
enum class MapType : uint8_t { u8, u16, u32, s32, u64, s64, f16, f32, f64, bf16, f32_ftz, tf32, tf32_ftz };
/// Numbers as in CUtensorMapSwizzle.
enum class MapSwizzle : uint8_t { none, b32, b64, b128 };

struct alignas(64) TensorMap {
  static constexpr uint32_t kMagic = 0x74654d54;
  uint32_t magic = kMagic;
  MapType type = MapType::u8;
  uint8_t rank = 0;
  MapSwizzle swizzle = MapSwizzle::none;
  uint8_t nan_fill = 0;
  uint64_t address = 0;
  uint32_t last[5] = {}; // extents - 1, innermost first
  uint16_t box[5] = {};  // elements
  uint8_t step[5] = {};  // element strides
  uint8_t pad[1] = {};
  uint64_t stride[4] = {}; // bytes, of dimensions 1..

  [[nodiscard]] uint64_t extent(unsigned d) const { return uint64_t{last[d]} + 1; }
  [[nodiscard]] unsigned element_bytes() const {
    constexpr uint8_t kBytes[] = {1, 2, 4, 4, 8, 8, 2, 4, 8, 2, 4, 4, 4};
    return kBytes[static_cast<unsigned>(type)];
  }
  /// Elements that one copy has along a dimension.
  [[nodiscard]] unsigned count(unsigned d) const { return d == 0 ? box[0] : (box[d] + step[d] - 1u) / step[d]; }
  [[nodiscard]] unsigned row_bytes() const { return box[0] * element_bytes(); }
  /// From one row to the next in shared memory.
  [[nodiscard]] unsigned row_pitch() const {
    unsigned span = swizzle == MapSwizzle::none ? 0 : 16u << static_cast<unsigned>(swizzle);
    return row_bytes() < span ? span : row_bytes();
  }
  [[nodiscard]] unsigned rows() const {
    unsigned n = 1;
    for (unsigned d = 1; d < rank; ++d)
      n *= count(d);
    return n;
  }
};
static_assert(sizeof(TensorMap) == 128);

/// The XOR of a swizzle on a byte address of shared memory; `mode` none 0, 32 B 1, 64 B 2, 128 B 3.
inline uint32_t swizzled(uint32_t address, unsigned mode) {
  constexpr uint32_t kMask[] = {0, 1, 3, 7};
  return address ^ ((address >> 7 & kMask[mode]) << 4);
}

/// The 128-byte swizzle with atoms of 32 bytes: address bits 5 and 6 take in bits 7 and 8.
inline uint32_t swizzled_atom32(uint32_t address) { return address ^ ((address >> 7 & 3) << 5); }

} // namespace tegula::emulator
