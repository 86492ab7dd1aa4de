// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Checks and encodes tensor maps.
#include "runtime/launch/tensor_map.h"

#include <optional>

#include <fmt/format.h>

namespace tegula {

using namespace cu;

namespace {

constexpr int64_t kTmaAlignBytes = 16; // base, strides and the box's rows

static_assert(static_cast<int>(Swizzle::b128) == CU_TENSOR_MAP_SWIZZLE_128B, "the driver numbers swizzles as we do");

std::optional<CUtensorMapDataType> driver_type(DType dtype) {
  switch (dtype) {
  case DType::i1:
  case DType::s8:
  case DType::u8:
  case DType::e4m3:
  case DType::e5m2:
  case DType::ue8m0: return CU_TENSOR_MAP_DATA_TYPE_UINT8;
  case DType::s16:
  case DType::u16: return CU_TENSOR_MAP_DATA_TYPE_UINT16;
  case DType::s32: return CU_TENSOR_MAP_DATA_TYPE_INT32;
  case DType::u32: return CU_TENSOR_MAP_DATA_TYPE_UINT32;
  case DType::s64: return CU_TENSOR_MAP_DATA_TYPE_INT64;
  case DType::u64: return CU_TENSOR_MAP_DATA_TYPE_UINT64;
  case DType::fp16: return CU_TENSOR_MAP_DATA_TYPE_FLOAT16;
  case DType::bf16: return CU_TENSOR_MAP_DATA_TYPE_BFLOAT16;
  case DType::f32: return CU_TENSOR_MAP_DATA_TYPE_FLOAT32;
  case DType::tf32: return CU_TENSOR_MAP_DATA_TYPE_TFLOAT32;
  case DType::f64: return CU_TENSOR_MAP_DATA_TYPE_FLOAT64;
  // Packed types want maps of their own (blocks of 16 elements, boxes of 128), which nothing asks for yet.
  case DType::e2m1:
  case DType::e2m3:
  case DType::e3m2: break;
  }
  return std::nullopt;
}

void check_box(const TensorMapSpec &spec, std::string_view name, Complaints &wrong) {
  const int rank = spec.dims.size();
  if (spec.box.size() != rank) {
    wrong.add(fmt::format("{}: the box has {} extents, the tensor {}", name, spec.box.size(), rank));
    return;
  }
  for (int i = 0; i < rank; ++i)
    if (spec.box[i] < 1 || spec.box[i] > kMaxTmaBox)
      wrong.add(fmt::format("{}: box extent {} is {}; it must be 1 to {}", name, i, spec.box[i], kMaxTmaBox));
  if (rank == 0 || !driver_type(spec.dtype))
    return;
  const int64_t row_bytes = bytes(spec.dtype, spec.box[0]);
  if (row_bytes % kTmaAlignBytes != 0)
    wrong.add(
        fmt::format("{}: a row of the box is {} bytes; it must be a multiple of {}", name, row_bytes, kTmaAlignBytes));
  if (spec.swizzle != Swizzle::none && row_bytes > span_bytes(spec.swizzle))
    wrong.add(fmt::format("{}: a row of the box is {} bytes; the swizzle {} allows at most {}", name, row_bytes,
                          tegula::name(spec.swizzle), span_bytes(spec.swizzle)));
}

} // namespace

void check_tensor_map(const TensorMapSpec &spec, std::string_view name, Complaints &wrong) {
  const int rank = spec.dims.size();
  if (!driver_type(spec.dtype))
    wrong.add(fmt::format("{}: TMA has no element type {}", name, tegula::name(spec.dtype)), ErrorCode::unsupported);
  if (spec.base == 0)
    wrong.add(fmt::format("{} is null", name));
  else if (spec.base % kTmaAlignBytes != 0)
    wrong.add(fmt::format("{} lies at {:#x}; TMA needs a multiple of {} bytes", name, spec.base, kTmaAlignBytes));
  if (rank < 1 || rank > kMaxTmaRank) {
    wrong.add(fmt::format("{}: its rank is {}; TMA takes 1 to {}", name, rank, kMaxTmaRank));
    return;
  }
  for (int i = 0; i < rank; ++i)
    if (spec.dims[i] < 1 || spec.dims[i] > kMaxTmaExtent)
      wrong.add(fmt::format("{}: extent {} is {}; TMA takes 1 to {} (2^32)", name, i, spec.dims[i], kMaxTmaExtent));
  if (spec.strides.size() != rank - 1) {
    wrong.add(fmt::format("{}: there are {} strides; rank {} has {}", name, spec.strides.size(), rank, rank - 1));
  } else {
    for (int i = 0; i < rank - 1; ++i) {
      const int64_t stride = spec.strides[i];
      if (stride < 0 || stride >= kMaxTmaStrideBytes)
        wrong.add(fmt::format("{}: the stride of dim {} is {} bytes; TMA takes 0 to {} (below 2^40)", name, i + 1,
                              stride, kMaxTmaStrideBytes - kTmaAlignBytes));
      else if (stride % kTmaAlignBytes != 0)
        wrong.add(fmt::format("{}: the stride of dim {} is {} bytes; TMA needs a multiple of {}", name, i + 1, stride,
                              kTmaAlignBytes));
    }
  }
  check_box(spec, name, wrong);
}

Result<TensorMap> encode_tensor_map(const Context &context, const TensorMapSpec &spec) {
  return encode_tensor_map(*context.state(), spec);
}

Result<TensorMap> encode_tensor_map(const ContextState &context, const TensorMapSpec &spec) {
  const Driver &driver = context.driver;
  Complaints wrong;
  check_tensor_map(spec, "the tensor", wrong);
  TEGULA_CHECK(wrong.verdict("cannot make a tensor map"));
  if (!driver.api().cuTensorMapEncodeTiled)
    return Error(ErrorCode::unsupported,
                 fmt::format("the driver {} has no cuTensorMapEncodeTiled; CUDA 12.0 has it", driver.library()));
  const int rank = spec.dims.size();
  std::array<uint64_t, kMaxTmaRank> dims{};
  // Rank 1 has no strides, but the driver refuses a null array.
  std::array<uint64_t, kMaxTmaRank> strides{};
  std::array<uint32_t, kMaxTmaRank> box{};
  std::array<uint32_t, kMaxTmaRank> ones{};
  for (int i = 0; i < rank; ++i) {
    const auto at = static_cast<size_t>(i);
    dims[at] = static_cast<uint64_t>(spec.dims[i]);
    strides[at] = i + 1 < rank ? static_cast<uint64_t>(spec.strides[i]) : 0;
    box[at] = static_cast<uint32_t>(spec.box[i]);
    ones[at] = 1;
  }
  TensorMap map;
  // The encoding belongs to no context, but without a current one the driver refuses (CUDA 13.0, seen on an H200).
  CurrentContext current(context);
  TEGULA_CHECK(driver.check(current.status(), "cuCtxPushCurrent_v2"));
  // A tile's neighbours are wanted soon, so L2 is filled in its largest unit.
  CUresult status = driver.api().cuTensorMapEncodeTiled(
      &map.raw, *driver_type(spec.dtype), static_cast<uint32_t>(rank), reinterpret_cast<void *>(spec.base), dims.data(),
      strides.data(), box.data(), ones.data(), CU_TENSOR_MAP_INTERLEAVE_NONE,
      static_cast<CUtensorMapSwizzle>(spec.swizzle), CU_TENSOR_MAP_L2_PROMOTION_L2_256B,
      CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  TEGULA_CHECK(driver.check(status, "cuTensorMapEncodeTiled"));
  return map;
}

} // namespace tegula
