// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the tests of compiled CUDA C++ share: each file optimised and not, numbers, maps.
#pragma once

#include "test/runtime/emulator/emulated.h"

#include <catch2/catch.hpp>

#include <cmath>

extern "C" CUresult cuLaunchCooperativeKernel(CUfunction f, unsigned gx, unsigned gy, unsigned gz, unsigned bx,
                                              unsigned by, unsigned bz, unsigned shared, CUstream stream,
                                              void **params);

namespace tegula::emulator::test {

/// Loads NAME_o3.ptx and, in a second run of the test, NAME_g.ptx, or what `kinds` says.
struct Compiled : Emulated {
  explicit Compiled(const std::string &name, std::vector<std::string> kinds = {"_o3.ptx", "_g.ptx"}) {
    std::string file = name + GENERATE_COPY(from_range(kinds));
    INFO(file);
    CUresult r = load(read(file));
    INFO(log);
    REQUIRE(r == CUDA_SUCCESS);
  }
};

/// Small numbers that repeat late; their products are exact in f32.
inline std::vector<float> numbers(size_t n, unsigned seed = 1, float scale = 1.0f / 16) {
  std::vector<float> v(n);
  for (float &x : v)
    x = static_cast<float>(static_cast<int>((seed = seed * 1664525 + 1013904223) >> 27) - 16) * scale;
  return v;
}

inline uint16_t to_bf16(float v) {
  uint32_t b;
  std::memcpy(&b, &v, 4);
  return static_cast<uint16_t>((b + 0x7fff + (b >> 16 & 1)) >> 16);
}
inline float from_bf16(uint16_t v) {
  uint32_t b = uint32_t{v} << 16;
  float f;
  std::memcpy(&f, &b, 4);
  return f;
}
inline std::vector<uint16_t> to_bf16(const std::vector<float> &v) {
  std::vector<uint16_t> out;
  for (float x : v)
    out.push_back(to_bf16(x));
  return out;
}

} // namespace tegula::emulator::test
