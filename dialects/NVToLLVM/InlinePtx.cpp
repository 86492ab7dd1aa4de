// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The text of every instruction that we write ourselves. Forms are those of PTX ISA 9.0, in the order of InlinePtx.h.
#include "dialects/NVToLLVM/InlinePtx.h"

#include "dialects/NVToLLVM/PtxBlock.h"
#include "dialects/NVToLLVM/Registers.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "llvm/Support/FormatVariadic.h"

namespace LLVM = mlir::LLVM;

namespace tegula::nv::ptx {

// --- mbarrier ---

void mbarrierInit(Site site, mlir::Value barrier, int32_t count, mlir::Value predicate) {
  PtxBlock block(site);
  std::string guard = block.guard(predicate), address = block.in(barrier);
  block.emit(llvm::formatv("{0}mbarrier.init.shared::cta.b64 [{1}], {2};", guard, address, count));
}

void mbarrierArrive(Site site, mlir::Value barrier, mlir::Value predicate) {
  PtxBlock block(site);
  std::string guard = block.guard(predicate), address = block.in(barrier);
  block.emit(llvm::formatv("{0}mbarrier.arrive.shared::cta.b64 _, [{1}];", guard, address));
}

// Without .release.cluster, which fences all of memory: a slot's release publishes no ordinary stores.
void mbarrierArriveRemote(Site site, mlir::Value barrier, mlir::Value rank, mlir::Value predicate) {
  PtxBlock block(site);
  std::string guard = block.guard(predicate), address = block.in(barrier), target = block.in(rank);
  block.emit(llvm::formatv("{{\n.reg .b32 remote;\n"
                           "{0}mapa.shared::cluster.u32 remote, {1}, {2};\n"
                           "{0}mbarrier.arrive.shared::cluster.b64 _, [remote];\n}",
                           guard, address, target));
}

void mbarrierArriveExpect(Site site, mlir::Value barrier, mlir::Value bytes, mlir::Value predicate) {
  PtxBlock block(site);
  std::string guard = block.guard(predicate), address = block.in(barrier), count = block.in(bytes);
  block.emit(llvm::formatv("{0}mbarrier.arrive.expect_tx.shared::cta.b64 _, [{1}], {2};", guard, address, count));
}

void mbarrierExpect(Site site, mlir::Value barrier, mlir::Value bytes, mlir::Value predicate) {
  PtxBlock block(site);
  std::string guard = block.guard(predicate), address = block.in(barrier), count = block.in(bytes);
  block.emit(llvm::formatv("{0}mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [{1}], {2};", guard, address, count));
}

// A label must be unique in its function; ${:uid} is the number of the block.
void mbarrierWait(Site site, mlir::Value barrier, mlir::Value parity) {
  PtxBlock block(site);
  std::string address = block.in(barrier), phase = block.in(parity);
  block.emit(llvm::formatv("{{\n.reg .pred done;\ntegula_wait_${{:uid}:\n"
                           "mbarrier.try_wait.parity.shared::cta.b64 done, [{0}], {1};\n"
                           "@!done bra tegula_wait_${{:uid};\n}",
                           address, phase));
}

mlir::Value mbarrierTryWait(Site site, mlir::Value barrier, mlir::Value parity) {
  PtxBlock block(site);
  std::string done = block.out(site.builder.getI1Type()), address = block.in(barrier), phase = block.in(parity);
  return block.emit(llvm::formatv("mbarrier.try_wait.parity.shared::cta.b64 {0}, [{1}], {2};", done, address, phase))
      .front();
}

void mbarrierInvalidate(Site site, mlir::Value barrier, mlir::Value predicate) {
  PtxBlock block(site);
  std::string guard = block.guard(predicate), address = block.in(barrier);
  block.emit(llvm::formatv("{0}mbarrier.inval.shared::cta.b64 [{1}];", guard, address));
}

// --- bulk copies ---

// CUTLASS, cute/arch/copy_sm90_desc.hpp, TMA::CacheHintSm90: what createpolicy.fractional makes of a fraction of 1.
static int64_t policyBits(L2Policy policy) {
  switch (policy) {
  case L2Policy::evict_normal: return 0x1000000000000000;
  case L2Policy::evict_first: return 0x12F0000000000000;
  case L2Policy::evict_last: return 0x14F0000000000000;
  }
  return 0;
}

/// The suffixes and trailing operands that options add to a bulk copy.
struct BulkText {
  std::string guard, suffix, operands;
};

static BulkText bulkText(PtxBlock &block, Site site, const BulkOptions &options) {
  BulkText text;
  text.guard = block.guard(options.predicate);
  if (options.multicast) {
    text.suffix += ".multicast::cluster";
    text.operands += ", " + block.in(options.multicast);
  }
  if (options.cache) {
    mlir::Type i64 = site.builder.getI64Type();
    text.suffix += ".L2::cache_hint";
    text.operands +=
        ", " + block.in(LLVM::ConstantOp::create(site.builder, site.loc, i64,
                                                 site.builder.getI64IntegerAttr(policyBits(*options.cache))));
  }
  return text;
}

/// "[map, {x, y}]".
static std::string boxText(PtxBlock &block, mlir::Value map, Values coordinates) {
  std::string name = block.in(map);
  llvm::SmallVector<std::string> names;
  for (mlir::Value coordinate : coordinates)
    names.push_back(block.in(coordinate));
  return "[" + name + ", " + braced(names) + "]";
}

void tmaLoad(Site site, mlir::Value map, Values coordinates, mlir::Value destination, mlir::Value barrier,
             const BulkOptions &options) {
  PtxBlock block(site);
  BulkText text = bulkText(block, site, options);
  std::string box = boxText(block, map, coordinates), to = block.in(destination), full = block.in(barrier);
  block.emit(llvm::formatv("{0}cp.async.bulk.tensor.{1}d.shared::cluster.global.mbarrier::complete_tx::bytes{2} "
                           "[{3}], {4}, [{5}]{6};",
                           text.guard, coordinates.size(), text.suffix, to, box, full, text.operands));
}

void tmaStore(Site site, mlir::Value map, Values coordinates, mlir::Value source, const BulkOptions &options) {
  PtxBlock block(site);
  BulkText text = bulkText(block, site, options);
  std::string box = boxText(block, map, coordinates), from = block.in(source);
  block.emit(llvm::formatv("{0}cp.async.bulk.tensor.{1}d.global.shared::cta.bulk_group{2} {3}, [{4}]{5};", text.guard,
                           coordinates.size(), text.suffix, box, from, text.operands));
}

void tmaReduce(Site site, ReduceKind kind, mlir::Value map, Values coordinates, mlir::Value source,
               const BulkOptions &options) {
  PtxBlock block(site);
  BulkText text = bulkText(block, site, options);
  std::string box = boxText(block, map, coordinates), from = block.in(source);
  block.emit(llvm::formatv("{0}cp.reduce.async.bulk.tensor.{1}d.global.shared::cta.{2}.bulk_group{3} {4}, [{5}]{6};",
                           text.guard, coordinates.size(), stringifyReduceKind(kind), text.suffix, box, from,
                           text.operands));
}

void tmaPrefetchMap(Site site, mlir::Value map, mlir::Value predicate) {
  PtxBlock block(site);
  std::string guard = block.guard(predicate), address = block.in(map);
  block.emit(guard + "prefetch.tensormap [" + address + "];");
}

void bulkLoad(Site site, mlir::Value source, mlir::Value destination, mlir::Value barrier, mlir::Value bytes,
              const BulkOptions &options) {
  PtxBlock block(site);
  BulkText text = bulkText(block, site, options);
  std::string from = block.in(source), to = block.in(destination), full = block.in(barrier), size = block.in(bytes);
  block.emit(llvm::formatv("{0}cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes{1} "
                           "[{2}], [{3}], {4}, [{5}]{6};",
                           text.guard, text.suffix, to, from, size, full, text.operands));
}

void bulkStore(Site site, mlir::Value source, mlir::Value destination, mlir::Value bytes, mlir::Value predicate) {
  PtxBlock block(site);
  std::string guard = block.guard(predicate), from = block.in(source), to = block.in(destination);
  block.emit(llvm::formatv("{0}cp.async.bulk.global.shared::cta.bulk_group [{1}], [{2}], {3};", guard, to, from,
                           block.in(bytes)));
}

// --- wgmma ---

static std::string accumulatorName(mlir::Type type) { return type.isF32() ? "f32" : type.isF16() ? "f16" : "s32"; }

/// Negation of a and b, then transposition, where the form has them.
static std::string wgmmaModifiers(const WgmmaForm &form, bool registerA) {
  if (form.a == MmaType::s8 || form.a == MmaType::u8)
    return "";
  std::string text = llvm::formatv(", {0}, {1}", form.negateA ? -1 : 1, form.negateB ? -1 : 1);
  if (form.a == MmaType::bf16 || form.a == MmaType::f16) {
    if (!registerA)
      text += form.transA ? ", 1" : ", 0";
    text += form.transB ? ", 1" : ", 0";
  }
  return text;
}

ValueVector wgmma(Site site, const WgmmaForm &form, Values a, mlir::Value b, Values c, mlir::Value scaleD) {
  PtxBlock block(site);
  llvm::SmallVector<std::string> d, aNames;
  for (mlir::Value value : c)
    d.push_back(block.inOut(value));
  for (mlir::Value value : a)
    aNames.push_back(block.in(value));
  bool registerA = a.size() > 1;
  if (!scaleD)
    scaleD = LLVM::ConstantOp::create(site.builder, site.loc, site.builder.getI1Type(), site.builder.getBoolAttr(true));
  std::string bName = block.in(b), scale = block.in(scaleD);
  return block.emit(llvm::formatv("wgmma.mma_async.sync.aligned.m64n{0}k{1}.{2}.{3}.{4} {5}, {6}, {7}, {8}{9};", form.n,
                                  form.k, accumulatorName(form.accumulator), stringifyMmaType(form.a),
                                  stringifyMmaType(form.b), braced(d), registerA ? braced(aNames) : aNames.front(),
                                  bName, scale, wgmmaModifiers(form, registerA)));
}

void keep(Site site, Values registers) {
  PtxBlock block(site);
  for (mlir::Value value : registers)
    block.in(value);
  block.emit("");
}

ValueVector wgmmaWait(Site site, int32_t pending, Values registers) {
  PtxBlock block(site);
  for (mlir::Value value : registers)
    block.inOut(value);
  return block.emit(llvm::formatv("wgmma.wait_group.sync.aligned {0};", pending));
}

// --- matrices ---

ValueVector ldmatrix(Site site, mlir::Value address, int64_t count, bool trans) {
  PtxBlock block(site);
  llvm::SmallVector<std::string> names;
  for (int64_t i = 0; i < count; ++i)
    names.push_back(block.out(site.builder.getI32Type()));
  return block.emit(llvm::formatv("ldmatrix.sync.aligned.m8n8.x{0}{1}.shared.b16 {2}, [{3}];", count,
                                  trans ? ".trans" : "", braced(names), block.in(address)));
}

void stmatrix(Site site, mlir::Value address, Values registers, bool trans) {
  PtxBlock block(site);
  std::string to = block.in(address);
  llvm::SmallVector<std::string> names;
  for (mlir::Value value : registers)
    names.push_back(block.in(value));
  block.emit(llvm::formatv("stmatrix.sync.aligned.m8n8.x{0}{1}.shared.b16 [{2}], {3};", registers.size(),
                           trans ? ".trans" : "", to, braced(names)));
}

// --- plain memory ---

/// ".v4.b32" for four registers of 32 bits; `bits` are those of one register in memory.
static std::string widthText(size_t count, int64_t bits) {
  std::string text = count > 1 ? ".v" + std::to_string(count) : "";
  return text + ".b" + std::to_string(bits);
}

static std::string registerText(llvm::ArrayRef<std::string> names) {
  return names.size() > 1 ? braced(names) : names.front();
}

ValueVector loadShared(Site site, mlir::Value address, mlir::Type registerType, int64_t count, int64_t bits) {
  PtxBlock block(site);
  llvm::SmallVector<std::string> names;
  for (int64_t i = 0; i < count; ++i)
    names.push_back(block.out(registerType));
  std::string from = block.in(address);
  return block.emit("ld.shared" + widthText(count, bits) + " " + registerText(names) + ", [" + from + "];");
}

void storeShared(Site site, mlir::Value address, Values registers, int64_t bits, mlir::Value predicate) {
  PtxBlock block(site);
  std::string guard = block.guard(predicate), to = block.in(address);
  llvm::SmallVector<std::string> names;
  for (mlir::Value value : registers)
    names.push_back(block.in(value));
  block.emit(guard + "st.shared" + widthText(names.size(), bits) + " [" + to + "], " + registerText(names) + ";");
}

static std::string accessText(llvm::StringRef op, Access access) {
  switch (access) {
  case Access::weak: return (op + ".global").str();
  case Access::nc: return (op + ".global.nc").str();
  case Access::evict_first:
  case Access::evict_last:
  case Access::no_allocate: return (op + ".global.L1::" + stringifyAccess(access)).str();
  case Access::relaxed:
  case Access::acquire:
  case Access::release: return (op + "." + stringifyAccess(access) + ".gpu.global").str();
  }
  return "";
}

ValueVector loadGlobal(Site site, mlir::Value pointer, Values other, int64_t bits, Access access,
                       mlir::Value predicate) {
  PtxBlock block(site);
  llvm::SmallVector<std::string> names;
  for (mlir::Value value : other)
    names.push_back(block.inOut(value));
  std::string guard = block.guard(predicate), from = block.in(pointer);
  return block.emit(guard + accessText("ld", access) + widthText(names.size(), bits) + " " + registerText(names) +
                    ", [" + from + "];");
}

void storeGlobal(Site site, mlir::Value pointer, Values registers, int64_t bits, Access access, mlir::Value predicate) {
  PtxBlock block(site);
  std::string guard = block.guard(predicate), to = block.in(pointer);
  llvm::SmallVector<std::string> names;
  for (mlir::Value value : registers)
    names.push_back(block.in(value));
  block.emit(guard + accessText("st", access) + widthText(names.size(), bits) + " [" + to + "], " +
             registerText(names) + ";");
}

// Copies of 16 bytes bypass L1 (.cg); narrower ones have only .ca.
void cpAsync(Site site, mlir::Value destination, mlir::Value source, int32_t bytes, mlir::Value valid) {
  PtxBlock block(site);
  std::string to = block.in(destination), from = block.in(source), extra = valid ? ", " + block.in(valid) : "";
  block.emit(llvm::formatv("cp.async.{0}.shared.global [{1}], [{2}], {3}{4};", bytes == 16 ? "cg" : "ca", to, from,
                           bytes, extra));
}

void cpAsyncArrive(Site site, mlir::Value barrier) {
  PtxBlock block(site);
  std::string address = block.in(barrier);
  block.emit("cp.async.mbarrier.arrive.noinc.shared::cta.b64 [" + address + "];");
}

mlir::Value atomicAdd(Site site, mlir::Value pointer, mlir::Value value, Order order, mlir::Value predicate) {
  mlir::Type type = value.getType();
  mlir::Value zero = LLVM::ConstantOp::create(site.builder, site.loc, type, site.builder.getZeroAttr(type));
  PtxBlock block(site);
  std::string old = block.inOut(zero), guard = block.guard(predicate), at = block.in(pointer);
  std::string width = type.isF32() ? "f32" : "u" + std::to_string(type.getIntOrFloatBitWidth());
  return block
      .emit(llvm::formatv("{0}atom.{1}.gpu.global.add.{2} {3}, [{4}], {5};", guard, stringifyOrder(order), width, old,
                          at, block.in(value)))
      .front();
}

// --- fences, the author's text ---

void fence(Site site, Scope scope) { PtxBlock(site).emit(llvm::formatv("fence.acq_rel.{0};", stringifyScope(scope))); }

ValueVector custom(Site site, llvm::StringRef text, llvm::StringRef constraints, Values operands,
                   mlir::TypeRange results) {
  mlir::Type result;
  if (results.size() == 1)
    result = results.front();
  else if (results.size() > 1)
    result = LLVM::LLVMStructType::getLiteral(site.builder.getContext(), llvm::to_vector(results));
  std::string clobbering = (constraints + (constraints.empty() ? "" : ",") + "~{memory}").str();
  auto block = LLVM::InlineAsmOp::create(site.builder, site.loc, result ? mlir::TypeRange(result) : mlir::TypeRange(),
                                         operands, text, clobbering,
                                         /*has_side_effects=*/true, /*is_align_stack=*/false, LLVM::TailCallKind::None,
                                         LLVM::AsmDialectAttr(), mlir::ArrayAttr());
  ValueVector values;
  if (results.size() == 1)
    return {block.getRes()};
  for (size_t i = 0; i < results.size(); ++i)
    values.push_back(LLVM::ExtractValueOp::create(site.builder, site.loc, block.getRes(), static_cast<int64_t>(i)));
  return values;
}

} // namespace tegula::nv::ptx
