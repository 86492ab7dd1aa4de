// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The `nv` dialect's classes. Its manual is the .td files beside this one.
#ifndef TEGULA_DIALECTS_NV_IR_NVDIALECT_H
#define TEGULA_DIALECTS_NV_IR_NVDIALECT_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include <optional>

namespace tegula::nv {

/// True for a vector of rank 1, not scalable, of integers or floats: what a thread holds of a register tile.
bool isFragment(mlir::Type type);

/// True for !llvm.ptr<1>.
bool isGlobalPointer(mlir::Type type);

/// Bytes from `nv.shared_base` to this address where they are known.
std::optional<int64_t> constantSharedOffset(mlir::Value address);

} // namespace tegula::nv

// The generator names parameters that it doesn't use.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
#include "dialects/NV/IR/NVDialect.h.inc"
#include "dialects/NV/IR/NVEnums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "dialects/NV/IR/NVAttrs.h.inc"

#define GET_TYPEDEF_CLASSES
#include "dialects/NV/IR/NVTypes.h.inc"

#define GET_OP_CLASSES
#include "dialects/NV/IR/NVOps.h.inc"
#pragma GCC diagnostic pop

#endif // TEGULA_DIALECTS_NV_IR_NVDIALECT_H
