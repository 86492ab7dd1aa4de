// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Our driver types are those of cuda.h: sizes, offsets, values, and the signatures of the whole table.
// Ours first: the macros of cuda.h rename entries to newer versions.
#include "runtime/driver/driver.h"

#include <cuda.h>

#include <type_traits>

#include <catch2/catch.hpp>

namespace {

namespace cu = tegula::cu;

static_assert(std::is_same_v<cu::CUstream, ::CUstream>);
static_assert(std::is_same_v<cu::CUfunction, ::CUfunction>);
static_assert(sizeof(cu::CUlaunchConfig) == sizeof(::CUlaunchConfig));
static_assert(offsetof(cu::CUlaunchConfig, hStream) == offsetof(::CUlaunchConfig, hStream));
static_assert(offsetof(cu::CUlaunchConfig, numAttrs) == offsetof(::CUlaunchConfig, numAttrs));
static_assert(sizeof(cu::CUlaunchAttribute) == sizeof(::CUlaunchAttribute));
static_assert(offsetof(cu::CUlaunchAttribute, value) == offsetof(::CUlaunchAttribute, value));
static_assert(sizeof(cu::CUtensorMap) == sizeof(::CUtensorMap) && alignof(cu::CUtensorMap) == alignof(::CUtensorMap));
static_assert(sizeof(cu::CUgraphExecUpdateResultInfo) == sizeof(::CUgraphExecUpdateResultInfo));

#define SAME(name) static_assert(static_cast<int>(cu::name) == static_cast<int>(::name))
SAME(CUDA_ERROR_OUT_OF_MEMORY);
SAME(CUDA_ERROR_NO_BINARY_FOR_GPU);
SAME(CUDA_ERROR_INVALID_PTX);
SAME(CUDA_ERROR_UNSUPPORTED_PTX_VERSION);
SAME(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
SAME(CUDA_ERROR_INVALID_CLUSTER_SIZE);
SAME(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
SAME(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
SAME(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);
SAME(CU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH);
SAME(CU_DEVICE_ATTRIBUTE_TENSOR_MAP_ACCESS_SUPPORTED);
SAME(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES);
SAME(CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED);
SAME(CU_JIT_LOG_VERBOSE);
SAME(CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL);
SAME(CU_MEMORYTYPE_UNIFIED);
SAME(CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION);
SAME(CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION);
SAME(CU_TENSOR_MAP_DATA_TYPE_BFLOAT16);
SAME(CU_TENSOR_MAP_DATA_TYPE_TFLOAT32);
SAME(CU_TENSOR_MAP_SWIZZLE_128B);
SAME(CU_TENSOR_MAP_L2_PROMOTION_L2_256B);
SAME(CU_STREAM_CAPTURE_MODE_RELAXED);
#undef SAME

// Handles are equal; enums and structs of ours stand for theirs in size and number.
template <typename Ours, typename Theirs>
constexpr bool kSameParam = sizeof(Ours) == sizeof(Theirs) && std::is_pointer_v<Ours> == std::is_pointer_v<Theirs>;
template <typename Ours, typename Theirs> struct SameCall : std::false_type {
  static constexpr bool params() { return false; }
};
template <typename... Ours, typename... Theirs>
struct SameCall<cu::CUresult (*)(Ours...), ::CUresult (*)(Theirs...)>
    : std::bool_constant<sizeof...(Ours) == sizeof...(Theirs)> {
  static constexpr bool params() {
    if constexpr (sizeof...(Ours) == sizeof...(Theirs))
      return (kSameParam<Ours, Theirs> && ...);
    return false;
  }
};

#undef cuEventElapsedTime
extern "C" ::CUresult cuEventElapsedTime(float *, ::CUevent, ::CUevent);

TEST_CASE("driver types: every entry has as many parameters as cuda.h says, each of the same size") {
#define TEGULA_DRIVER_ENTRY(symbol, since, need, parameters)                                                           \
  {                                                                                                                    \
    using Ours = decltype(tegula::cu::DriverApi::symbol);                                                              \
    using Theirs = decltype(&::symbol);                                                                                \
    CHECK(SameCall<Ours, Theirs>::value);                                                                              \
    CHECK(SameCall<Ours, Theirs>::params());                                                                           \
  }
#include "runtime/driver/driver_api.def"
#undef TEGULA_DRIVER_ENTRY
}

} // namespace
