// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the generator makes of the op families; the largest file of the dialect to compile, so by itself.
#include "dialects/NV/IR/NVDialect.h"

#include "dialects/NV/IR/NVAssembly.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/TypeSwitch.h"

// The generator names parameters that it doesn't use.
#pragma GCC diagnostic ignored "-Wunused-parameter"

#define GET_OP_CLASSES
#include "dialects/NV/IR/NVOps.cpp.inc"
