// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A tensor map in our own encoding of 128 bytes; the driver's is secret. Hardware and emulator must not exchange them,
// hence the magic number.
#pragma once

#include <cstdint>

namespace tegula::emulator {

/// Numbers as in CUtensorMapDataType.
enum class MapType : uint8_t {
  u8,
  u16,
  u32,
  s32,
  u64,
  s64,
  f16,
  f32,
  f64,
  bf16,
  f32_ftz,
  tf32,
  tf32_ftz,
  u4,        // dense
  u4_padded, // 16 elements in 8 bytes, in shared memory with 8 bytes of padding
  u6_padded  // 16 elements in 12 bytes, in shared memory with 4 bytes of padding
};
/// Numbers as in CUtensorMapSwizzle.
enum class MapSwizzle : uint8_t { none, b32, b64, b128, b128_atom32, b128_atom32_flip8, b128_atom64 };

/// Bytes of a row of the pattern, 0 without one.
inline unsigned swizzle_span(MapSwizzle s) {
  return s == MapSwizzle::none ? 0 : s >= MapSwizzle::b128 ? 128 : 16u << static_cast<unsigned>(s);
}

struct alignas(64) TensorMap {
  static constexpr uint32_t kMagic = 0x74654d54;
  uint32_t magic = kMagic;
  MapType type = MapType::u8;
  uint8_t rank = 0;
  MapSwizzle swizzle = MapSwizzle::none;
  uint8_t nan_fill = 0;
  uint64_t spare = 0; // programs change bits of the driver's second word: CuTe clears bit 21 for small tensors
  uint64_t address = 0;
  uint32_t last[5] = {}; // extents - 1, innermost first
  uint16_t box[5] = {};  // elements
  uint8_t step[5] = {};  // element strides
  uint8_t im2col = 0;
  uint64_t stride[4] = {}; // bytes, of dimensions 1..
  // Of im2col: the corners of the pixels' box, relative to the tensor's, W first; pixels of one copy.
  int16_t lower[3] = {}, upper[3] = {};
  uint16_t pixels = 0;

  [[nodiscard]] uint64_t extent(unsigned d) const { return uint64_t{last[d]} + 1; }
  [[nodiscard]] unsigned element_bits() const {
    constexpr uint8_t kBits[] = {8, 16, 32, 32, 64, 64, 16, 32, 64, 16, 32, 32, 32, 4, 4, 6};
    return kBits[static_cast<unsigned>(type)];
  }
  [[nodiscard]] bool padded() const { return type == MapType::u4_padded || type == MapType::u6_padded; }
  /// Bytes in global memory of elements that begin and end at whole bytes.
  [[nodiscard]] int64_t global_bytes(int64_t elements) const { return elements * element_bits() / 8; }
  /// Elements that one copy has along a dimension.
  [[nodiscard]] unsigned count(unsigned d) const { return d == 0 ? box[0] : (box[d] + step[d] - 1u) / step[d]; }
  /// One row of the box in shared memory. What completes on a barrier has no padding.
  [[nodiscard]] unsigned row_bytes() const { return padded() ? box[0] : transfer_bytes(); }
  [[nodiscard]] unsigned transfer_bytes() const { return static_cast<unsigned>(global_bytes(box[0])); }
  /// From one row to the next in shared memory.
  [[nodiscard]] unsigned row_pitch() const {
    unsigned span = swizzle_span(swizzle);
    return row_bytes() < span ? span : row_bytes();
  }
  [[nodiscard]] unsigned rows() const {
    if (im2col)
      return pixels;
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
/// Where 16 bytes go. With the flip, their halves are swapped too in every other row.
inline uint32_t swizzled(uint32_t address, MapSwizzle s) {
  switch (s) {
  case MapSwizzle::b128_atom32:
  case MapSwizzle::b128_atom32_flip8: return swizzled_atom32(address);
  case MapSwizzle::b128_atom64: return address ^ ((address >> 7 & 1) << 6);
  default: return swizzled(address, static_cast<unsigned>(s));
  }
}

} // namespace tegula::emulator
