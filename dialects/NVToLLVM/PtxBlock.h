// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One inline-assembly block being written: it numbers operands and picks their constraints.
#ifndef TEGULA_DIALECTS_NVTOLLVM_PTXBLOCK_H
#define TEGULA_DIALECTS_NVTOLLVM_PTXBLOCK_H

#include "dialects/NVToLLVM/InlinePtx.h"

#include <string>

namespace tegula::nv::ptx {

/// Outputs (`out`, `inOut`) are declared before inputs (`in`, `guard`), as LLVM numbers them so. Each call gives the
/// operand's name for the text.
///     PtxBlock block(site);
///     std::string result = block.out(i32);
///     std::string address = block.in(pointer);
///     block.emit("ld.global.b32 " + result + ", [" + address + "];");
class PtxBlock {
public:
  explicit PtxBlock(Site site) : site(site) {}

  std::string out(mlir::Type type);
  std::string in(mlir::Value value);
  /// An output that starts as `value`: the instruction reads and writes it.
  std::string inOut(mlir::Value value);
  /// "@$n " for a predicate, nothing for a null one.
  std::string guard(mlir::Value predicate);

  /// Writes the block; gives the values of the outputs. It clobbers memory, and is never dropped, merged or moved over
  /// another.
  ValueVector emit(const std::string &text);

private:
  Site site;
  ValueVector inputs;
  llvm::SmallVector<mlir::Type> outputs;
  llvm::SmallVector<std::pair<mlir::Value, size_t>> starts; // of the output with this number
};

/// "{a, b, c}".
std::string braced(llvm::ArrayRef<std::string> names);

} // namespace tegula::nv::ptx

#endif // TEGULA_DIALECTS_NVTOLLVM_PTXBLOCK_H
