// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Text of the ops that frame a kernel, and the rules of all but the kernel itself: KernelRules.cpp.

#include "dialects/Tile/IR/TileDialect.h"

#include "mlir/IR/Builders.h"

using namespace mlir;

namespace tegula::tile {

//===--- kernel ---===//

int64_t KernelOp::getArgIndex(StringRef name) {
  for (auto [index, attr] : llvm::enumerate(getArgNames()))
    if (cast<StringAttr>(attr).getValue() == name)
      return static_cast<int64_t>(index);
  return -1;
}

/// What a caller calls an element of that type.
static std::string dtypeName(Type type) {
  if (type.isIndex())
    return "s64";
  if (type.isF16())
    return "fp16";
  if (isa<Float8E4M3FNType>(type))
    return "e4m3";
  if (isa<Float8E5M2Type>(type))
    return "e5m2";
  if (type.isInteger())
    return (type.isInteger(1) ? "i" : "s") + std::to_string(type.getIntOrFloatBitWidth());
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

std::string KernelOp::getArgDtype(unsigned index) {
  if (std::optional<ArrayAttr> told = getArgDtypes())
    return cast<StringAttr>((*told)[index]).getValue().str();
  Type type = getBody()->getArgument(index).getType();
  auto global = dyn_cast<GlobalType>(type);
  return dtypeName(global ? global.getElementType() : type);
}

void KernelOp::getAsmBlockArgumentNames(Region &region, OpAsmSetValueNameFn setName) {
  for (BlockArgument argument : region.getArguments())
    if (argument.getArgNumber() < getArgNames().size())
      setName(argument, getArgName(argument.getArgNumber()));
}

/// What the text of one argument says.
struct KernelArgument {
  OpAsmParser::Argument argument;
  std::string dtype;
  ArrayAttr dims;
  int64_t align = 0;
};

/// `%A: !tile.global<...> as "u8" dims ["M", 64] align 16`, `%M: index multiple 8`
static ParseResult parseKernelArgument(OpAsmParser &parser, KernelArgument &result) {
  if (parser.parseArgument(result.argument, /*allowType=*/true))
    return failure();
  Type type = result.argument.type;
  auto global = dyn_cast<GlobalType>(type);
  result.dtype = dtypeName(global ? global.getElementType() : type);
  if (succeeded(parser.parseOptionalKeyword("as")) && parser.parseString(&result.dtype))
    return failure();
  if (type.isIndex()) {
    result.align = 1;
    return succeeded(parser.parseOptionalKeyword("multiple")) ? parser.parseInteger(result.align) : success();
  }
  if (!global)
    return success();
  if (parser.parseKeyword("dims") || parser.parseAttribute(result.dims))
    return failure();
  result.align = global.getElementBytes();
  if (succeeded(parser.parseOptionalKeyword("align")))
    return parser.parseInteger(result.align);
  return success();
}

static ParseResult parseKernelArguments(OpAsmParser &parser, OperationState &result,
                                        SmallVectorImpl<OpAsmParser::Argument> &arguments) {
  SmallVector<KernelArgument> parsed;
  if (parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Paren,
                                     [&] { return parseKernelArgument(parser, parsed.emplace_back()); }))
    return failure();
  SmallVector<Attribute> names, dims, dtypes;
  SmallVector<int64_t> align;
  Builder &builder = parser.getBuilder();
  for (KernelArgument &argument : parsed) {
    names.push_back(builder.getStringAttr(argument.argument.ssaName.name.drop_front()));
    align.push_back(argument.align);
    dtypes.push_back(builder.getStringAttr(argument.dtype));
    if (argument.dims)
      dims.push_back(argument.dims);
    arguments.push_back(argument.argument);
  }
  result.addAttribute(KernelOp::getArgNamesAttrName(result.name), builder.getArrayAttr(names));
  result.addAttribute(KernelOp::getGlobalDimsAttrName(result.name), builder.getArrayAttr(dims));
  result.addAttribute(KernelOp::getArgDtypesAttrName(result.name), builder.getArrayAttr(dtypes));
  result.addAttribute(KernelOp::getMinAlignAttrName(result.name), builder.getI64ArrayAttr(align));
  return success();
}

ParseResult KernelOp::parse(OpAsmParser &parser, OperationState &result) {
  StringAttr name, target;
  SmallVector<OpAsmParser::Argument> arguments;
  if (parser.parseSymbolName(name, getSymNameAttrName(result.name), result.attributes) ||
      parseKernelArguments(parser, result, arguments) || parser.parseKeyword("target") ||
      parser.parseAttribute(target, getTargetAttrName(result.name), result.attributes) ||
      parser.parseKeyword("cluster"))
    return failure();
  Attribute cluster = DenseI64ArrayAttr::parse(parser, Type());
  if (!cluster)
    return failure();
  result.addAttribute(getClusterAttrName(result.name), cluster);
  DictionaryAttr schedule;
  if (succeeded(parser.parseOptionalKeyword("schedule")) &&
      parser.parseAttribute(schedule, getScheduleAttrName(result.name), result.attributes))
    return failure();
  Region *body = result.addRegion();
  if (parser.parseOptionalAttrDictWithKeyword(result.attributes) || parser.parseRegion(*body, arguments))
    return failure();
  ensureTerminator(*body, parser.getBuilder(), result.location);
  return success();
}

void KernelOp::print(OpAsmPrinter &printer) {
  printer << ' ';
  printer.printSymbolName(getSymName());
  printer << '(';
  unsigned global = 0;
  llvm::interleaveComma(getBody()->getArguments(), printer, [&](BlockArgument argument) {
    printer.printRegionArgument(argument);
    auto type = dyn_cast<GlobalType>(argument.getType());
    std::string dtype = getArgDtype(argument.getArgNumber());
    if (dtype != dtypeName(type ? type.getElementType() : argument.getType()))
      printer << " as \"" << dtype << '"';
    int64_t align = getArgAlign(argument.getArgNumber());
    if (argument.getType().isIndex() && align != 1)
      printer << " multiple " << align;
    if (!type)
      return;
    printer << " dims " << getGlobalDims()[global++];
    if (align != type.getElementBytes())
      printer << " align " << align;
  });
  printer << ") target " << getTargetAttr() << " cluster [";
  llvm::interleaveComma(getCluster(), printer);
  printer << ']';
  if (getScheduleAttr())
    printer << " schedule " << getScheduleAttr();
  printer.printOptionalAttrDictWithKeyword((*this)->getAttrs(),
                                           {getSymNameAttrName(), getTargetAttrName(), getClusterAttrName(),
                                            getArgNamesAttrName(), getGlobalDimsAttrName(), getMinAlignAttrName(),
                                            getArgDtypesAttrName(), getScheduleAttrName()});
  printer << ' ';
  printer.printRegion(getRegion(), /*printEntryBlockArgs=*/false, /*printBlockTerminators=*/false);
}

//===--- role ---===//

void RoleOp::getAsmBlockArgumentNames(Region &region, OpAsmSetValueNameFn setName) {
  for (BlockArgument argument : region.getArguments())
    setName(argument, "instance");
}

/// `(%i, %j)`: arguments of a region, each an index.
static ParseResult parseIndexArguments(OpAsmParser &parser, SmallVectorImpl<OpAsmParser::Argument> &arguments) {
  if (parser.parseArgumentList(arguments, OpAsmParser::Delimiter::Paren))
    return failure();
  for (OpAsmParser::Argument &argument : arguments)
    argument.type = parser.getBuilder().getIndexType();
  return success();
}

static void printIndexArguments(OpAsmPrinter &printer, Block &body) {
  printer << " (";
  llvm::interleaveComma(body.getArguments(), printer);
  printer << ')';
}

/// `keyword 3`, as an i64 attribute.
static ParseResult parseCount(OpAsmParser &parser, OperationState &result, StringRef keyword, StringAttr name) {
  int64_t count;
  if (parser.parseKeyword(keyword) || parser.parseInteger(count))
    return failure();
  result.addAttribute(name, parser.getBuilder().getI64IntegerAttr(count));
  return success();
}

ParseResult RoleOp::parse(OpAsmParser &parser, OperationState &result) {
  StringAttr name;
  SmallVector<OpAsmParser::Argument> arguments;
  if (parser.parseAttribute(name, getNameAttrName(result.name), result.attributes) ||
      parseIndexArguments(parser, arguments) ||
      parseCount(parser, result, "instances", getInstancesAttrName(result.name)) ||
      parseCount(parser, result, "warps", getWarpsAttrName(result.name)))
    return failure();
  int64_t registers;
  if (succeeded(parser.parseOptionalKeyword("registers"))) {
    if (parser.parseInteger(registers))
      return failure();
    result.addAttribute(getRegistersAttrName(result.name), parser.getBuilder().getI64IntegerAttr(registers));
  }
  Region *body = result.addRegion();
  if (parser.parseOptionalAttrDictWithKeyword(result.attributes) || parser.parseRegion(*body, arguments))
    return failure();
  ensureTerminator(*body, parser.getBuilder(), result.location);
  return success();
}

void RoleOp::print(OpAsmPrinter &printer) {
  printer << ' ' << getNameAttr();
  printIndexArguments(printer, *getBody());
  printer << " instances " << getInstances() << " warps " << getWarps();
  if (std::optional<uint64_t> registers = getRegisters())
    printer << " registers " << *registers;
  printer.printOptionalAttrDictWithKeyword(
      (*this)->getAttrs(), {getNameAttrName(), getInstancesAttrName(), getWarpsAttrName(), getRegistersAttrName()});
  printer << ' ';
  printer.printRegion(getRegion(), /*printEntryBlockArgs=*/false, /*printBlockTerminators=*/false);
}

LogicalResult RoleOp::verify() {
  int64_t instances = getInstances(), warps = getWarps();
  if (instances < 1 || warps < 1) // role R1
    return emitOpError() << "R1: there are " << instances << " instances of " << warps
                         << " warps; there must be at least one of each";
  if (std::optional<int64_t> registers = getRegisters()) {
    if (*registers < 24 || *registers > 256 || *registers % 8) // role R2
      return emitOpError() << "R2: registers is " << *registers << "; it must be a multiple of 8 in 24..256";
    if (getTotalWarps() % 4) // role R2
      return emitOpError() << "R2: registers is given to " << getTotalWarps()
                           << " warps; the warps of a role with a budget must be whole warpgroups, 4 each";
  }
  Block &body = *getBody();
  if (body.getNumArguments() != 1 || !body.getArgument(0).getType().isIndex()) // role R3
    return emitOpError() << "R3: the region must have one argument of type index";
  return success();
}

//===--- tiles, for_tiles ---===//

void TilesOp::getAsmResultNames(OpAsmSetValueNameFn setName) { setName(getResult(), "tiles"); }

LogicalResult TilesOp::verify() {
  int rank = getType().getRank();
  if (static_cast<int>(getExtents().size()) != rank) // tiles T1
    return emitOpError() << "T1: there are " << getExtents().size() << " extents; the index space has rank " << rank;
  if (static_cast<int64_t>(getRaster()) < 1) // tiles T2
    return emitOpError() << "T2: raster is " << static_cast<int64_t>(getRaster()) << "; it must be at least 1";
  if (getSerpentine() && !getPersistent()) // tiles T3
    return emitOpError() << "T3: serpentine turns round from tile to tile of a block; only persistent blocks take many";
  return success();
}

void ForTilesOp::getAsmBlockArgumentNames(Region &region, OpAsmSetValueNameFn setName) {
  for (BlockArgument argument : region.getArguments())
    setName(argument, StringRef("ijb").substr(argument.getArgNumber() % 3, 1));
}

ParseResult ForTilesOp::parse(OpAsmParser &parser, OperationState &result) {
  OpAsmParser::UnresolvedOperand tiles;
  SmallVector<OpAsmParser::Argument> arguments;
  if (parser.parseOperand(tiles) || parseIndexArguments(parser, arguments))
    return failure();
  if (succeeded(parser.parseOptionalKeyword("alternate")))
    result.addAttribute(getAlternateAttrName(result.name), parser.getBuilder().getUnitAttr());
  Region *body = result.addRegion();
  if (parser.parseOptionalAttrDictWithKeyword(result.attributes) || parser.parseRegion(*body, arguments))
    return failure();
  ensureTerminator(*body, parser.getBuilder(), result.location);
  Type type = TilesType::get(parser.getContext(), static_cast<int>(arguments.size()));
  return parser.resolveOperand(tiles, type, result.operands);
}

void ForTilesOp::print(OpAsmPrinter &printer) {
  printer << ' ' << getTiles();
  printIndexArguments(printer, *getBody());
  if (getAlternate())
    printer << " alternate";
  printer.printOptionalAttrDictWithKeyword((*this)->getAttrs(), {getAlternateAttrName()});
  printer << ' ';
  printer.printRegion(getRegion(), /*printEntryBlockArgs=*/false, /*printBlockTerminators=*/false);
}

LogicalResult ForTilesOp::verify() {
  int rank = getTiles().getType().getRank();
  TypeRange arguments = getBody()->getArgumentTypes();
  if (static_cast<int>(arguments.size()) != rank || !llvm::all_of(arguments, llvm::IsaPred<IndexType>)) // for_tiles F1
    return emitOpError() << "F1: the region has " << arguments.size() << " arguments; it must have " << rank
                         << ", each an index";
  if (auto outer = (*this)->getParentOfType<ForTilesOp>()) { // for_tiles F2
    InFlightDiagnostic error = emitOpError() << "F2: walks tiles inside another walk over tiles";
    error.attachNote(outer.getLoc()) << "the outer walk is here; use a loop for the inner one";
    return error;
  }
  return success();
}

//===--- turn, yield ---===//

ParseResult TurnOp::parse(OpAsmParser &parser, OperationState &result) {
  OpAsmParser::UnresolvedOperand instance;
  if (parser.parseOperand(instance) ||
      parser.resolveOperand(instance, parser.getBuilder().getIndexType(), result.operands) ||
      parser.parseOptionalArrowTypeList(result.types))
    return failure();
  Region *body = result.addRegion();
  if (parser.parseOptionalAttrDictWithKeyword(result.attributes) || parser.parseRegion(*body))
    return failure();
  ensureTerminator(*body, parser.getBuilder(), result.location);
  return success();
}

void TurnOp::print(OpAsmPrinter &printer) {
  printer << ' ' << getInstance();
  printer.printOptionalArrowTypeList(getResultTypes());
  printer.printOptionalAttrDictWithKeyword((*this)->getAttrs());
  printer << ' ';
  printer.printRegion(getRegion(), /*printEntryBlockArgs=*/false, /*printBlockTerminators=*/getNumResults() != 0);
}

LogicalResult TurnOp::verify() {
  auto role = (*this)->getParentOfType<RoleOp>();
  if (role && getInstance() != role.getInstance()) // turn U1
    return emitOpError() << "U1: the instance must be the argument of the role around it";
  TypeRange yielded = getBody()->getTerminator()->getOperandTypes();
  if (yielded != TypeRange(getResultTypes())) // turn U2
    return emitOpError() << "U2: the region yields " << yielded.size() << " values, the op has " << getNumResults()
                         << " results; their types must be equal";
  return success();
}

LogicalResult YieldOp::verify() {
  if (!getValues().empty() && !isa<TurnOp>((*this)->getParentOp())) // yield Y1
    return emitOpError() << "Y1: yields " << getValues().size() << " values; only a turn takes any";
  return success();
}

} // namespace tegula::tile

// Generated definitions leave parameters unused.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
#define GET_OP_CLASSES
#include "dialects/Tile/IR/TileOps.cpp.inc"
#pragma GCC diagnostic pop
