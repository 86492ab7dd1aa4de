// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// In a file of its own, since the DSL and the runtime both have a Scalar.
#include "test/compiler/jit/scale_kernel.h"

#include "tegula/dsl.h"

using namespace tegula::dsl;

tegula::Result<Kernel> build_scale() {
  KernelBuilder k("scale", Target::sm_90a);
  Index N = k.dim("N");
  Global X = k.global("X", f32, {N}), Y = k.global("Y", f32, {N});
  Scalar alpha = k.scalar("alpha", f32);
  k.grid({ceildiv(N, 1024)}).each([&](Index i) { store(alpha * load(X.tile(i), {1024}), Y.tile(i)); });
  return k.finish();
}
