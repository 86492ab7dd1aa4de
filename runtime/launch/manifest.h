// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The description of a compiled kernel: what it must be given and how it is launched. The compiler writes it, the
// launcher obeys it; as JSON it lies beside the cubin.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/result/result.h"
#include "runtime/types/dtype.h"
#include "runtime/types/swizzle.h"

namespace tegula {

enum class Access : uint8_t { read, write, read_write };

/// A tensor in global memory that the kernel takes by name.
struct GlobalInfo {
  std::string name;
  DType dtype = DType::f32;
  std::vector<std::string> dims; ///< names of dims, outermost first; a decimal number is a constant extent
  int unit_dim = -1;             ///< index of the dim whose stride is 1 element; -1: none is promised
  Access access = Access::read;
  int64_t align_bytes = 1; ///< of the base address
  std::vector<int64_t>
      stride_divisors; ///< a dim: strides in bytes are multiples of this (1: of nothing); e.g. 16 for TMA

  bool operator==(const GlobalInfo &) const = default;
};

/// A TMA descriptor that the launcher encodes from a global's base, extents and strides.
struct TensorMapInfo {
  std::string global;
  std::vector<int> order;   ///< dims of the global, innermost first
  std::vector<int64_t> box; ///< elements of one copy, innermost first
  Swizzle swizzle = Swizzle::none;
  DType dtype = DType::f32;
  int window = -1; ///< the dim of the global along which it shows windows (tensor_window.h); -1: the whole tensor

  bool operator==(const TensorMapInfo &) const = default;
};

enum class ParamKind : uint8_t { tensor_map, pointer, stride, dim, scalar };

/// One parameter of the entry point, in order. pointer: 64 bit; stride: in elements, 64 bit; dim and scalar: of `dtype`.
struct ParamInfo {
  ParamKind kind = ParamKind::pointer;
  std::string name;         ///< the global, dim or scalar
  int index = 0;            ///< tensor_map: index in tensor_maps; stride: dim of the global
  DType dtype = DType::s64; ///< dim (s64 or s32) and scalar

  bool operator==(const ParamInfo &) const = default;
};

struct DimInfo {
  std::string name;
  int64_t divisor = 1; ///< a promise that the code relies on: the value is a multiple

  bool operator==(const DimInfo &) const = default;
};

/// A factor of the number of tiles: ceildiv(value of dim, divisor), or the constant `divisor` where dim is empty.
struct GridFactor {
  std::string dim;
  int64_t divisor = 1;

  bool operator==(const GridFactor &) const = default;
};

/// What the assembler said about the code.
struct ResourceReport {
  int registers = 0;
  int64_t spill_store_bytes = 0;
  int64_t spill_load_bytes = 0;
  int64_t stack_bytes = 0;
  int64_t shared_bytes = 0;
  bool serialized_wgmma = false;
  std::vector<std::string> remarks;

  bool operator==(const ResourceReport &) const = default;
};

struct KernelManifest {
  std::string kernel; ///< the name that users know: "gemm"
  std::string entry;  ///< the entry point's symbol
  std::string arch;   ///< "sm_90a"
  std::vector<DimInfo> dims;
  std::vector<GlobalInfo> globals;
  std::vector<TensorMapInfo> tensor_maps;
  std::vector<ParamInfo> params;
  std::vector<GridFactor> grid; ///< the first varies fastest, along the cluster's x
  bool persistent = false;      ///< no more blocks than fit the device at once; each loops over tiles
  int block_threads = 0;
  std::array<int, 3> cluster = {1, 1, 1};
  int64_t dynamic_shared_bytes = 0;
  bool pdl = false; ///< waits for its predecessor in the stream by itself, and so may start before that ends
  ResourceReport resources;
  std::map<std::string, std::string> schedule;
  std::string compiler;
  std::string assembler;

  bool operator==(const KernelManifest &) const = default;

  [[nodiscard]] const GlobalInfo *find_global(std::string_view name) const;
  [[nodiscard]] const DimInfo *find_dim(std::string_view name) const;
};

/// Whether every part agrees with every other; lists all that doesn't. Both JSON functions and Kernel::load call it.
[[nodiscard]] Result<void> validate(const KernelManifest &manifest);

/// Indented JSON; parse_manifest gives back an equal manifest.
[[nodiscard]] std::string to_json(const KernelManifest &manifest);

/// \errors bad_argument: not JSON, a field missing, unknown or of the wrong type (named, as in "globals[1].dtype"),
///         or parts that disagree.
[[nodiscard]] Result<KernelManifest> parse_manifest(std::string_view json);

} // namespace tegula
