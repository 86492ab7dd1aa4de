// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Chooses the instruction set once, on first use, and indexes its handlers by name.
#include "runtime/emulator/lanes/registry.h"

#include "runtime/emulator/lanes/tables.h"

#include <unordered_map>

namespace tegula::emulator {
namespace {

struct Registry {
  LaneTables tables;
  std::unordered_map<std::string_view, Handler> by_name;

  Registry() : tables(lanes_base::tables()) {
#ifdef TEGULA_EMULATOR_X86
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
      tables = lanes_avx2::tables();
#endif
    for (const HandlerTable &t :
         {tables.integer, tables.bits, tables.real, tables.directed, tables.half, tables.convert, tables.compare})
      for (size_t i = 0; i < t.count; ++i)
        by_name.emplace(t.rows[i].name, t.rows[i].run);
  }
};

const Registry &registry() {
  static const Registry r;
  return r;
}

} // namespace

Handler find_lane(std::string_view name) {
  auto it = registry().by_name.find(name);
  return it == registry().by_name.end() ? nullptr : it->second;
}

ProductF32 matrix_product() { return registry().tables.product; }

} // namespace tegula::emulator
