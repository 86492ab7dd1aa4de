// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Y = alpha * X + Y. The first kernel to read: arguments, a grid of tiles, load, arithmetic, store.
#include "kernels/examples/examples.h"
#include "tegula/dsl.h"

namespace tegula::examples {

using namespace dsl;

Result<dsl::Kernel> saxpy(Target target, const SaxpySchedule &s) {
  KernelBuilder k("saxpy", target);
  Index N = k.dim("N");
  Global X = k.global("X", f32, {N}), Y = k.global("Y", f32, {N});
  Scalar alpha = k.scalar("alpha", f32);

  k.warps(s.warps);
  k.grid({ceildiv(N, s.elements)}).each([&](Index i) {
    Tile x = load(X.tile(i), {s.elements}); // what lies beyond N reads as 0 ...
    Tile y = load(Y.tile(i), {s.elements});
    store(alpha * x + y, Y.tile(i)); // ... and is not written: the ragged tail needs no word
  });
  return k.finish();
}

} // namespace tegula::examples
