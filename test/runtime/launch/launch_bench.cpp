// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a bound launch and an update cost beyond the driver's call, on the fake driver. Prints, asserts nothing.
#include <chrono>
#include <cstdio>

#include "runtime/driver/graph.h"
#include "runtime/launch/kernel.h"
#include "test/runtime/fake_driver/fake_driver.h"
#include "test/runtime/launch/gemm_manifest.h"

using namespace tegula;

namespace {

template <typename F> double nanoseconds(F call) {
  constexpr int kRounds = 200'000;
  auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < kRounds; ++i)
    call();
  std::chrono::duration<double, std::nano> spent = std::chrono::steady_clock::now() - start;
  fake::state().launches.clear();
  return spent.count() / kRounds;
}

Result<void> run() {
  TEGULA_TRY(Driver driver, Driver::open({.library = TEGULA_FAKE_DRIVER, .emulator_devices = {}}));
  TEGULA_TRY(Context context, Context::open(driver));
  KernelManifest manifest = gemm_manifest();
  TEGULA_TRY(Kernel kernel, Kernel::load(context, std::move(manifest), std::as_bytes(std::span(kGemmPtx))));
  TEGULA_TRY(DeviceBuffer memory, DeviceBuffer::allocate(context, 1 << 20));
  const DevicePtr at = memory.address();
  const int64_t ab[] = {64, 1};
  const int64_t cc[] = {384, 1};
  const GlobalArg globals[] = {
      {"A", at, DType::bf16, ab, {}}, {"B", at, DType::bf16, ab, {}}, {"C", at, DType::f32, cc, {}}};
  const DimArg dims[] = {{"M", 256}, {"N", 384}, {"K", 64}};
  const ScalarArg scalars[] = {{"alpha", 1.0f}};
  const KernelArgs args{globals, dims, scalars};
  TEGULA_TRY(BoundKernel bound, kernel.bind(args));
  // As in a thread that has launched before.
  (void)driver.api().cuCtxPushCurrent_v2(context.state()->context);
  fake::state().record = false;
  cu::CUlaunchConfig config{};
  std::printf("bare call                         %7.1f ns\n", nanoseconds([&] {
                (void)driver.api().cuLaunchKernelEx(&config, kernel.function().raw(), nullptr, nullptr);
              }));
  std::printf("launch                            %7.1f ns\n", nanoseconds([&] { (void)bound.launch(); }));
  std::printf("update, nothing changed           %7.1f ns\n", nanoseconds([&] { (void)bound.update(args); }));
  DevicePtr other = at + 1024;
  std::printf("set_base                          %7.1f ns\n", nanoseconds([&] {
                (void)bound.set_base("C", other);
                other = other == at ? at + 1024 : at;
              }));
  std::printf("bind                              %7.1f ns\n", nanoseconds([&] { (void)kernel.bind(args).ok(); }));
  return {};
}

} // namespace

int main() {
  auto result = run();
  if (!result)
    std::fprintf(stderr, "%s\n", result.error().describe().c_str());
  return result ? 0 : 1;
}
