// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Guarded images: what they notice, and that their values don't depend on where they lie.
#include <catch2/catch.hpp>

#include "kernels/check/guarded_image.h"
#include "kernels/check/small_float.h"

using namespace tegula;

TEST_CASE("a guarded image notices a byte in the padding and one behind the end") {
  GuardedImage image({.dtype = DType::bf16, .extents = {2, 3, 5}, .strides = {40, 8, 1}});
  image.poison();
  CHECK(image.damage().empty());
  write_element(DType::bf16, image.bytes().data() + image.origin(), 4, 1.0); // the last element of row 0
  CHECK(image.damage().empty());
  auto padding = image.bytes();
  write_element(DType::bf16, image.bytes().data() + image.origin(), 5, 1.0);
  CHECK(image.damage().find("10 bytes from the first element") != std::string::npos);
  image.bytes() = padding;
  image.bytes().back() ^= std::byte{1};
  CHECK_FALSE(image.damage().empty());
}

TEST_CASE("values depend on the seed alone and not on the pitch") {
  const NormalPattern pattern(DType::f32, 7);
  GuardedImage dense({.extents = {1, 4, 9}, .strides = {0, 9, 1}}),
      padded({.extents = {1, 4, 9}, .strides = {0, 16, 1}});
  dense.fill_values(pattern);
  padded.fill_values(pattern);
  for (int64_t i = 0; i < 4; ++i)
    for (int64_t j = 0; j < 9; ++j)
      CHECK(dense.at(0, i, j) == padded.at(0, i, j));
}
