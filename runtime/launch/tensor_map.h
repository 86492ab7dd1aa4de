// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Descriptors by which TMA reads and writes boxes of tensors. What boxes a kernel wants is the manifest's to say.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <initializer_list>
#include <string_view>

#include "runtime/driver/context.h"
#include "runtime/driver/memory.h"
#include "runtime/result/complaints.h"
#include "runtime/types/dtype.h"
#include "runtime/types/swizzle.h"

namespace tegula {

constexpr int kMaxTmaRank = 5;
constexpr int64_t kMaxTmaExtent = int64_t{1} << 32;
constexpr int64_t kMaxTmaStrideBytes = int64_t{1} << 40; // strides lie below it
constexpr int64_t kMaxTmaBox = 256;

/// Up to five numbers, innermost first, without an allocation. Longer lists keep their length, to be refused by it.
struct TmaExtents {
  std::array<int64_t, kMaxTmaRank> values{};
  int count = 0;

  TmaExtents() = default;
  TmaExtents(std::initializer_list<int64_t> list) {
    for (int64_t value : list)
      push_back(value);
  }
  void push_back(int64_t value) {
    if (count < kMaxTmaRank)
      values[static_cast<size_t>(count)] = value;
    ++count;
  }
  [[nodiscard]] int size() const { return count; }
  int64_t &operator[](int i) { return values[static_cast<size_t>(i)]; }
  int64_t operator[](int i) const { return values[static_cast<size_t>(i)]; }
  bool operator==(const TmaExtents &) const = default;
};

struct TensorMapSpec {
  DevicePtr base = 0;
  DType dtype = DType::f32;
  TmaExtents dims;
  TmaExtents strides; ///< bytes, one fewer than dims
  TmaExtents box;
  Swizzle swizzle = Swizzle::none;

  bool operator==(const TensorMapSpec &) const = default;
};

/// An encoded descriptor.
struct TensorMap {
  cu::CUtensorMap raw{};
};

/// Encodes the descriptor through which TMA reads and writes boxes of one tensor in global memory.
/// \param spec.base     device address of element 0, 16-byte aligned.
/// \param spec.dims     extents in elements, innermost first; rank 1 to 5, each 1 to 2^32.
/// \param spec.strides  bytes from one index to the next in dims 1.. (dim 0 is dense); multiples of 16, below 2^40.
/// \param spec.box      extents of one copy in elements, each 1 to 256; box[0] in bytes is a multiple of 16 and,
///                      when swizzled, at most the swizzle's span: 32, 64 or 128.
/// \returns  128 bytes, to be passed by value as a grid constant; it holds as long as the memory at `base` does.
///           What lies outside the extents is read as 0.
/// \errors   bad_argument, listing all that is wrong with value and limit; unsupported, when the driver has no
///           cuTensorMapEncodeTiled.
/// \source   CUDA driver API 13.0, cuTensorMapEncodeTiled (no interleave, element strides of 1).
///     auto map = encode_tensor_map(context, {.base = a, .dtype = DType::bf16, .dims = {k, m}, .strides = {2 * k},
///                                            .box = {64, 128}, .swizzle = Swizzle::b128});
[[nodiscard]] Result<TensorMap> encode_tensor_map(const Context &context, const TensorMapSpec &spec);
[[nodiscard]] Result<TensorMap> encode_tensor_map(const ContextState &context, const TensorMapSpec &spec);

/// The rules of the above alone. `name` begins each complaint: "A: stride 1 is 24 bytes; ...".
void check_tensor_map(const TensorMapSpec &spec, std::string_view name, Complaints &wrong);

} // namespace tegula
