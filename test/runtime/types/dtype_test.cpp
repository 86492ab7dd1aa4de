// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Names and sizes of element types and swizzles.
#include <catch2/catch.hpp>

#include "runtime/types/dtype.h"
#include "runtime/types/swizzle.h"

namespace tegula {
namespace {

TEST_CASE("dtype: every name parses back to its type") {
  for (int i = 0; i <= static_cast<int>(DType::f64); ++i) {
    auto dtype = static_cast<DType>(i);
    CHECK(parse_dtype(name(dtype)) == dtype);
    CHECK(dtype_names().find(name(dtype)) != std::string_view::npos);
  }
}

TEST_CASE("dtype: other usual names are understood, wrong ones are not") {
  CHECK(parse_dtype("f16") == DType::fp16);
  CHECK(parse_dtype("float") == DType::f32);
  CHECK_FALSE(parse_dtype("bf17"));
  CHECK_FALSE(parse_dtype(""));
}

TEST_CASE("dtype: sizes are those in memory") {
  CHECK(bytes(DType::bf16) == 2);
  CHECK(bytes(DType::i1, 3) == 3);
  CHECK(bytes(DType::e2m1, 3) == 2); // 12 bits
  CHECK(bits(DType::tf32) == 32);
}

TEST_CASE("dtype: kinds") {
  CHECK(is_float(DType::e4m3));
  CHECK(is_integer(DType::u8));
  CHECK_FALSE(is_integer(DType::i1));
}

TEST_CASE("swizzle: spans and names") {
  CHECK(span_bytes(Swizzle::none) == 0);
  CHECK(span_bytes(Swizzle::b32) == 32);
  CHECK(span_bytes(Swizzle::b128) == 128);
  CHECK(parse_swizzle("b64") == Swizzle::b64);
  CHECK_FALSE(parse_swizzle("128"));
}

} // namespace
} // namespace tegula
