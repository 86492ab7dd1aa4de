// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// nv.kernel's assembly and rules, and the rules of what steers a warp.
#include "dialects/NV/IR/NVDialect.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/Interfaces/FunctionImplementation.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/TypeSwitch.h"

namespace tegula::nv {

// --- nv.kernel ---

void KernelOp::build(mlir::OpBuilder &builder, mlir::OperationState &state, llvm::StringRef name,
                     mlir::TypeRange arguments, int32_t threads, llvm::ArrayRef<int32_t> cluster, int32_t minBlocks) {
  state.addAttribute(getSymNameAttrName(state.name), builder.getStringAttr(name));
  state.addAttribute(getFunctionTypeAttrName(state.name), mlir::TypeAttr::get(builder.getFunctionType(arguments, {})));
  state.addAttribute(getThreadsAttrName(state.name), builder.getI32IntegerAttr(threads));
  state.addAttribute(getClusterAttrName(state.name), builder.getDenseI32ArrayAttr(cluster));
  state.addAttribute(getMinBlocksAttrName(state.name), builder.getI32IntegerAttr(minBlocks));
  mlir::Region *body = state.addRegion();
  mlir::Block *entry = new mlir::Block;
  body->push_back(entry);
  entry->addArguments(arguments, llvm::SmallVector<mlir::Location>(arguments.size(), state.location));
}

static mlir::ParseResult parseOptionalI32(mlir::OpAsmParser &parser, mlir::OperationState &result,
                                          llvm::StringRef keyword, mlir::StringAttr name) {
  if (mlir::failed(parser.parseOptionalKeyword(keyword)))
    return mlir::success();
  int32_t value;
  if (parser.parseInteger(value))
    return mlir::failure();
  result.addAttribute(name, parser.getBuilder().getI32IntegerAttr(value));
  return mlir::success();
}

mlir::ParseResult KernelOp::parse(mlir::OpAsmParser &parser, mlir::OperationState &result) {
  mlir::StringAttr symbol;
  llvm::SmallVector<mlir::OpAsmParser::Argument> arguments;
  llvm::SmallVector<mlir::Type> resultTypes;
  llvm::SmallVector<mlir::DictionaryAttr> resultAttrs;
  bool isVariadic = false;
  if (parser.parseSymbolName(symbol, getSymNameAttrName(result.name), result.attributes) ||
      mlir::function_interface_impl::parseFunctionSignatureWithArguments(parser, /*allowVariadic=*/false, arguments,
                                                                         isVariadic, resultTypes, resultAttrs))
    return mlir::failure();
  llvm::SmallVector<mlir::Type> argumentTypes;
  for (const mlir::OpAsmParser::Argument &argument : arguments)
    argumentTypes.push_back(argument.type);
  result.addAttribute(getFunctionTypeAttrName(result.name),
                      mlir::TypeAttr::get(parser.getBuilder().getFunctionType(argumentTypes, resultTypes)));
  mlir::call_interface_impl::addArgAndResultAttrs(parser.getBuilder(), result, arguments, resultAttrs,
                                                  getArgAttrsAttrName(result.name), getResAttrsAttrName(result.name));
  if (parseOptionalI32(parser, result, "threads", getThreadsAttrName(result.name)))
    return mlir::failure();
  if (mlir::succeeded(parser.parseOptionalKeyword("cluster"))) {
    auto cluster = llvm::dyn_cast_if_present<mlir::DenseI32ArrayAttr>(mlir::DenseI32ArrayAttr::parse(parser, {}));
    if (!cluster)
      return mlir::failure();
    result.addAttribute(getClusterAttrName(result.name), cluster);
  }
  if (parseOptionalI32(parser, result, "min_blocks", getMinBlocksAttrName(result.name)) ||
      parseOptionalI32(parser, result, "max_registers", getMaxRegistersAttrName(result.name)) ||
      parser.parseOptionalAttrDictWithKeyword(result.attributes))
    return mlir::failure();
  return parser.parseRegion(*result.addRegion(), arguments);
}

void KernelOp::print(mlir::OpAsmPrinter &printer) {
  printer << ' ';
  printer.printSymbolName(getSymName());
  mlir::function_interface_impl::printFunctionSignature(printer, *this, getArgumentTypes(), /*isVariadic=*/false,
                                                        getResultTypes());
  printer << " threads " << getThreads() << " cluster ";
  getClusterAttr().print(printer);
  printer << " min_blocks " << getMinBlocks();
  if (auto registers = getMaxRegisters())
    printer << " max_registers " << *registers;
  mlir::function_interface_impl::printFunctionAttributes(
      printer, *this,
      {getFunctionTypeAttrName(), getArgAttrsAttrName(), getResAttrsAttrName(), getThreadsAttrName(),
       getClusterAttrName(), getMinBlocksAttrName(), getMaxRegistersAttrName()});
  printer << ' ';
  printer.printRegion(getBody(), /*printEntryBlockArgs=*/false);
}

/// Bytes of a kernel parameter, 0 where the type can't be one.
static int64_t parameterBytes(mlir::Type type) {
  if (llvm::isa<TensorMapType>(type))
    return 128;
  if (isGlobalPointer(type))
    return 8;
  if (type.isIntOrFloat() && type.getIntOrFloatBitWidth() >= 8 && type.getIntOrFloatBitWidth() <= 64)
    return type.getIntOrFloatBitWidth() / 8;
  return 0;
}

static mlir::LogicalResult verifyParameters(KernelOp kernel) {
  int64_t bytes = 0;
  for (auto [index, type] : llvm::enumerate(kernel.getArgumentTypes())) {
    int64_t own = parameterBytes(type);
    if (own == 0) // kernel K3
      return kernel.emitOpError("K3: argument ")
             << index << " has type " << type
             << "; a kernel takes !nv.tensor_map, !llvm.ptr<1>, and integers and floats of 8 to 64 bits";
    int64_t alignment = own == 128 ? 64 : own;
    bytes = llvm::alignTo(bytes, alignment) + own;
  }
  if (!kernel.getResultTypes().empty()) // kernel K3
    return kernel.emitOpError("K3: a kernel has no results, this one has ") << kernel.getResultTypes().size();
  if (bytes > 32764) // kernel K5. PTX ISA 9.0, ".param space": 32764 bytes from sm_70 on
    return kernel.emitOpError("K5: parameters fill ") << bytes << " bytes; at most 32764 can be passed";
  return mlir::success();
}

mlir::LogicalResult KernelOp::verify() {
  int32_t threads = getThreads(), minBlocks = getMinBlocks();
  if (threads < 1 || threads > 1024 || threads % 32 != 0) // kernel K1
    return emitOpError("K1: ") << threads << " threads; a block has 32 to 1024, a multiple of 32";
  llvm::ArrayRef<int32_t> cluster = getCluster();
  int64_t blocks = 1;
  for (int32_t extent : cluster)
    blocks *= extent;
  if (cluster.size() != 3 || llvm::any_of(cluster, [](int32_t extent) { return extent < 1; }) || blocks > 16)
    return emitOpError("K2: cluster [") << cluster << "]; give three extents of at least 1, at most 16 blocks in all";
  if (minBlocks < 1 || minBlocks > 32 || minBlocks * threads > 2048) // kernel K4
    return emitOpError("K4: min_blocks ")
           << minBlocks << " with " << threads << " threads; an SM holds 1 to 32 blocks and 2048 threads";
  if (getMaxRegisters() && (*getMaxRegisters() < 16 || *getMaxRegisters() > 255)) // kernel K6
    return emitOpError("K6: max_registers ") << *getMaxRegisters() << "; a thread has 16 to 255";
  return verifyParameters(*this);
}

// --- steering ---

mlir::LogicalResult SetMaxRegistersOp::verify() {
  int32_t count = getCount();
  if (count < 24 || count > 256 || count % 8 != 0) // setmaxnreg R1
    return emitOpError("R1: ") << count << " registers; give 24 to 256 in steps of 8";
  if (auto kernel = (*this)->getParentOfType<KernelOp>()) // setmaxnreg R2
    if (kernel.getThreads() % 128 != 0)
      return emitOpError("R2: the kernel has ")
             << kernel.getThreads()
             << " threads; whole warpgroups change their registers, so make it a multiple of 128";
  return mlir::success();
}

static bool isPtxOperand(mlir::Type type) {
  if (llvm::isa<SharedType, MBarrierType, DescriptorType, mlir::LLVM::LLVMPointerType>(type))
    return true;
  return type.isIntOrFloat() && llvm::is_contained({16u, 32u, 64u}, type.getIntOrFloatBitWidth());
}

mlir::LogicalResult PtxOp::verify() {
  llvm::SmallVector<llvm::StringRef> parts;
  getConstraints().split(parts, ',', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  size_t constraints = llvm::count_if(parts, [](llvm::StringRef part) { return !part.trim().starts_with("~"); });
  size_t values = getNumOperands() + getNumResults();
  if (constraints != values) // ptx P1
    return emitOpError("P1: ") << constraints << " constraints for " << values << " results and operands";
  for (mlir::Type type :
       llvm::concat<const mlir::Type>(llvm::to_vector(getOperandTypes()), llvm::to_vector(getResultTypes())))
    if (!isPtxOperand(type)) // ptx P2
      return emitOpError("P2: ") << type << " fits no PTX register; give scalars of 16, 32 or 64 bits, pointers, "
                                 << "!nv.shared, !nv.mbarrier or !nv.descriptor";
  return mlir::success();
}

} // namespace tegula::nv
