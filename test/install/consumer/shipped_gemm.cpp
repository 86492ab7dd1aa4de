// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A product by the shipped kernels: ones times ones, whose elements are k.
#include <tegula/kernels.h>
#include <tegula/runtime.h>

#include <cstdint>
#include <cstdio>
#include <span>
#include <vector>

using namespace tegula;

static Result<void> run(const char *device) {
  constexpr int64_t m = 64, n = 64, k = 128;
  TEGULA_TRY(Context context, open_device(device));
  TEGULA_TRY(Stream stream, Stream::create(context));
  TEGULA_TRY(DeviceBuffer a, DeviceBuffer::allocate(context, m * k * 2));
  TEGULA_TRY(DeviceBuffer b, DeviceBuffer::allocate(context, n * k * 2));
  TEGULA_TRY(DeviceBuffer d, DeviceBuffer::allocate(context, m * n * 4));
  const std::vector<uint16_t> ones(m * k, 0x3f80); // 1 as bf16
  TEGULA_CHECK(a.upload(std::as_bytes(std::span(ones))));
  TEGULA_CHECK(b.upload(std::as_bytes(std::span(ones))));

  Jit jit({.cache_bytes = 0});
  Gemm gemm(context, jit);
  GemmArgs args{.m = m,
                .n = n,
                .k = k,
                .a = row_major(a.address(), k),
                .b = column_major(b.address(), k),
                .d = row_major(d.address(), n)};
  args.out = DType::f32;
  TEGULA_CHECK(gemm.run(args, stream));
  TEGULA_CHECK(stream.synchronize());

  std::vector<float> result(m * n);
  TEGULA_CHECK(d.download(std::as_writable_bytes(std::span(result))));
  for (float element : result)
    if (element != k)
      return Error(ErrorCode::internal, "an element is " + std::to_string(element));
  return {};
}

int main(int, char **arguments) {
  const Result<void> result = run(arguments[1]);
  if (!result)
    std::fprintf(stderr, "%s\n", result.error().describe().c_str());
  return result ? 0 : 1;
}
