// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The custom directives of the ops' assembly formats, which the generated parsers and printers call.
#ifndef TEGULA_DIALECTS_NV_IR_NVASSEMBLY_H
#define TEGULA_DIALECTS_NV_IR_NVASSEMBLY_H

#include "dialects/NV/IR/NVDialect.h"

namespace tegula::nv {

/// A 64-bit number, printed as 0x…
mlir::ParseResult parseHex(mlir::OpAsmParser &parser, mlir::IntegerAttr &bits);
void printHex(mlir::OpAsmPrinter &printer, mlir::Operation *op, mlir::IntegerAttr bits);

/// `bf16`, or `e4m3 by e5m2` where the types of a and b differ.
mlir::ParseResult parseMmaTypes(mlir::OpAsmParser &parser, MmaTypeAttr &a, MmaTypeAttr &b);
void printMmaTypes(mlir::OpAsmPrinter &printer, mlir::Operation *op, MmaTypeAttr a, MmaTypeAttr b);

/// Nothing: the results have the operands' types.
mlir::ParseResult parseSameTypes(mlir::OpAsmParser &parser, llvm::ArrayRef<mlir::Type> operands,
                                 llvm::SmallVectorImpl<mlir::Type> &results);
void printSameTypes(mlir::OpAsmPrinter &printer, mlir::Operation *op, mlir::TypeRange operands,
                    mlir::TypeRange results);

/// Nothing: `other`, where it is given, has the result's type.
mlir::ParseResult parseOtherType(mlir::OpAsmParser &parser,
                                 const std::optional<mlir::OpAsmParser::UnresolvedOperand> &other, mlir::Type result,
                                 mlir::Type &type);
void printOtherType(mlir::OpAsmPrinter &printer, mlir::Operation *op, mlir::Value other, mlir::Type result,
                    mlir::Type type);

} // namespace tegula::nv

#endif // TEGULA_DIALECTS_NV_IR_NVASSEMBLY_H
