// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Exports: tensor maps. Everything that the driver would refuse is refused, and said (CUDA driver API 13.0,
// cuTensorMapEncodeTiled and cuTensorMapEncodeIm2col).
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

bool is_floating(int type) { return type >= 6 && type <= 12; }

CUresult refuse(const char *function, const std::vector<std::string> &wrong) {
  std::fprintf(stderr, "tegula emulator: %s: %s\n", function, join(wrong).c_str());
  return CUDA_ERROR_INVALID_VALUE;
}

/// What both kinds of map have.
struct MapRequest {
  CUtensorMap *map;
  CUtensorMapDataType type;
  uint32_t rank;
  void *base;
  const uint64_t *dims, *strides;
  const uint32_t *steps;
  CUtensorMapInterleave interleave;
  CUtensorMapSwizzle swizzle;
  CUtensorMapFloatOOBfill fill;
};

class MapBuilder {
public:
  explicit MapBuilder(const MapRequest &r) : r_(r) {
    check(r.map && reinterpret_cast<uintptr_t>(r.map) % 64 == 0, "the map must lie at a multiple of 64 bytes");
    check(r.rank >= 1 && r.rank <= 5, "rank " + std::to_string(r.rank) + ", 1 to 5 is allowed");
    check(r.dims && r.steps && r.strides, "an array is null");
    check(static_cast<int>(r.type) >= 0 && static_cast<int>(r.type) <= 15, "unknown type");
    check(static_cast<int>(r.swizzle) >= 0 && static_cast<int>(r.swizzle) <= 6, "unknown swizzle");
  }
  bool check(bool ok, const std::string &what) {
    if (!ok)
      wrong.push_back(what);
    return ok;
  }
  void fill() {
    m.type = static_cast<MapType>(r_.type);
    m.rank = static_cast<uint8_t>(r_.rank);
    m.swizzle = static_cast<MapSwizzle>(r_.swizzle);
    m.nan_fill = r_.fill != CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE;
    m.address = reinterpret_cast<uint64_t>(r_.base);
    unsigned align = m.padded() ? 32 : 16;
    check(m.address && m.address % align == 0, "the base address must be a multiple of " + std::to_string(align));
    check(!m.nan_fill || is_floating(r_.type), "NaN fill of an integer map");
    for (uint32_t d = 0; d < r_.rank; ++d)
      dimension(d, align);
    unsigned whole = m.padded() ? 128 : m.type == MapType::u4 ? 2 : 1;
    check(r_.dims[0] % whole == 0, "extent " + std::to_string(r_.dims[0]) + " in dimension 0 must be a multiple of " +
                                       std::to_string(whole) + " with this type");
    check(!m.padded() || m.swizzle == MapSwizzle::none || m.swizzle == MapSwizzle::b128 ||
              m.swizzle == MapSwizzle::b128_atom32 ||
              (m.swizzle == MapSwizzle::b128_atom64 && m.type == MapType::u6_padded),
          "a swizzle that the padded types do not have");
  }
  /// Elements of one row in shared memory.
  void row(uint32_t elements) {
    m.box[0] = static_cast<uint16_t>(elements);
    check(!m.padded() || elements == 128, "a row of " + std::to_string(elements) + " elements; padded types have 128");
    unsigned bytes = m.row_bytes(), span = swizzle_span(m.swizzle);
    check(bytes % 16 == 0, "a box row of " + std::to_string(bytes) + " bytes, which is no multiple of 16");
    check(span == 0 || bytes <= span,
          "a box row of " + std::to_string(bytes) + " bytes is wider than the swizzle's " + std::to_string(span));
  }

  TensorMap m;
  std::vector<std::string> wrong;

private:
  void dimension(uint32_t d, unsigned align) {
    std::string which = " in dimension " + std::to_string(d);
    check(r_.dims[d] >= 1 && r_.dims[d] <= (uint64_t{1} << 32),
          "extent " + std::to_string(r_.dims[d]) + which + ", 1 to 2^32 is allowed");
    check(r_.steps[d] >= 1 && r_.steps[d] <= 8,
          "element stride " + std::to_string(r_.steps[d]) + which + ", 1 to 8 is allowed");
    if (d > 0) {
      check(r_.strides[d - 1] % align == 0 && r_.strides[d - 1] < (uint64_t{1} << 40),
            "stride " + std::to_string(r_.strides[d - 1]) + which + ": a multiple of " + std::to_string(align) +
                " below 2^40 is allowed");
      m.stride[d - 1] = r_.strides[d - 1];
    }
    m.last[d] = static_cast<uint32_t>(r_.dims[d] - 1);
    m.step[d] = static_cast<uint8_t>(r_.steps[d]);
  }
  MapRequest r_;
};

bool interleaved(CUtensorMapInterleave interleave) {
  if (static_cast<int>(interleave) == 0)
    return false;
  std::fprintf(stderr, "tegula emulator: interleaved tensor maps are not emulated\n");
  return true;
}

} // namespace

TEGULA_EXPORT CUresult cuTensorMapEncodeTiled(CUtensorMap *map, CUtensorMapDataType type, uint32_t rank, void *base,
                                              const uint64_t *dims, const uint64_t *strides, const uint32_t *box,
                                              const uint32_t *steps, CUtensorMapInterleave interleave,
                                              CUtensorMapSwizzle swizzle, CUtensorMapL2promotion,
                                              CUtensorMapFloatOOBfill fill) {
  if (interleaved(interleave))
    return CUDA_ERROR_NOT_SUPPORTED;
  MapBuilder b({map, type, rank, base, dims, strides, steps, interleave, swizzle, fill});
  b.check(box != nullptr, "an array is null");
  if (!b.wrong.empty())
    return refuse("cuTensorMapEncodeTiled", b.wrong);
  b.fill();
  for (uint32_t d = 0; d < rank; ++d) {
    b.check(box[d] >= 1 && box[d] <= 256,
            "box " + std::to_string(box[d]) + " in dimension " + std::to_string(d) + ", 1 to 256 is allowed");
    b.m.box[d] = static_cast<uint16_t>(box[d]);
  }
  b.row(box[0]);
  if (!b.wrong.empty())
    return refuse("cuTensorMapEncodeTiled", b.wrong);
  std::memcpy(map, &b.m, sizeof b.m);
  return CUDA_SUCCESS;
}

TEGULA_EXPORT CUresult cuTensorMapEncodeIm2col(CUtensorMap *map, CUtensorMapDataType type, uint32_t rank, void *base,
                                               const uint64_t *dims, const uint64_t *strides, const int *lower,
                                               const int *upper, uint32_t channels, uint32_t pixels,
                                               const uint32_t *steps, CUtensorMapInterleave interleave,
                                               CUtensorMapSwizzle swizzle, CUtensorMapL2promotion,
                                               CUtensorMapFloatOOBfill fill) {
  if (interleaved(interleave))
    return CUDA_ERROR_NOT_SUPPORTED;
  MapBuilder b({map, type, rank, base, dims, strides, steps, interleave, swizzle, fill});
  b.check(rank >= 3, "rank " + std::to_string(rank) + ", im2col has 3 to 5");
  b.check(lower && upper, "an array is null");
  b.check(channels >= 1 && channels <= 256, std::to_string(channels) + " channels a pixel, 1 to 256 are allowed");
  b.check(pixels >= 1 && pixels <= 1024, std::to_string(pixels) + " pixels a column, 1 to 1024 are allowed");
  if (!b.wrong.empty())
    return refuse("cuTensorMapEncodeIm2col", b.wrong);
  b.fill();
  const int most = rank == 3 ? 32767 : rank == 4 ? 127 : 15; // the corners' bits are shared out
  for (uint32_t d = 0; d + 2 < rank; ++d) {
    for (int corner : {lower[d], upper[d]})
      b.check(corner >= -most - 1 && corner <= most, "corner " + std::to_string(corner) + ", " +
                                                         std::to_string(-most - 1) + " to " + std::to_string(most) +
                                                         " is allowed");
    b.check(static_cast<int64_t>(dims[d + 1]) + upper[d] > lower[d],
            "the pixels' box is empty in dimension " + std::to_string(d + 1));
    b.m.lower[d] = static_cast<int16_t>(lower[d]);
    b.m.upper[d] = static_cast<int16_t>(upper[d]);
  }
  b.m.im2col = 1;
  b.m.pixels = static_cast<uint16_t>(pixels);
  b.row(channels);
  if (!b.wrong.empty())
    return refuse("cuTensorMapEncodeIm2col", b.wrong);
  std::memcpy(map, &b.m, sizeof b.m);
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
