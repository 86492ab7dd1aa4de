// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A kernel that was compiled while this project was built: from its bundle, and the header that came with it.
#include <saxpy.sm_90a.h>

#include "check_saxpy.h"

using namespace tegula;

static_assert(!tegula_kernels::saxpy_sm_90a::kManifest.empty());

static Result<void> run(const char *device, const char *folder) {
  TEGULA_TRY(Context context, open_device(device));
  TEGULA_TRY(Bundle bundle, Bundle::open(folder));
  TEGULA_TRY(Kernel kernel, bundle.load(context, "saxpy"));
  return check_saxpy(context, [&](DevicePtr x, DevicePtr y, const Stream &stream) {
    ArgumentList args;
    args.global("X", x, DType::f32, {kElements}).global("Y", y, DType::f32, {kElements}).scalar("alpha", kAlpha);
    return kernel.launch(args, {.stream = stream});
  });
}

int main(int, char **arguments) { return status_of(run(arguments[1], arguments[2])); }
