// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The checks of a launch.
#include "runtime/launch/check_launch.h"
#include "runtime/launch/tensor_window.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <string>

#include <fmt/format.h>

namespace tegula {

using namespace cu;

namespace {

constexpr int kMaxRankForOverlap = 16;

void check_dims(const ResolvedManifest &resolved, std::span<const int64_t> numbers, Complaints &wrong) {
  const KernelManifest &m = resolved.manifest;
  for (size_t i = 0; i < m.dims.size(); ++i) {
    const DimInfo &dim = m.dims[i];
    if (numbers[i] < 0)
      wrong.add(fmt::format("dim {} is {}; it must be at least 0", dim.name, numbers[i]));
    else if (numbers[i] % dim.divisor != 0)
      wrong.add(
          fmt::format("dim {} is {}; the kernel was compiled for multiples of {}", dim.name, numbers[i], dim.divisor));
  }
  for (size_t i = 0; i < m.params.size(); ++i)
    if (m.params[i].kind == ParamKind::dim && m.params[i].dtype == DType::s32 &&
        numbers[resolved.params[i].position] > INT32_MAX)
      wrong.add(fmt::format("dim {} is {}; the kernel takes it as s32, up to {}", m.params[i].name,
                            numbers[resolved.params[i].position], INT32_MAX));
}

class StrideCheck {
public:
  StrideCheck(const GlobalInfo &info, const ResolvedGlobal &global, std::span<const int64_t> numbers, Complaints &wrong)
      : info_(info), global_(global), numbers_(numbers), wrong_(wrong) {}

  void run() {
    bool lawful = true;
    for (int d = 0; d < global_.rank; ++d)
      if (extent(d) > 1)
        lawful = check_one(d) && lawful;
    if (!lawful)
      return;
    check_span();
    if (info_.access != Access::read)
      check_overlap();
  }

private:
  [[nodiscard]] int64_t extent(int d) const { return global_.extent(numbers_, d); }
  [[nodiscard]] int64_t stride(int d) const { return numbers_[global_.stride(d)]; }
  [[nodiscard]] const std::string &dim(int d) const { return info_.dims[static_cast<size_t>(d)]; }

  bool check_one(int d) {
    const int64_t elements = stride(d);
    if (elements < 0) {
      wrong_.add(fmt::format("the stride of {} in {} is {}; it must be at least 0", info_.name, dim(d), elements));
      return false;
    }
    if (d == info_.unit_dim && elements != 1) {
      wrong_.add(
          fmt::format("the stride of {} in {} is {} elements; the kernel takes 1", info_.name, dim(d), elements));
      return false;
    }
    int64_t stride_bits = 0;
    if (__builtin_mul_overflow(elements, bits(info_.dtype), &stride_bits)) {
      wrong_.add(
          fmt::format("the stride of {} in {} is {} elements; its bytes pass 2^60", info_.name, dim(d), elements));
      return false;
    }
    const int64_t divisor = info_.stride_divisors[static_cast<size_t>(d)];
    if (d != info_.unit_dim && stride_bits % (8 * divisor) != 0)
      wrong_.add(fmt::format("the stride of {} in {} is {} bytes; the kernel takes multiples of {}", info_.name, dim(d),
                             stride_bits / 8, divisor));
    if (global_.mapped[static_cast<size_t>(d)] && stride_bits / 8 >= kMaxTmaStrideBytes)
      wrong_.add(fmt::format("the stride of {} in {} is {} bytes; TMA takes less than {} (2^40)", info_.name, dim(d),
                             stride_bits / 8, kMaxTmaStrideBytes));
    return true;
  }

  // The last element's offset must fit the 64-bit arithmetic of the kernel.
  void check_span() {
    int64_t last = 0;
    bool passed = false;
    for (int d = 0; d < global_.rank; ++d) {
      int64_t step = 0;
      passed |= __builtin_mul_overflow(std::max<int64_t>(extent(d) - 1, 0), stride(d), &step);
      passed |= __builtin_add_overflow(last, step, &last);
    }
    passed = passed || last >= (INT64_MAX / 16);
    if (passed)
      wrong_.add(fmt::format("the last element of {} lies beyond 2^59 elements", info_.name));
  }

  // Outputs must not write one address twice. In the order of strides, each must step over all that the smaller ones
  // span; where it doesn't, two dims may still interleave, which is decided exactly for each pair.
  void check_overlap() {
    std::array<int, kMaxRankForOverlap> order{};
    int count = 0;
    for (int d = 0; d < global_.rank && count < kMaxRankForOverlap; ++d)
      if (extent(d) > 1)
        order[static_cast<size_t>(count++)] = d;
    std::sort(order.begin(), order.begin() + count, [&](int a, int b) { return stride(a) < stride(b); });
    int64_t spanned = 0;
    for (int i = 0; i < count; ++i) {
      const int d = order[static_cast<size_t>(i)];
      if (stride(d) == 0)
        return overlapping(d, "is 0");
      if (stride(d) <= spanned && (count > 2 || pair_meets(order[0], order[1])))
        return overlapping(d,
                           fmt::format("is {}, and dims of smaller stride span {} elements", stride(d), spanned + 1));
      spanned += (extent(d) - 1) * stride(d);
    }
  }

  // Steps i and j within the extents with i * stride(a) = j * stride(b).
  [[nodiscard]] bool pair_meets(int a, int b) const {
    const int64_t common = std::gcd(stride(a), stride(b));
    return stride(b) / common < extent(a) && stride(a) / common < extent(b);
  }

  void overlapping(int d, std::string_view why) {
    wrong_.add(fmt::format("{} is written and overlaps itself: its stride in {} {}", info_.name, dim(d), why));
  }

  const GlobalInfo &info_;
  const ResolvedGlobal &global_;
  std::span<const int64_t> numbers_;
  Complaints &wrong_;
};

bool any_negative(const ResolvedGlobal &global, std::span<const int64_t> numbers) {
  for (int d = 0; d < global.rank; ++d)
    if (global.extent(numbers, d) < 0)
      return true;
  return false;
}

void check_map_extents(const ResolvedManifest &resolved, size_t index, std::span<const int64_t> numbers,
                       Complaints &wrong) {
  const TensorMapInfo &map = resolved.manifest.tensor_maps[index];
  const ResolvedGlobal &global = resolved.globals[resolved.map_global[index]];
  const GlobalInfo &info = resolved.manifest.globals[resolved.map_global[index]];
  for (int d : map.order)
    if (const int64_t most = d == map.window ? kWindowRows : kMaxTmaExtent; global.extent(numbers, d) > most)
      wrong.add(fmt::format("the extent of {} in {} is {}; TMA takes up to {} (2^{})", info.name,
                            info.dims[static_cast<size_t>(d)], global.extent(numbers, d), most,
                            d == map.window ? 30 : 32));
  const int inner = map.order.front();
  if (global.extent(numbers, inner) > 1 && inner != info.unit_dim && numbers[global.stride(inner)] != 1)
    wrong.add(fmt::format("the stride of {} in {} is {} elements; TMA takes 1", info.name,
                          info.dims[static_cast<size_t>(inner)], numbers[global.stride(inner)]));
}

} // namespace

void check_base(const ResolvedManifest &resolved, size_t index, std::span<const int64_t> numbers, Complaints &wrong) {
  const GlobalInfo &info = resolved.manifest.globals[index];
  const ResolvedGlobal &global = resolved.globals[index];
  const auto base = static_cast<DevicePtr>(numbers[global.base]);
  // Descriptors need 16 bytes whatever the manifest says.
  const int64_t align = std::max<int64_t>(info.align_bytes, global.has_map ? 16 : 1);
  if (base == 0)
    wrong.add(fmt::format("{} is null", info.name));
  else if (base % static_cast<DevicePtr>(align) != 0)
    wrong.add(fmt::format("{} lies at {:#x}; the kernel takes multiples of {} bytes", info.name, base, align));
}

void check_numbers(const ResolvedManifest &resolved, std::span<const int64_t> numbers,
                   std::span<const unsigned char> given, Complaints &wrong) {
  check_dims(resolved, numbers, wrong);
  for (size_t i = 0; i < resolved.globals.size(); ++i) {
    const ResolvedGlobal &global = resolved.globals[i];
    if (given[global.base] == 0 || any_negative(global, numbers) || global.empty(numbers))
      continue;
    check_base(resolved, i, numbers, wrong);
    StrideCheck(resolved.manifest.globals[i], global, numbers, wrong).run();
    for (size_t map = 0; map < resolved.map_global.size(); ++map)
      if (resolved.map_global[map] == i)
        check_map_extents(resolved, map, numbers, wrong);
  }
}

void check_residence(const ContextState &context, std::string_view name, DevicePtr base, Complaints &wrong) {
  auto get = context.driver.api().cuPointerGetAttribute;
  if (!get || base == 0)
    return;
  CurrentContext current(context);
  int type = 0;
  CUresult status = get(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, base);
  if (status == CUDA_ERROR_INVALID_VALUE) {
    wrong.add(fmt::format("{} lies at {:#x}, which no device can reach: it is host memory or was freed", name, base));
    return;
  }
  // Page-locked host memory and managed memory are reached from every device.
  unsigned managed = 0;
  if (status != CUDA_SUCCESS || type != CU_MEMORYTYPE_DEVICE ||
      (get(&managed, CU_POINTER_ATTRIBUTE_IS_MANAGED, base) == CUDA_SUCCESS && managed))
    return;
  int ordinal = 0;
  if (get(&ordinal, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, base) == CUDA_SUCCESS && ordinal != context.info.ordinal)
    wrong.add(fmt::format("{} lies on device {}, the kernel is loaded on {}", name, ordinal, to_string(context.info)));
}

static void add_window_dims(TensorMapSpec &spec, int64_t stride) {
  for (int64_t elements : {stride, kWindowStrideSum - stride}) {
    spec.dims.push_back(kWindowAddedExtent);
    spec.box.push_back(1);
    spec.strides.push_back(elements * bits(spec.dtype) / 8);
  }
}

TensorMapSpec tensor_map_spec(const ResolvedManifest &resolved, size_t index, std::span<const int64_t> numbers) {
  const TensorMapInfo &map = resolved.manifest.tensor_maps[index];
  const ResolvedGlobal &global = resolved.globals[resolved.map_global[index]];
  TensorMapSpec spec;
  spec.base = static_cast<DevicePtr>(numbers[global.base]);
  spec.dtype = map.dtype;
  spec.swizzle = map.swizzle;
  for (size_t i = 0; i < map.order.size(); ++i) {
    spec.dims.push_back(map.order[i] == map.window ? kWindowRows : global.extent(numbers, map.order[i]));
    spec.box.push_back(map.box[i]);
    if (i > 0)
      spec.strides.push_back(numbers[global.stride(map.order[i])] * bits(map.dtype) / 8);
  }
  if (map.window >= 0)
    add_window_dims(spec, numbers[global.stride(map.window)]);
  return spec;
}

int64_t grid_blocks(const ResolvedManifest &resolved, std::span<const int64_t> numbers, int multiprocessors,
                    Complaints &wrong) {
  const int64_t cluster = resolved.manifest.cluster[0];
  int64_t total = 1;
  bool passed = false;
  for (size_t i = 0; i < resolved.grid.size(); ++i) {
    const ResolvedGridFactor &factor = resolved.grid[i];
    int64_t tiles = factor.divisor;
    if (factor.dim >= 0) {
      const int64_t extent = numbers[static_cast<size_t>(factor.dim)];
      tiles = extent <= 0 ? 0 : 1 + (extent - 1) / factor.divisor;
    }
    if (tiles == 0)
      return 0;
    if (i == 0)
      tiles = (tiles + cluster - 1) / cluster * cluster;
    passed |= __builtin_mul_overflow(total, tiles, &total);
  }
  if (resolved.grid.empty())
    total = cluster;
  if (passed)
    total = INT64_MAX;
  if (resolved.manifest.persistent)
    total = std::min(total, std::max<int64_t>(multiprocessors / cluster, 1) * cluster);
  if (total > INT32_MAX) {
    wrong.add(fmt::format("the grid has {} blocks; a launch takes up to {} (2^31 - 1)",
                          passed ? "more than 2^63" : std::to_string(total), INT32_MAX));
    return 0;
  }
  return total;
}

} // namespace tegula
