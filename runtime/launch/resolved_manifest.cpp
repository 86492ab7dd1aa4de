// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Names to positions.
#include "runtime/launch/resolved_manifest.h"

#include <algorithm>
#include <charconv>
#include <utility>

namespace tegula {
namespace {

template <typename T> int index_of(const std::vector<T> &list, std::string_view name) {
  for (size_t i = 0; i < list.size(); ++i)
    if (list[i].name == name)
      return static_cast<int>(i);
  return -1;
}

ResolvedGlobal resolve(const GlobalInfo &global, const KernelManifest &manifest, size_t base) {
  ResolvedGlobal resolved;
  resolved.rank = static_cast<int>(global.dims.size());
  resolved.base = base;
  resolved.mapped.assign(global.dims.size(), false);
  for (const std::string &dim : global.dims) {
    int64_t constant = 0;
    resolved.dim.push_back(index_of(manifest.dims, dim));
    if (resolved.dim.back() < 0)
      std::from_chars(dim.data(), dim.data() + dim.size(), constant);
    resolved.constant.push_back(constant);
  }
  for (const TensorMapInfo &map : manifest.tensor_maps) {
    if (map.global != global.name)
      continue;
    resolved.has_map = true;
    for (size_t i = 1; i < map.order.size(); ++i)
      resolved.mapped[static_cast<size_t>(map.order[i])] = true;
  }
  return resolved;
}

} // namespace

ResolvedManifest::ResolvedManifest(KernelManifest given) : manifest(std::move(given)) {
  number_count = manifest.dims.size();
  for (const GlobalInfo &global : manifest.globals) {
    globals.push_back(resolve(global, manifest, number_count));
    number_count += 1 + global.dims.size();
  }
  for (const TensorMapInfo &map : manifest.tensor_maps)
    map_global.push_back(static_cast<size_t>(index_of(manifest.globals, map.global)));
  for (const ParamInfo &param : manifest.params) {
    ResolvedParam resolved{.kind = param.kind, .position = 0, .dtype = DType::u64};
    switch (param.kind) {
    case ParamKind::tensor_map: resolved.position = static_cast<size_t>(param.index); break;
    case ParamKind::pointer:
      resolved.position = globals[static_cast<size_t>(index_of(manifest.globals, param.name))].base;
      break;
    case ParamKind::stride:
      resolved.position = globals[static_cast<size_t>(index_of(manifest.globals, param.name))].stride(param.index);
      break;
    case ParamKind::dim:
      resolved.position = static_cast<size_t>(index_of(manifest.dims, param.name));
      resolved.dtype = param.dtype;
      break;
    case ParamKind::scalar: {
      int known = index_of(scalars, param.name);
      if (known < 0) {
        known = static_cast<int>(scalars.size());
        scalars.push_back({param.name, param.dtype, number_count++});
      }
      resolved.position = scalars[static_cast<size_t>(known)].position;
      resolved.dtype = param.dtype;
      break;
    }
    }
    params.push_back(resolved);
  }
  for (const GridFactor &factor : manifest.grid)
    grid.push_back({factor.dim.empty() ? -1 : index_of(manifest.dims, factor.dim), factor.divisor});
}

int64_t param_bytes(const ResolvedParam &param) {
  return param.kind == ParamKind::tensor_map ? 128 : bytes(param.dtype);
}

} // namespace tegula
