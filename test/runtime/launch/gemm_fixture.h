// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The imaginary GEMM on the fake driver, with buffers and arguments that are right, for tests to spoil.
#pragma once

#include <functional>

#include "runtime/driver/graph.h"
#include "runtime/launch/kernel.h"
#include "test/runtime/fake_driver/open_fake.h"
#include "test/runtime/launch/gemm_manifest.h"

namespace tegula {

inline Kernel load_gemm(const Context &context, const std::function<void(KernelManifest &)> &change = {}) {
  KernelManifest manifest = gemm_manifest();
  if (change)
    change(manifest);
  auto kernel = Kernel::load(context, std::move(manifest), fake::bytes_of(kGemmPtx));
  if (!kernel)
    FAIL(kernel.error().message());
  return std::move(*kernel);
}

struct GemmFixture {
  GemmFixture() : ready(prepare()), context(fake::open_context()), a(buffer()), b(buffer()), c(buffer()) {}

  static bool prepare() {
    fake::open_driver();
    fake::state().devices.resize(2);
    fake::state().devices[1].name = "Fake H100";
    return true;
  }
  DeviceBuffer buffer() const { return std::move(*DeviceBuffer::allocate(context, 1 << 20)); }

  /// M = 256, N = 384, K = 64: 2 x 3 tiles.
  [[nodiscard]] std::string refusal(const std::function<void(GemmFixture &)> &spoil) {
    spoil(*this);
    auto bound = load_gemm(context).bind(args());
    REQUIRE_FALSE(bound);
    CHECK(bound.error().code() == ErrorCode::bad_argument);
    CHECK(fake::state().launches.empty());
    return bound.error().message();
  }
  [[nodiscard]] KernelArgs args() const { return {globals, dims, scalars}; }

  bool ready;
  Context context;
  DeviceBuffer a, b, c;
  std::vector<int64_t> strides_a = {64, 1}, strides_b = {64, 1}, strides_c = {384, 1};
  std::vector<GlobalArg> globals = {{"A", a.address(), DType::bf16, strides_a, {}},
                                    {"B", b.address(), DType::bf16, strides_b, {}},
                                    {"C", c.address(), DType::f32, strides_c, {}}};
  std::vector<DimArg> dims = {{"M", 256}, {"N", 384}, {"K", 64}};
  std::vector<ScalarArg> scalars = {{"alpha", 1.5f}};
};

inline const std::string kCannotLaunch = "cannot launch 'gemm': ";

} // namespace tegula
