// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/WarpToNV/TmaCoordinates.h"
#include "runtime/launch/tensor_window.h"

using namespace mlir;
using namespace tegula;

SmallVector<Value> tegula::tmaCoordinates(Emitter &e, const TmaUse &use, Value tensor, ArrayRef<Value> offsets,
                                          layout::Coordinates step) {
  const std::optional<GlobalWindow> &window = e.global(tensor).window;
  SmallVector<Value> coordinates;
  for (int dim : use.tensorDims) {
    Value at = offsets[static_cast<size_t>(dim)];
    if (int64_t more = dim < use.droppedDims ? 0 : step[static_cast<size_t>(dim - use.droppedDims)]; more != 0)
      at = e.add(at, e.i32(more));
    if (window && window->dim == dim)
      at = e.add(at, window->shift);
    coordinates.push_back(at);
  }
  if (window) { // see runtime/launch/tensor_window.h
    coordinates.push_back(window->end);
    coordinates.push_back(e.i32(kWindowRows));
  }
  return coordinates;
}
