// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Registers the warp dialect, turns its attributes into layouts and back, and verifies its ops.

#include "dialects/Warp/IR/WarpDialect.h"

#include "mlir/IR/DialectImplementation.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tegula;
using namespace tegula::warp;

// Generated definitions leave parameters unused.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"

#include "dialects/Warp/IR/WarpDialect.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "dialects/Warp/IR/WarpAttrs.cpp.inc"

#define GET_OP_CLASSES
#include "dialects/Warp/IR/WarpOps.cpp.inc"

#pragma GCC diagnostic pop

void WarpDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dialects/Warp/IR/WarpAttrs.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "dialects/Warp/IR/WarpOps.cpp.inc"
      >();
}

FragmentAttr FragmentAttr::get(MLIRContext *context, const layout::Fragment &fragment) {
  return get(context, StringRef(layout::to_string(fragment)));
}

// fragment F1
LogicalResult FragmentAttr::verifyEncoding(ArrayRef<int64_t> shape, Type,
                                           function_ref<InFlightDiagnostic()> emitError) const {
  auto parsed = layout::parse_fragment(getDigits(), layout::Shape(shape.begin(), shape.end()));
  if (!parsed)
    return emitError() << "'#warp.fragment' F1: " << parsed.reason();
  return success();
}

SharedAttr SharedAttr::get(MLIRContext *context, const layout::SharedLayout &layout) {
  return get(context, layout.unit_dim, span_bytes(layout.swizzle), layout.panel_bytes, layout.panel_rows,
             layout.padding_bytes, layout.matrix_bytes);
}

static Swizzle swizzleOfBytes(int64_t bytes) {
  switch (bytes) {
  case 128: return Swizzle::b128;
  case 64: return Swizzle::b64;
  case 32: return Swizzle::b32;
  default: return Swizzle::none;
  }
}

int64_t tegula::warp::elementBytes(Type element) { return std::max<int64_t>(8, element.getIntOrFloatBitWidth()) / 8; }

layout::SharedLayout tegula::warp::layoutOf(tile::ViewType view) {
  auto attr = cast<SharedAttr>(view.getLayout());
  layout::SharedLayout layout;
  layout.shape.assign(view.getShape().begin(), view.getShape().end());
  layout.unit_dim = attr.getUnit();
  layout.element_bytes = elementBytes(view.getElementType());
  layout.swizzle = swizzleOfBytes(attr.getSwizzle());
  layout.panel_bytes = attr.getPanel();
  layout.panel_rows = attr.getRows();
  layout.padding_bytes = attr.getPadding();
  layout.matrix_bytes = attr.getMatrix();
  return layout;
}

layout::Fragment tegula::warp::fragmentOf(RankedTensorType tensor) {
  auto digits = cast<FragmentAttr>(tensor.getEncoding()).getDigits();
  return *layout::parse_fragment(digits, layout::Shape(tensor.getShape().begin(), tensor.getShape().end()));
}

RankedTensorType tegula::warp::withFragment(RankedTensorType tensor, const layout::Fragment &fragment) {
  return tensor.cloneWithEncoding(FragmentAttr::get(tensor.getContext(), fragment));
}

tile::ViewType tegula::warp::withLayout(tile::ViewType view, const layout::SharedLayout &layout) {
  return view.withLayout(SharedAttr::get(view.getContext(), layout));
}

LogicalResult RingOp::verify() {
  constexpr int64_t limit = (1 << 20) - 1; // PTX ISA 9.0, mbarrier: pending count and tx-count
  if (getFullArrivals() < 1 || getEmptyArrivals() < 1 || int64_t(getFullArrivals()) > limit ||
      int64_t(getEmptyArrivals()) > limit)
    return emitOpError("R1: ") << getFullArrivals() << " and " << getEmptyArrivals()
                               << " arrivals; a barrier takes 1 to " << limit;
  if (int64_t(getBytes()) > limit)
    return emitOpError("R2: ") << getBytes() << " bytes a stage; a barrier counts up to " << limit
                               << ", use smaller slots";
  for (Type slot : getResult().getType().getSlots())
    if (!cast<tile::ViewType>(slot).getLayout())
      return emitOpError("R3: slot ") << slot << " has no layout";
  return success();
}

LogicalResult AllocOp::verify() {
  if (!getResult().getType().getLayout())
    return emitOpError("A1: ") << getResult().getType() << " has no layout";
  return success();
}
