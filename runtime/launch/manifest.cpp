// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A kernel's description as JSON, read strictly. What parts must agree on is in validate_manifest.cpp.
#include "runtime/launch/manifest.h"

#include <algorithm>
#include <utility>

#include "runtime/json/json_object.h"

namespace tegula {
namespace {

// Raised when the meaning of a field changes: an old runtime must refuse a new manifest.
constexpr int kFormat = 1;

constexpr std::pair<Access, std::string_view> kAccess[] = {
    {Access::read, "read"}, {Access::write, "write"}, {Access::read_write, "read_write"}};
constexpr std::pair<ParamKind, std::string_view> kParamKinds[] = {{ParamKind::tensor_map, "tensor_map"},
                                                                  {ParamKind::pointer, "pointer"},
                                                                  {ParamKind::stride, "stride"},
                                                                  {ParamKind::dim, "dim"},
                                                                  {ParamKind::scalar, "scalar"}};

template <typename E, size_t N>
std::optional<E> value_of(const std::pair<E, std::string_view> (&table)[N], std::string_view text) {
  for (const auto &[value, name] : table)
    if (name == text)
      return value;
  return std::nullopt;
}

template <typename E, size_t N> std::string text_of(const std::pair<E, std::string_view> (&table)[N], E wanted) {
  for (const auto &[value, name] : table)
    if (value == wanted)
      return std::string(name);
  return {};
}

DType read_dtype(JsonObject &from, std::string_view field) { return from.named(field, dtype_names(), parse_dtype); }

GlobalInfo read_global(JsonObject &from) {
  GlobalInfo global;
  global.name = from.string("name");
  global.dtype = read_dtype(from, "dtype");
  global.dims = from.strings("dims");
  global.unit_dim = static_cast<int>(from.integer("unit_dim", -1, 63));
  global.access =
      from.named("access", "read, write, read_write", [](std::string_view t) { return value_of(kAccess, t); });
  global.align_bytes = from.integer("align_bytes", 1);
  global.stride_divisors = from.integers("stride_divisors");
  return global;
}

TensorMapInfo read_tensor_map(JsonObject &from) {
  TensorMapInfo map;
  map.global = from.string("global");
  for (int64_t dim : from.integers("order"))
    map.order.push_back(static_cast<int>(std::clamp<int64_t>(dim, -1, 64)));
  map.box = from.integers("box");
  map.swizzle = from.named("swizzle", "none, b32, b64, b128", parse_swizzle);
  map.dtype = read_dtype(from, "dtype");
  map.window = static_cast<int>(from.integer("window", -1, 63));
  return map;
}

ParamInfo read_param(JsonObject &from) {
  ParamInfo param;
  param.kind = from.named("kind", "tensor_map, pointer, stride, dim, scalar",
                          [](std::string_view t) { return value_of(kParamKinds, t); });
  param.name = from.string("name");
  if (param.kind == ParamKind::tensor_map || param.kind == ParamKind::stride)
    param.index = static_cast<int>(from.integer("index", 0, 1023));
  if (param.kind == ParamKind::dim || param.kind == ParamKind::scalar)
    param.dtype = read_dtype(from, "dtype");
  return param;
}

ResourceReport read_resources(JsonObject &from) {
  ResourceReport report;
  report.registers = static_cast<int>(from.integer("registers", 0, 65536));
  report.spill_store_bytes = from.integer("spill_store_bytes", 0);
  report.spill_load_bytes = from.integer("spill_load_bytes", 0);
  report.stack_bytes = from.integer("stack_bytes", 0);
  report.shared_bytes = from.integer("shared_bytes", 0);
  report.serialized_wgmma = from.boolean("serialized_wgmma");
  report.remarks = from.strings("remarks");
  return report;
}

void read_launch(JsonObject &root, KernelManifest &manifest) {
  root.each_object("grid", [&](JsonObject &from) {
    GridFactor factor;
    factor.dim = from.string("dim");
    factor.divisor = from.integer("divisor", factor.dim.empty() ? 0 : 1);
    manifest.grid.push_back(std::move(factor));
  });
  manifest.persistent = root.boolean("persistent");
  manifest.block_threads = static_cast<int>(root.integer("block_threads", 1, 1024));
  std::vector<int64_t> cluster = root.integers("cluster");
  if (root.has("cluster") && cluster.size() != 3)
    root.complain("cluster", "must hold 3 integers");
  for (size_t i = 0; i < std::min<size_t>(cluster.size(), 3); ++i)
    manifest.cluster[i] = static_cast<int>(std::clamp<int64_t>(cluster[i], 0, 1024));
  manifest.dynamic_shared_bytes = root.integer("dynamic_shared_bytes", 0);
  manifest.pdl = root.boolean("pdl");
}

KernelManifest read_manifest(JsonObject &root) {
  KernelManifest manifest;
  (void)root.integer("tegula_manifest", kFormat, kFormat);
  manifest.kernel = root.string("kernel");
  manifest.entry = root.string("entry");
  manifest.arch = root.string("arch");
  root.each_object("dims", [&](JsonObject &from) {
    DimInfo dim;
    dim.name = from.string("name");
    dim.divisor = from.integer("divisor", 1);
    manifest.dims.push_back(std::move(dim));
  });
  root.each_object("globals", [&](JsonObject &from) { manifest.globals.push_back(read_global(from)); });
  root.each_object("tensor_maps", [&](JsonObject &from) { manifest.tensor_maps.push_back(read_tensor_map(from)); });
  root.each_object("params", [&](JsonObject &from) { manifest.params.push_back(read_param(from)); });
  read_launch(root, manifest);
  root.object("resources", [&](JsonObject &from) { manifest.resources = read_resources(from); });
  root.each_string(
      "schedule", [&](const std::string &key, std::string value) { manifest.schedule.emplace(key, std::move(value)); });
  manifest.compiler = root.string("compiler");
  manifest.assembler = root.string("assembler");
  return manifest;
}

Json write_global(const GlobalInfo &global) {
  return {{"name", global.name},
          {"dtype", name(global.dtype)},
          {"dims", global.dims},
          {"unit_dim", global.unit_dim},
          {"access", text_of(kAccess, global.access)},
          {"align_bytes", global.align_bytes},
          {"stride_divisors", global.stride_divisors}};
}

Json write_param(const ParamInfo &param) {
  Json json = {{"kind", text_of(kParamKinds, param.kind)}, {"name", param.name}};
  if (param.kind == ParamKind::tensor_map || param.kind == ParamKind::stride)
    json["index"] = param.index;
  if (param.kind == ParamKind::dim || param.kind == ParamKind::scalar)
    json["dtype"] = name(param.dtype);
  return json;
}

Json write_resources(const ResourceReport &report) {
  return {{"registers", report.registers},
          {"spill_store_bytes", report.spill_store_bytes},
          {"spill_load_bytes", report.spill_load_bytes},
          {"stack_bytes", report.stack_bytes},
          {"shared_bytes", report.shared_bytes},
          {"serialized_wgmma", report.serialized_wgmma},
          {"remarks", report.remarks}};
}

} // namespace

std::string to_json(const KernelManifest &manifest) {
  Json json;
  json["tegula_manifest"] = kFormat;
  json["kernel"] = manifest.kernel;
  json["entry"] = manifest.entry;
  json["arch"] = manifest.arch;
  for (const char *list : {"dims", "globals", "tensor_maps", "params", "grid"})
    json[list] = Json::array();
  for (const DimInfo &dim : manifest.dims)
    json["dims"].push_back({{"name", dim.name}, {"divisor", dim.divisor}});
  for (const GlobalInfo &global : manifest.globals)
    json["globals"].push_back(write_global(global));
  for (const TensorMapInfo &map : manifest.tensor_maps)
    json["tensor_maps"].push_back({{"global", map.global},
                                   {"order", map.order},
                                   {"box", map.box},
                                   {"swizzle", name(map.swizzle)},
                                   {"dtype", name(map.dtype)},
                                   {"window", map.window}});
  for (const ParamInfo &param : manifest.params)
    json["params"].push_back(write_param(param));
  for (const GridFactor &factor : manifest.grid)
    json["grid"].push_back({{"dim", factor.dim}, {"divisor", factor.divisor}});
  json["persistent"] = manifest.persistent;
  json["block_threads"] = manifest.block_threads;
  json["cluster"] = manifest.cluster;
  json["dynamic_shared_bytes"] = manifest.dynamic_shared_bytes;
  json["pdl"] = manifest.pdl;
  json["resources"] = write_resources(manifest.resources);
  json["schedule"] = Json::object();
  for (const auto &[key, value] : manifest.schedule)
    json["schedule"][key] = value;
  json["compiler"] = manifest.compiler;
  json["assembler"] = manifest.assembler;
  // A name that is no UTF-8 must not throw; it comes out with the bad bytes replaced.
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

Result<KernelManifest> parse_manifest(std::string_view text) {
  auto json = parse_json(text);
  if (!json)
    return std::move(json).error().while_doing("cannot read the manifest");
  Complaints wrong;
  KernelManifest manifest;
  {
    JsonObject root(*json, "", wrong);
    manifest = read_manifest(root);
  }
  TEGULA_CHECK(wrong.verdict("cannot read the manifest"));
  TEGULA_CHECK(validate(manifest));
  return manifest;
}

const GlobalInfo *KernelManifest::find_global(std::string_view name) const {
  auto found = std::find_if(globals.begin(), globals.end(), [&](const GlobalInfo &g) { return g.name == name; });
  return found == globals.end() ? nullptr : &*found;
}

const DimInfo *KernelManifest::find_dim(std::string_view name) const {
  auto found = std::find_if(dims.begin(), dims.end(), [&](const DimInfo &d) { return d.name == name; });
  return found == dims.end() ? nullptr : &*found;
}

} // namespace tegula
