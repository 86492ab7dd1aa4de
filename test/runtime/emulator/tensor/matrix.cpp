// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Test matrices.
#include "test/runtime/emulator/tensor/matrix.h"

#include <cmath>

namespace tegula::emulator::test {

double value(const Format &f, uint32_t code) {
  if (f.exponent == 0)
    return f.is_signed ? static_cast<double>(static_cast<int8_t>(code)) : static_cast<double>(code);
  int bias = (1 << (f.exponent - 1)) - 1;
  int e = static_cast<int>(code >> f.mantissa & ((1u << f.exponent) - 1));
  double m = code & ((1u << f.mantissa) - 1);
  double magnitude = e == 0 ? std::ldexp(m, 1 - bias - f.mantissa)
                            : std::ldexp(m + std::ldexp(1.0, f.mantissa), e - bias - f.mantissa);
  return code >> (f.exponent + f.mantissa) & 1 ? -magnitude : magnitude;
}

uint32_t random_code(const Format &f, std::mt19937 &random) {
  if (f.exponent == 0)
    return random() & 0xff;
  uint32_t all = f.bits == 32 ? 0xffffffffu : (1u << f.bits) - 1;
  for (;;) { // three bits of mantissa, and between 2^-3 and 2^3
    uint32_t code = random() & all;
    if (f.mantissa > 3)
      code &= ~((1u << (f.mantissa - 3)) - 1);
    double v = std::fabs(value(f, code));
    if (std::isfinite(v) && v >= 0.125 && v <= 8)
      return code;
  }
}

Matrix::Matrix(const Format &f, unsigned r, unsigned depth, unsigned seed) : format(f), rows(r), k(depth) {
  std::mt19937 random(seed);
  codes.resize(size_t{rows} * k);
  for (uint32_t &c : codes)
    c = random_code(f, random);
}

std::vector<double> product(const Matrix &a, const Matrix &b) {
  std::vector<double> d(size_t{a.rows} * b.rows, 0.0);
  for (unsigned r = 0; r < a.rows; ++r)
    for (unsigned c = 0; c < b.rows; ++c)
      for (unsigned q = 0; q < a.k; ++q)
        d[size_t{r} * b.rows + c] += a.at(r, q) * b.at(c, q);
  return d;
}

namespace {

struct Pattern {
  unsigned span, atom_rows; // bytes of a row; rows until the pattern repeats
};
Pattern pattern_of(unsigned swizzle) {
  switch (swizzle) {
  case 1: return {128, 4};
  case 2: return {128, 8};
  case 4: return {64, 8};
  case 6: return {32, 8};
  default: return {16, 8};
  }
}

size_t swizzle_address(size_t a, unsigned swizzle) {
  switch (swizzle) {
  case 1: return a ^ ((a >> 7 & 3) << 5);
  case 2: return a ^ ((a >> 7 & 7) << 4);
  case 4: return a ^ ((a >> 7 & 3) << 4);
  case 6: return a ^ ((a >> 7 & 1) << 4);
  default: return a;
  }
}

/// Bit offset of element i along the major dimension: narrow types fill the front of 16 bytes a group of 16.
size_t major_bits(const Format &f, bool packed, unsigned i) {
  if (f.bits >= 8 || packed)
    return size_t{i} * f.bits;
  return size_t{i / 16} * 128 + size_t{i % 16} * f.bits;
}

void put_bits(std::vector<std::byte> &image, size_t bit, unsigned count, uint32_t code) {
  for (unsigned b = 0; b < count; ++b, ++bit)
    if (code >> b & 1)
      image[bit / 8] |= static_cast<std::byte>(1u << (bit % 8));
}

} // namespace

uint64_t place(const Matrix &m, const Placement &how, std::vector<std::byte> &image, size_t offset) {
  Pattern p = pattern_of(how.swizzle);
  unsigned major = how.mn_major ? m.rows : m.k, minor = how.mn_major ? m.k : m.rows;
  size_t major_bytes = (major_bits(m.format, how.packed, major - 1) + 8) / 8;
  major_bytes = (major_bytes + 15) / 16 * 16;
  size_t row_span = p.span, atoms = (major_bytes + row_span - 1) / row_span;
  size_t minor_atoms = (minor + p.atom_rows - 1) / p.atom_rows;
  // One atom: atom_rows rows of the minor dimension. Atoms follow along the minor dimension, then along the major one.
  size_t along_minor = p.atom_rows * row_span, along_major = minor_atoms * along_minor;
  if (image.size() < offset + atoms * along_major)
    image.resize(offset + atoms * along_major);
  for (unsigned r = 0; r < m.rows; ++r)
    for (unsigned q = 0; q < m.k; ++q) {
      unsigned i = how.mn_major ? r : q, j = how.mn_major ? q : r;
      size_t bit = major_bits(m.format, how.packed, i), byte = bit / 8;
      size_t a = offset + byte / row_span * along_major + j / p.atom_rows * along_minor + j % p.atom_rows * row_span +
                 byte % row_span;
      put_bits(image, swizzle_address(a, how.swizzle) * 8 + bit % 8, m.format.bits, m.code(r, q));
    }
  // K-major without swizzle: SBO to the next 8 rows, LBO to the next 16 bytes of k. MN-major without swizzle: the other
  // way round. With a swizzle SBO is the step along the minor dimension, LBO along the major one.
  uint64_t sbo = along_minor, lbo = along_major;
  if (how.swizzle == 0 && how.mn_major)
    std::swap(sbo, lbo);
  return offset >> 4 | lbo >> 4 << 16 | sbo >> 4 << 32 | uint64_t{1} << 46 | uint64_t{how.swizzle} << 61;
}

} // namespace tegula::emulator::test
