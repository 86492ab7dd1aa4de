// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The kernel's frame: its parameters, its manifest, what all threads do before and behind the roles.

#include "dialects/WarpToNV/Lowerings.h"

#include "llvm/ADT/STLExtras.h"

#include <numeric>

using namespace mlir;

namespace tegula {

namespace {

std::string extentName(Attribute extent) {
  if (auto name = dyn_cast<StringAttr>(extent))
    return name.getValue().str();
  return std::to_string(cast<IntegerAttr>(extent).getInt());
}

} // namespace

DType dtypeOf(Type type) {
  if (type.isBF16())
    return DType::bf16;
  if (type.isF16())
    return DType::fp16;
  if (type.isF32())
    return DType::f32;
  if (type.isF64())
    return DType::f64;
  if (isa<Float8E4M3FNType>(type))
    return DType::e4m3;
  if (isa<Float8E5M2Type>(type))
    return DType::e5m2;
  if (type.isInteger(8))
    return DType::s8;
  if (type.isInteger(64) || type.isIndex())
    return DType::s64;
  return DType::s32;
}

/// Builds the frame around the roles.
class KernelFrame {
public:
  explicit KernelFrame(Emitter &e) : e(e), dialect(*e.kernel->getContext()->getLoadedDialect<warp::WarpDialect>()) {}

  LogicalResult build() {
    if (failed(e.maps.collect(e.kernel)))
      return failure();
    collectParameters();
    createKernel();
    bindArguments();
    fillManifest();
    if (failed(fillGrid()))
      return failure();
    emitPrologue();
    if (failed(emitRoles(e)))
      return failure();
    emitEpilogue();
    return success();
  }

private:
  Block &body() { return *e.kernel.getBody(); }
  unsigned globalCount() {
    return static_cast<unsigned>(llvm::count_if(
        body().getArguments(), [](BlockArgument argument) { return isa<tile::GlobalType>(argument.getType()); }));
  }
  std::string name(unsigned argument) { return e.kernel.getArgName(argument).str(); }

  void parameter(ParamKind kind, std::string name, int index, Type type, DType dtype = DType::s64) {
    e.manifest.params.push_back({kind, std::move(name), index, dtype});
    types.push_back(type);
  }

  void collectParameters() {
    auto mapType = nv::TensorMapType::get(e.b.getContext());
    for (auto [index, map] : llvm::enumerate(e.maps.infos()))
      parameter(ParamKind::tensor_map, map.global, static_cast<int>(index), mapType);
    for (BlockArgument argument : body().getArguments()) {
      std::string argumentName = name(argument.getArgNumber());
      if (auto global = dyn_cast<tile::GlobalType>(argument.getType())) {
        parameter(ParamKind::pointer, argumentName, 0, LLVM::LLVMPointerType::get(e.b.getContext(), 1));
        for (int dim = 0; dim < global.getRank(); ++dim)
          if (dim != global.getUnitDim())
            parameter(ParamKind::stride, argumentName, dim, e.b.getI64Type());
      } else if (argument.getType().isIndex()) {
        parameter(ParamKind::dim, argumentName, 0, e.b.getI64Type());
      } else {
        parameter(ParamKind::scalar, argumentName, 0, argument.getType(), dtypeOf(argument.getType()));
      }
    }
  }

  void createKernel() {
    e.b.setInsertionPoint(e.kernel);
    SmallVector<int32_t> cluster(e.kernel.getCluster().begin(), e.kernel.getCluster().end());
    auto threads = static_cast<int32_t>(dialect.getThreadsAttrHelper().getAttr(e.kernel).getInt());
    e.target = nv::KernelOp::create(e.b, e.kernel.getSymName(), types, threads, cluster);
    e.b.setInsertionPointToStart(&e.target.getBody().front());
  }

  void bindArguments() {
    Block &entry = e.target.getBody().front();
    unsigned next = static_cast<unsigned>(e.maps.infos().size());
    for (BlockArgument argument : body().getArguments()) {
      auto global = dyn_cast<tile::GlobalType>(argument.getType());
      if (!global) {
        e.bind(argument, entry.getArgument(next++));
        continue;
      }
      GlobalArgument &bound = e.globals[argument];
      bound.pointer = entry.getArgument(next++);
      for (int dim = 0; dim < global.getRank(); ++dim)
        bound.strides.push_back(dim == global.getUnitDim() ? Value() : entry.getArgument(next++));
    }
    for (unsigned index = 0; index < globalCount(); ++index)
      for (Attribute extent : cast<ArrayAttr>(e.kernel.getGlobalDims()[index]))
        e.globals[body().getArgument(index)].extents.push_back(bindExtent(extent));
  }

  Value bindExtent(Attribute extent) {
    if (auto constant = dyn_cast<IntegerAttr>(extent))
      return e.i64(constant.getInt());
    int64_t index = e.kernel.getArgIndex(cast<StringAttr>(extent).getValue());
    return e.lookup(body().getArgument(static_cast<unsigned>(index)));
  }

  void fillManifest() {
    KernelManifest &manifest = e.manifest;
    manifest.kernel = e.kernel.getSymName().str();
    manifest.arch = e.kernel.getTarget().str();
    manifest.block_threads = static_cast<int>(e.target.getThreads());
    llvm::copy(e.kernel.getCluster(), manifest.cluster.begin());
    manifest.dynamic_shared_bytes = dialect.getSharedBytesAttrHelper().getAttr(e.kernel).getInt();
    manifest.tensor_maps.assign(e.maps.infos().begin(), e.maps.infos().end());
    for (BlockArgument argument : body().getArguments()) {
      if (isa<tile::GlobalType>(argument.getType()))
        manifest.globals.push_back(globalInfo(argument));
      else if (argument.getType().isIndex())
        manifest.dims.push_back(
            {name(argument.getArgNumber()), std::max<int64_t>(1, e.kernel.getArgAlign(argument.getArgNumber()))});
    }
    e.kernel.walk([&](tile::GriddepWaitOp) { manifest.pdl = true; });
    if (auto schedule = e.kernel.getSchedule())
      for (NamedAttribute entry : *schedule)
        manifest.schedule[entry.getName().str()] = scheduleText(entry.getValue());
    if (auto paths = dialect.getPathsAttrHelper(); paths.isAttrPresent(e.kernel))
      for (NamedAttribute entry : paths.getAttr(e.kernel))
        manifest.schedule["path." + entry.getName().str()] = cast<StringAttr>(entry.getValue()).getValue().str();
  }

  static std::string scheduleText(Attribute value) {
    if (auto text = dyn_cast<StringAttr>(value))
      return text.getValue().str();
    if (auto number = dyn_cast<IntegerAttr>(value))
      return std::to_string(number.getInt());
    std::string text;
    llvm::raw_string_ostream(text) << value;
    return text;
  }

  GlobalInfo globalInfo(BlockArgument argument) {
    auto type = cast<tile::GlobalType>(argument.getType());
    GlobalInfo info;
    info.name = name(argument.getArgNumber());
    info.dtype = dtypeOf(type.getElementType());
    for (Attribute extent : cast<ArrayAttr>(e.kernel.getGlobalDims()[argument.getArgNumber()]))
      info.dims.push_back(extentName(extent));
    info.unit_dim = type.getUnitDim();
    info.access = accessOf(argument);
    info.align_bytes = e.kernel.getArgAlign(argument.getArgNumber());
    for (int dim = 0; dim < type.getRank(); ++dim)
      info.stride_divisors.push_back(dim == type.getUnitDim() ? 1 : info.align_bytes);
    return info;
  }

  /// Adds how a tensor and its windows are used.
  static void noteUses(Value tensor, bool &reads, bool &writes) {
    for (Operation *user : tensor.getUsers()) {
      auto store = dyn_cast<warp::TmaStoreOp>(user);
      writes |= store || isa<warp::StoreGlobalOp>(user);
      reads |= isa<warp::TmaLoadOp, warp::LoadGlobalOp, tile::ReadOp>(user) || (store && store.getAccumulate());
      if (auto window = dyn_cast<tile::WindowOp>(user))
        noteUses(window.getResult(), reads, writes);
    }
  }

  Access accessOf(BlockArgument argument) {
    bool reads = false, writes = false;
    noteUses(argument, reads, writes);
    return writes ? (reads ? Access::read_write : Access::write) : Access::read;
  }

  LogicalResult fillGrid() {
    SmallVector<tile::TilesOp> spaces(body().getOps<tile::TilesOp>());
    if (spaces.empty()) {
      e.manifest.grid.push_back({"", 1});
      return success();
    }
    for (tile::TilesOp other : spaces)
      if (other.getExtents() != spaces.front().getExtents() || other.getPersistent() != spaces.front().getPersistent())
        return other.emitError("a kernel has one index space of tiles; this one differs from the first");
    e.manifest.persistent = spaces.front().getPersistent();
    for (Value extent : spaces.front().getExtents()) {
      std::optional<GridFactor> factor = gridFactor(extent);
      if (!factor)
        return spaces.front().emitError("each extent of the tiles is a dim, a constant, or ceildiv(dim, constant): the "
                                        "launch computes the grid from it");
      e.manifest.grid.push_back(*factor);
    }
    return success();
  }

  std::optional<GridFactor> gridFactor(Value extent) {
    if (auto argument = dyn_cast<BlockArgument>(extent))
      return GridFactor{name(argument.getArgNumber()), 1};
    IntegerAttr constant;
    if (matchPattern(extent, m_Constant(&constant)))
      return GridFactor{"", constant.getInt()};
    auto ceildiv = extent.getDefiningOp<arith::CeilDivSIOp>();
    if (!ceildiv)
      return std::nullopt;
    auto dim = dyn_cast<BlockArgument>(ceildiv.getLhs());
    if (!dim || !matchPattern(ceildiv.getRhs(), m_Constant(&constant)))
      return std::nullopt;
    return GridFactor{name(dim.getArgNumber()), constant.getInt()};
  }

  bool clustered() {
    auto cluster = e.kernel.getCluster();
    return std::accumulate(cluster.begin(), cluster.end(), int64_t(1), std::multiplies<>()) > 1;
  }

  void syncCluster() {
    nv::ClusterArriveOp::create(e.b, false);
    nv::ClusterWaitOp::create(e.b);
  }

  void emitPrologue() {
    e.warpId = nv::WarpIdOp::create(e.b);
    e.sharedBase = nv::SharedBaseOp::create(e.b);
    initBarriers(e);
    clustered() ? syncCluster() : void(nv::BlockSyncOp::create(e.b));
  }

  /// A block must outlive what its peers still send to it and the arrivals aimed at its barriers.
  void emitEpilogue() {
    if (clustered())
      syncCluster();
    nv::ReturnOp::create(e.b);
  }

  Emitter &e;
  warp::WarpDialect &dialect;
  SmallVector<Type> types;
};

LogicalResult Emitter::run() {
  if (failed(KernelFrame(*this).build()))
    return failure();
  kernel.erase();
  return success();
}

LogicalResult convertWarpToNV(tile::KernelOp kernel, KernelManifest &manifest) {
  return Emitter(kernel, manifest).run();
}

} // namespace tegula
