// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A manifest with its names turned into positions, once at load, so that a launch compares no strings. All numbers
// that a launch is given lie in one flat array: dims, then base and strides of each global, then scalars' bits.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "runtime/launch/manifest.h"

namespace tegula {

struct ResolvedGlobal {
  int rank = 0;
  size_t base = 0;               ///< position of the base; the strides follow it
  std::vector<int> dim;          ///< position of each dim, or -1 for a constant
  std::vector<int64_t> constant; ///< its extent then
  std::vector<bool> mapped;      ///< a dim: TMA steps along it with a stride
  bool has_map = false;

  [[nodiscard]] size_t stride(int d) const { return base + 1 + static_cast<size_t>(d); }
  [[nodiscard]] int64_t extent(std::span<const int64_t> numbers, int d) const {
    const auto at = static_cast<size_t>(d);
    return dim[at] >= 0 ? numbers[static_cast<size_t>(dim[at])] : constant[at];
  }
  [[nodiscard]] bool empty(std::span<const int64_t> numbers) const {
    for (int d = 0; d < rank; ++d)
      if (extent(numbers, d) == 0)
        return true;
    return false;
  }
};

struct ResolvedScalar {
  std::string name;
  DType dtype;
  size_t position;
};

struct ResolvedParam {
  ParamKind kind;
  size_t position; ///< in the numbers; for tensor_map: index of the map
  DType dtype;
};

struct ResolvedGridFactor {
  int dim; ///< position, or -1
  int64_t divisor;
};

struct ResolvedManifest {
  /// \param manifest has passed `validate`.
  explicit ResolvedManifest(KernelManifest manifest);

  KernelManifest manifest;
  std::vector<ResolvedGlobal> globals;
  std::vector<size_t> map_global; ///< a tensor map: index of its global
  std::vector<ResolvedScalar> scalars;
  std::vector<ResolvedParam> params;
  std::vector<ResolvedGridFactor> grid;
  size_t number_count = 0;
};

/// Bytes of a parameter as the entry point takes it.
[[nodiscard]] int64_t param_bytes(const ResolvedParam &param);

} // namespace tegula
