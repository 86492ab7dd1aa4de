// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The table of PTX types, by name and by size.
#include "runtime/emulator/ptx/types.h"

namespace tegula::emulator::ptx {
namespace {
struct TypeRow {
  std::string_view name;
  unsigned bits;
};
constexpr TypeRow kTypes[] = {
#define X(name, bits) {"." #name, bits},
    TEGULA_PTX_TYPES(X)
#undef X
};
} // namespace

unsigned bits_of(Type type) { return kTypes[static_cast<unsigned>(type)].bits; }

std::string_view name_of(Type type) { return kTypes[static_cast<unsigned>(type)].name.substr(1); }

Type type_of(std::string_view modifier) {
  for (unsigned i = 1; i < sizeof(kTypes) / sizeof(kTypes[0]); ++i)
    if (kTypes[i].name == modifier)
      return static_cast<Type>(i);
  return Type::none;
}

} // namespace tegula::emulator::ptx
