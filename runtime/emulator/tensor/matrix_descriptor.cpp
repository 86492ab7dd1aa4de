// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The descriptor's bits and the places that they describe.
#include "runtime/emulator/tensor/matrix_descriptor.h"

#include "runtime/emulator/async/tensor_map.h"

namespace tegula::emulator {
namespace {
constexpr unsigned kAddressMask = 0x3ffff; // 18 bits of address, of which 14 are in the field
uint32_t field(uint64_t bits, unsigned at) { return static_cast<uint32_t>(bits >> at & 0x3fff) << 4; }
} // namespace

MatrixDescriptor::MatrixDescriptor(uint64_t bits)
    : start(field(bits, 0)), lead(field(bits, 16)), stride(field(bits, 32)) {
  using S = TensorSwizzle;
  constexpr S kCodes[] = {S::none, S::b128_atom32, S::b128, S::none, S::b64, S::none, S::b32, S::none};
  swizzle = kCodes[bits >> 61];
}

std::string MatrixDescriptor::complaint(uint64_t bits) {
  std::string text;
  auto wrong = [&](bool is, const std::string &what) {
    if (is)
      text += (text.empty() ? "" : "; ") + what;
  };
  auto code = static_cast<unsigned>(bits >> 61);
  wrong((bits >> 46 & 7) != 1, "bits 46 to 48 are " + std::to_string(bits >> 46 & 7) +
                                   ", they must be 1 (0 is the form of wgmma's descriptor)");
  wrong(code == 3 || code == 5 || code == 7,
        "swizzle code " + std::to_string(code) + "; 0 none, 1 = 128 B with 32-B atoms, 2 = 128 B, 4 = 64 B, 6 = 32 B");
  wrong((bits >> 53 & 0xff) != 0, "bits 53 to 60 must be 0");
  wrong((bits >> 49 & 7) != 0, "a base offset other than 0 is not emulated; align the tile to its swizzle's repeat");
  wrong((bits >> 52 & 1) != 0, "the absolute mode of the leading dimension needs sm_103a, which is not emulated");
  return text;
}

uint32_t MatrixDescriptor::span() const {
  constexpr uint32_t kSpan[] = {16, 128, 128, 64, 32};
  return kSpan[static_cast<unsigned>(swizzle)];
}

uint32_t MatrixDescriptor::place(uint32_t a) const {
  switch (swizzle) {
  case TensorSwizzle::none: break;
  case TensorSwizzle::b128_atom32: a = swizzled_atom32(a); break;
  case TensorSwizzle::b128: a = swizzled(a, 3); break;
  case TensorSwizzle::b64: a = swizzled(a, 2); break;
  case TensorSwizzle::b32: a = swizzled(a, 1); break;
  }
  return a & kAddressMask;
}

uint32_t MatrixDescriptor::k_major(unsigned mn, unsigned kb) const {
  if (swizzle == TensorSwizzle::none)
    return place(start + mn / 8 * stride + mn % 8 * 16 + kb / 16 * lead + kb % 16);
  return place(start + mn / 8 * stride + mn % 8 * span() + kb);
}

uint32_t MatrixDescriptor::mn_major(unsigned k, unsigned mb) const {
  if (swizzle == TensorSwizzle::none)
    return place(start + mb / 16 * stride + k / 8 * lead + k % 8 * 16 + mb % 16);
  unsigned rows = swizzle == TensorSwizzle::b128_atom32 ? 4 : 8; // k rows of one atom
  return place(start + mb / span() * lead + k / rows * stride + k % rows * span() + mb % span());
}

} // namespace tegula::emulator
