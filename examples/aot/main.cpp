// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs a kernel that was compiled ahead of time: y = alpha * x + y, from a bundle, with the runtime alone. A bundle with
// a saxpy of your own comes from `tegula compile saxpy --arch sm_90a -o DIR`; the one beside this file has PTX by hand.
//     aot_example DIR [DEVICE [N]]          e.g. aot_example examples/aot/kernels emulator:sm_90a 1000
#include <tegula/runtime.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

using namespace tegula;

namespace {

constexpr float kAlpha = 2.5f;

Result<void> check(const std::vector<float> &x, const std::vector<float> &y) {
  for (size_t i = 0; i < y.size(); ++i) {
    const float expected = kAlpha * x[i] + 1.0f;
    if (std::fabs(y[i] - expected) > 1e-5f * std::fabs(expected))
      return Error(ErrorCode::internal, "y[" + std::to_string(i) + "] is " + std::to_string(y[i]) + "; it should be " +
                                            std::to_string(expected));
  }
  return {};
}

Result<void> run(const std::string &folder, const std::string &device, int64_t n) {
  TEGULA_TRY(Context gpu, open_device(device));
  TEGULA_TRY(Bundle bundle, Bundle::open(folder));
  TEGULA_TRY(Kernel saxpy, bundle.load(gpu, "saxpy"));

  std::vector<float> x(static_cast<size_t>(n));
  std::vector<float> y(static_cast<size_t>(n), 1.0f);
  for (size_t i = 0; i < x.size(); ++i)
    x[i] = static_cast<float>(i % 1000);
  TEGULA_TRY(Stream stream, Stream::create(gpu));
  TEGULA_TRY(DeviceBuffer dx, DeviceBuffer::allocate(gpu, n * 4));
  TEGULA_TRY(DeviceBuffer dy, DeviceBuffer::allocate(gpu, n * 4));
  TEGULA_CHECK(dx.upload(std::as_bytes(std::span(x))));
  TEGULA_CHECK(dy.upload(std::as_bytes(std::span(y))));

  ArgumentList args;
  args.global("x", dx.address(), DType::f32, {n}).global("y", dy.address(), DType::f32, {n}).scalar("alpha", kAlpha);
  TEGULA_CHECK(saxpy.launch(args, {.stream = stream, .start = Start::after_prior}));
  TEGULA_CHECK(stream.synchronize());
  TEGULA_CHECK(dy.download(std::as_writable_bytes(std::span(y))));
  TEGULA_CHECK(check(x, y));
  std::printf("saxpy of %lld elements on %s is right%s\n", static_cast<long long>(n), gpu.device().name.c_str(),
              gpu.device().emulated ? " (emulated)" : "");
  return {};
}

} // namespace

int main(int argc, char **argv) {
  if (argc < 2 || argc > 4) {
    std::fprintf(stderr, "usage: %s DIR [DEVICE [N]]\n", argv[0]);
    return 2;
  }
  const std::string device = argc > 2 ? argv[2] : to_string(default_device());
  auto result = run(argv[1], device, argc > 3 ? std::atoll(argv[3]) : 1 << 20);
  if (!result)
    std::fprintf(stderr, "%s\n", result.error().message().c_str());
  return result ? 0 : 1;
}
