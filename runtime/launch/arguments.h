// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a launch is given, by name: tensors, extents and scalars.
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string_view>
#include <vector>

#include "runtime/driver/memory.h"
#include "runtime/launch/scalar.h"
#include "runtime/types/dtype.h"

namespace tegula {

/// A tensor in global memory.
struct GlobalArg {
  std::string_view name;
  DevicePtr base = 0; ///< of element 0; may be null where an extent is 0
  DType dtype = DType::f32;
  /// Elements from one index to the next, a dim, in the order of the kernel's dims; 0 broadcasts. Strides of extents 0
  /// and 1 are ignored. Empty: dense, with the kernel's unit dim innermost (else the last one).
  std::span<const int64_t> strides;
  /// Optional: the tensor's own extents. They give the dims that aren't given by name and must agree with the rest.
  std::span<const int64_t> extents;
};

struct DimArg {
  std::string_view name;
  int64_t value = 0;
};

struct ScalarArg {
  std::string_view name;
  Scalar value;
};

/// Views of arrays that the caller keeps for the time of the call. Order doesn't matter; the order of the manifest is
/// found fastest.
struct KernelArgs {
  std::span<const GlobalArg> globals;
  std::span<const DimArg> dims;
  std::span<const ScalarArg> scalars;
};

/// The same, owned, for where a launch is written out by hand:
///     ArgumentList args;
///     args.global("A", a.address(), DType::bf16, {m, k}).global("C", c.address(), DType::f32, {m, n}, {ldc, 1});
///     args.scalar("alpha", 0.5f);
///     TEGULA_CHECK(kernel.launch(args, {.stream = stream}));
/// Names must outlive the list (literals do).
class ArgumentList {
public:
  /// Extents, and strides where they aren't dense. At most 8 dims.
  ArgumentList &global(std::string_view name, DevicePtr base, DType dtype, std::initializer_list<int64_t> extents,
                       std::initializer_list<int64_t> strides = {});
  ArgumentList &dim(std::string_view name, int64_t value);
  ArgumentList &scalar(std::string_view name, Scalar value);

  /// Holds until the list is changed or moved.
  operator KernelArgs() const;

private:
  struct Shape {
    std::array<int64_t, 8> extents{};
    std::array<int64_t, 8> strides{};
    size_t extent_count = 0;
    size_t stride_count = 0;
  };
  mutable std::vector<GlobalArg> globals_;
  std::vector<Shape> shapes_;
  std::vector<DimArg> dims_;
  std::vector<ScalarArg> scalars_;
};

} // namespace tegula
