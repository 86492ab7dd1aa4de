// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Names and sizes of element types.
#include "runtime/types/dtype.h"

#include <array>

namespace tegula {
namespace {

struct Row {
  std::string_view name;
  int bits;
  DTypeKind kind;
};

constexpr std::array kRows = {
#define TEGULA_DTYPE(name, bits, kind) Row{#name, bits == 1 ? 8 : bits, DTypeKind::kind},
#include "runtime/types/dtype.def"
#undef TEGULA_DTYPE
};

struct OtherName {
  std::string_view name;
  DType dtype;
};

constexpr std::array kOtherNames = {
    OtherName{"bool", DType::i1},       OtherName{"int8", DType::s8},     OtherName{"uint8", DType::u8},
    OtherName{"int16", DType::s16},     OtherName{"uint16", DType::u16},  OtherName{"int32", DType::s32},
    OtherName{"uint32", DType::u32},    OtherName{"int64", DType::s64},   OtherName{"uint64", DType::u64},
    OtherName{"i8", DType::s8},         OtherName{"i32", DType::s32},     OtherName{"i64", DType::s64},
    OtherName{"f16", DType::fp16},      OtherName{"half", DType::fp16},   OtherName{"float16", DType::fp16},
    OtherName{"bfloat16", DType::bf16}, OtherName{"fp32", DType::f32},    OtherName{"float", DType::f32},
    OtherName{"float32", DType::f32},   OtherName{"fp64", DType::f64},    OtherName{"double", DType::f64},
    OtherName{"float64", DType::f64},   OtherName{"e4m3fn", DType::e4m3},
};

} // namespace

std::string_view name(DType dtype) { return kRows[static_cast<size_t>(dtype)].name; }
int bits(DType dtype) { return kRows[static_cast<size_t>(dtype)].bits; }
DTypeKind kind(DType dtype) { return kRows[static_cast<size_t>(dtype)].kind; }

std::optional<DType> parse_dtype(std::string_view name) {
  for (size_t i = 0; i < kRows.size(); ++i)
    if (kRows[i].name == name)
      return static_cast<DType>(i);
  for (const OtherName &other : kOtherNames)
    if (other.name == name)
      return other.dtype;
  return std::nullopt;
}

std::string_view dtype_names() {
#define TEGULA_DTYPE(name, bits, kind) ", " #name
  constexpr std::string_view all =
#include "runtime/types/dtype.def"
      ;
#undef TEGULA_DTYPE
  return all.substr(2);
}

} // namespace tegula
