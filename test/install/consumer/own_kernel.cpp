// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A kernel in the DSL, compiled and run by a program that sees no header of LLVM.
#include <tegula/dsl.h>
#include <tegula/kernels.h>

#include "check_saxpy.h"

static tegula::Result<tegula::dsl::Kernel> build_saxpy() {
  using namespace tegula::dsl;
  KernelBuilder k("my_saxpy", Target::sm_90a);
  Index N = k.dim("N");
  Global X = k.global("X", f32, {N}), Y = k.global("Y", f32, {N});
  Scalar alpha = k.scalar("alpha", f32);
  k.warps(4);
  k.grid({ceildiv(N, 512)}).each([&](Index i) {
    store(alpha * load(X.tile(i), {512}) + load(Y.tile(i), {512}), Y.tile(i));
  });
  return k.finish();
}

using namespace tegula;

static Result<void> run(const char *device) {
  TEGULA_TRY(Context context, open_device(device));
  Jit jit({.cache_bytes = 0});
  TEGULA_TRY(Kernel kernel, jit.load(context, {"my_saxpy", "", "", build_saxpy}));
  return check_saxpy(context, [&](DevicePtr x, DevicePtr y, const Stream &stream) {
    ArgumentList args;
    args.global("X", x, DType::f32, {kElements}).global("Y", y, DType::f32, {kElements}).scalar("alpha", kAlpha);
    return kernel.launch(args, {.stream = stream});
  });
}

int main(int, char **arguments) { return status_of(run(arguments[1])); }
