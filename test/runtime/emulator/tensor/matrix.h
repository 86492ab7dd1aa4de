// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Matrices for tests of tcgen05.mma: element codes and their values, their places in shared memory by the canonical
// layouts, and a product in double. Written apart from the emulator, so that each checks the other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace tegula::emulator::test {

struct Format {
  const char *name;
  unsigned bits;          // of an element
  int exponent, mantissa; // 0, 0: an integer
  bool is_signed;
  unsigned code; // in the instruction descriptor
};
inline constexpr Format kF16{"f16", 16, 5, 10, true, 0}, kBf16{"bf16", 16, 8, 7, true, 1},
    kTf32{"tf32", 32, 8, 23, true, 2}, kU8{"u8", 8, 0, 0, false, 0}, kS8{"s8", 8, 0, 0, true, 1},
    kE4m3{"e4m3", 8, 4, 3, true, 0}, kE5m2{"e5m2", 8, 5, 2, true, 1}, kE2m3{"e2m3", 6, 2, 3, true, 3},
    kE3m2{"e3m2", 6, 3, 2, true, 4}, kE2m1{"e2m1", 4, 2, 1, true, 5}, kE2m1Packed{"e2m1", 4, 2, 1, true, 1};

/// The number that a code of a finite element means.
double value(const Format &f, uint32_t code);
/// A code whose value is small and has few bits, so that sums stay exact in f32.
uint32_t random_code(const Format &f, std::mt19937 &random);

struct Matrix {
  Format format;
  unsigned rows = 0, k = 0; // rows: M of A, N of B
  std::vector<uint32_t> codes;

  Matrix(const Format &f, unsigned rows, unsigned k, unsigned seed);
  [[nodiscard]] uint32_t code(unsigned r, unsigned q) const { return codes[size_t{r} * k + q]; }
  [[nodiscard]] double at(unsigned r, unsigned q) const { return value(format, code(r, q)); }
};

/// A·Bᵀ in double.
std::vector<double> product(const Matrix &a, const Matrix &b);

/// Descriptor codes 0 none, 1 128 B with 32 B atoms, 2 128 B, 4 64 B, 6 32 B.
struct Placement {
  unsigned swizzle = 2;
  bool mn_major = false;
  bool packed = false; // 4-bit elements two to a byte, without padding
};
/// Writes the matrix at `offset` (a multiple of 1024) of the image. \returns the descriptor, whose start is relative to
/// the image.
uint64_t place(const Matrix &m, const Placement &how, std::vector<std::byte> &image, size_t offset);

} // namespace tegula::emulator::test
