// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Exports: tensor maps. Everything that the driver would refuse is refused, and said (CUDA driver API 13.0,
// cuTensorMapEncodeTiled).
#include "runtime/emulator/async/tensor_map.h"

#include "runtime/emulator/driver/state.h"

#include <cstring>

using namespace tegula::emulator;

namespace {

std::string join(const std::vector<std::string> &items) {
  std::string text;
  for (const std::string &s : items)
    text += (text.empty() ? "" : "; ") + s;
  return text;
}

bool is_floating(int type) { return type == 6 || type == 7 || type == 8 || type == 9 || type >= 10; }

} // namespace

TEGULA_EXPORT CUresult cuTensorMapEncodeTiled(CUtensorMap *map, CUtensorMapDataType type, uint32_t rank, void *base,
                                              const uint64_t *dims, const uint64_t *strides, const uint32_t *box,
                                              const uint32_t *steps, CUtensorMapInterleave interleave,
                                              CUtensorMapSwizzle swizzle, CUtensorMapL2promotion,
                                              CUtensorMapFloatOOBfill fill) {
  std::vector<std::string> wrong;
  auto check = [&](bool ok, const std::string &what) {
    if (!ok)
      wrong.push_back(what);
    return ok;
  };
  if (static_cast<int>(interleave) != 0 || static_cast<int>(type) > 12) {
    std::fprintf(stderr, "tegula emulator: interleaved and 4- and 6-bit tensor maps are not emulated\n");
    return CUDA_ERROR_NOT_SUPPORTED;
  }
  check(map && reinterpret_cast<uintptr_t>(map) % 64 == 0, "the map must lie at a multiple of 64 bytes");
  check(rank >= 1 && rank <= 5, "rank " + std::to_string(rank) + ", 1 to 5 is allowed");
  check(dims && box && steps && strides, "an array is null");
  check(static_cast<int>(type) >= 0, "unknown type");
  check(static_cast<int>(swizzle) >= 0 && static_cast<int>(swizzle) <= 3, "unknown or unemulated swizzle");
  if (!wrong.empty()) {
    std::fprintf(stderr, "tegula emulator: cuTensorMapEncodeTiled: %s\n", join(wrong).c_str());
    return CUDA_ERROR_INVALID_VALUE;
  }
  TensorMap m;
  m.type = static_cast<MapType>(type);
  m.rank = static_cast<uint8_t>(rank);
  m.swizzle = static_cast<MapSwizzle>(swizzle);
  m.nan_fill = fill != CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE;
  m.address = reinterpret_cast<uint64_t>(base);
  check(m.address && m.address % 16 == 0, "the base address must be a multiple of 16");
  check(!m.nan_fill || is_floating(type), "NaN fill of an integer map");
  for (uint32_t d = 0; d < rank; ++d) {
    std::string which = " in dimension " + std::to_string(d);
    check(dims[d] >= 1 && dims[d] <= (uint64_t{1} << 32),
          "extent " + std::to_string(dims[d]) + which + ", 1 to 2^32 is allowed");
    check(box[d] >= 1 && box[d] <= 256, "box " + std::to_string(box[d]) + which + ", 1 to 256 is allowed");
    check(steps[d] >= 1 && steps[d] <= 8, "element stride " + std::to_string(steps[d]) + which + ", 1 to 8 is allowed");
    if (d > 0) {
      check(strides[d - 1] % 16 == 0 && strides[d - 1] < (uint64_t{1} << 40),
            "stride " + std::to_string(strides[d - 1]) + which + ": a multiple of 16 below 2^40 is allowed");
      m.stride[d - 1] = strides[d - 1];
    }
    m.last[d] = static_cast<uint32_t>(dims[d] - 1);
    m.box[d] = static_cast<uint16_t>(box[d]);
    m.step[d] = static_cast<uint8_t>(steps[d]);
  }
  uint32_t row = box[0] * m.element_bytes();
  check(row % 16 == 0, "a box row of " + std::to_string(row) + " bytes, which is no multiple of 16");
  uint32_t span = 16u << static_cast<unsigned>(swizzle);
  check(static_cast<int>(swizzle) == 0 || row <= span,
        "a box row of " + std::to_string(row) + " bytes is wider than the swizzle's " + std::to_string(span));
  if (!wrong.empty()) {
    std::fprintf(stderr, "tegula emulator: cuTensorMapEncodeTiled: %s\n", join(wrong).c_str());
    return CUDA_ERROR_INVALID_VALUE;
  }
  std::memcpy(map, &m, sizeof m);
  return CUDA_SUCCESS;
}

TEGULA_EXPORT CUresult cuTensorMapReplaceAddress(CUtensorMap *map, void *address) {
  TensorMap m;
  if (!map || reinterpret_cast<uintptr_t>(address) % 16)
    return CUDA_ERROR_INVALID_VALUE;
  std::memcpy(&m, map, sizeof m);
  if (m.magic != TensorMap::kMagic)
    return CUDA_ERROR_INVALID_VALUE;
  m.address = reinterpret_cast<uint64_t>(address);
  std::memcpy(map, &m, sizeof m);
  return CUDA_SUCCESS;
}
