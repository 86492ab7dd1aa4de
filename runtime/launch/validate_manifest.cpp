// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whether the parts of a manifest agree. The launcher relies on it: after this, names resolve and indices are in range.
#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "runtime/driver/arch.h"
#include "runtime/launch/manifest.h"
#include "runtime/launch/tensor_window.h"
#include "runtime/result/complaints.h"

namespace tegula {
namespace {

constexpr int64_t kMaxTmaRank = 5;
constexpr int64_t kMaxBlockThreads = 1024;
constexpr int64_t kMaxClusterBlocks = 16; // 8 portably, 16 by the non-portable attribute

bool is_constant(std::string_view dim) {
  return !dim.empty() && dim.size() <= 18 &&
         std::all_of(dim.begin(), dim.end(), [](char c) { return c >= '0' && c <= '9'; });
}

class Validator {
public:
  Validator(const KernelManifest &manifest, Complaints &wrong) : m_(manifest), wrong_(wrong) {}

  void run() {
    identity();
    unique_names();
    for (const GlobalInfo &global : m_.globals)
      check(global);
    for (size_t i = 0; i < m_.tensor_maps.size(); ++i)
      check(m_.tensor_maps[i], fmt::format("tensor_maps[{}]", i));
    for (size_t i = 0; i < m_.params.size(); ++i)
      check(m_.params[i], fmt::format("params[{}]", i));
    launch();
  }

private:
  template <typename... Args> void say(fmt::format_string<Args...> format, Args &&...args) {
    wrong_.add(fmt::format(format, std::forward<Args>(args)...));
  }

  void identity() {
    if (m_.kernel.empty())
      say("kernel is empty");
    if (m_.entry.empty())
      say("entry is empty");
    if (!parse_arch(m_.arch))
      say("arch is '{}'; it must be like sm_90a", m_.arch);
  }

  void unique_names() {
    std::set<std::string_view> seen;
    for (const DimInfo &dim : m_.dims) {
      if (dim.name.empty() || is_constant(dim.name))
        say("dims: '{}' is no name for a dim", dim.name);
      if (!seen.insert(dim.name).second)
        say("dims: '{}' occurs twice", dim.name);
      if (dim.divisor < 1)
        say("dims: the divisor of {} is {}; it must be at least 1", dim.name, dim.divisor);
    }
    seen.clear();
    for (const GlobalInfo &global : m_.globals)
      if (global.name.empty() || !seen.insert(global.name).second)
        say("globals: '{}' {}", global.name, global.name.empty() ? "is no name" : "occurs twice");
  }

  void check(const GlobalInfo &global) {
    const auto rank = static_cast<int>(global.dims.size());
    for (const std::string &dim : global.dims)
      if (!is_constant(dim) && !m_.find_dim(dim))
        say("global {}: dim '{}' is neither a number nor one of dims", global.name, dim);
    if (global.unit_dim < -1 || global.unit_dim >= rank)
      say("global {}: unit_dim is {}, its rank is {}", global.name, global.unit_dim, rank);
    if (static_cast<int>(global.stride_divisors.size()) != rank)
      say("global {}: stride_divisors has {} entries, its rank is {}", global.name, global.stride_divisors.size(),
          rank);
    for (int64_t divisor : global.stride_divisors)
      if (divisor < 1)
        say("global {}: a stride divisor is {}; it must be at least 1", global.name, divisor);
    if (global.align_bytes < 1 || (global.align_bytes & (global.align_bytes - 1)) != 0)
      say("global {}: align_bytes is {}; it must be a power of two", global.name, global.align_bytes);
  }

  void check(const TensorMapInfo &map, const std::string &where) {
    const GlobalInfo *global = m_.find_global(map.global);
    if (!global) {
      say("{}: '{}' is not one of globals", where, map.global);
      return;
    }
    const int64_t most = map.window < 0 ? kMaxTmaRank : kMaxTmaRank - kWindowMapDims;
    if (map.order.empty() || static_cast<int64_t>(map.order.size()) > most)
      say("{}: its rank is {}; it must be 1 to {}", where, map.order.size(), most);
    if (map.window >= 0 && (map.window == global->unit_dim ||
                            std::find(map.order.begin(), map.order.end(), map.window) == map.order.end()))
      say("{}: window is {}; it must be a dim of order, and not the unit dim", where, map.window);
    if (map.box.size() != map.order.size())
      say("{}: box has {} extents, order {}", where, map.box.size(), map.order.size());
    std::set<int> seen;
    for (int dim : map.order)
      if (dim < 0 || dim >= static_cast<int>(global->dims.size()) || !seen.insert(dim).second)
        say("{}: order names dim {}; {} has dims 0 to {}, each at most once", where, dim, map.global,
            static_cast<int>(global->dims.size()) - 1);
    if (bits(map.dtype) != bits(global->dtype))
      say("{}: dtype is {}, that of {} is {}; they must be of one size", where, name(map.dtype), map.global,
          name(global->dtype));
  }

  void check(const ParamInfo &param, const std::string &where) {
    const GlobalInfo *global = m_.find_global(param.name);
    switch (param.kind) {
    case ParamKind::tensor_map:
      if (param.index < 0 || param.index >= static_cast<int>(m_.tensor_maps.size()))
        say("{}: index is {}; there are {} tensor maps", where, param.index, m_.tensor_maps.size());
      else if (m_.tensor_maps[static_cast<size_t>(param.index)].global != param.name)
        say("{}: names {}, its tensor map is of {}", where, param.name,
            m_.tensor_maps[static_cast<size_t>(param.index)].global);
      break;
    case ParamKind::pointer:
      if (!global)
        say("{}: '{}' is not one of globals", where, param.name);
      break;
    case ParamKind::stride:
      if (!global)
        say("{}: '{}' is not one of globals", where, param.name);
      else if (param.index < 0 || param.index >= static_cast<int>(global->dims.size()))
        say("{}: index is {}; {} has {} dims", where, param.index, param.name, global->dims.size());
      break;
    case ParamKind::dim:
      if (!m_.find_dim(param.name))
        say("{}: '{}' is not one of dims", where, param.name);
      if (param.dtype != DType::s64 && param.dtype != DType::s32)
        say("{}: dtype is {}; a dim is s64 or s32", where, name(param.dtype));
      break;
    case ParamKind::scalar:
      if (param.name.empty())
        say("{}: a scalar needs a name", where);
      if (bits(param.dtype) < 8)
        say("{}: dtype is {}; a scalar takes at least a byte", where, name(param.dtype));
      break;
    }
  }

  void launch() {
    for (const GridFactor &factor : m_.grid) {
      if (!factor.dim.empty() && !m_.find_dim(factor.dim))
        say("grid: '{}' is not one of dims", factor.dim);
      if (factor.divisor < (factor.dim.empty() ? 0 : 1))
        say("grid: the divisor of '{}' is {}", factor.dim, factor.divisor);
    }
    if (m_.block_threads < 1 || m_.block_threads > kMaxBlockThreads)
      say("block_threads is {}; it must be 1 to {}", m_.block_threads, kMaxBlockThreads);
    int64_t blocks = 1;
    for (int extent : m_.cluster)
      blocks *= extent;
    if (std::any_of(m_.cluster.begin(), m_.cluster.end(), [](int c) { return c < 1; }) || blocks > kMaxClusterBlocks)
      say("cluster is {} x {} x {}; it must hold 1 to {} blocks", m_.cluster[0], m_.cluster[1], m_.cluster[2],
          kMaxClusterBlocks);
    else if (m_.cluster[1] != 1 || m_.cluster[2] != 1)
      say("cluster is {} x {} x {}; the grid is one-dimensional, so the cluster's y and z must be 1", m_.cluster[0],
          m_.cluster[1], m_.cluster[2]);
    if (m_.dynamic_shared_bytes < 0)
      say("dynamic_shared_bytes is {}", m_.dynamic_shared_bytes);
  }

  const KernelManifest &m_;
  Complaints &wrong_;
};

} // namespace

Result<void> validate(const KernelManifest &manifest) {
  Complaints wrong;
  Validator(manifest, wrong).run();
  return wrong.verdict(fmt::format("the manifest of '{}' contradicts itself", manifest.kernel));
}

} // namespace tegula
