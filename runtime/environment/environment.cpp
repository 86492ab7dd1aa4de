// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads the environment; the table below gives the struct's fields and doctor's list.
#include "runtime/environment/environment.h"

#include <array>
#include <cstdlib>

namespace tegula {
namespace {

struct Row {
  const char *name;
  std::string_view meaning;
  std::optional<std::string> Environment::*field;
};

constexpr std::array kRows = {
    Row{"HOME", "where the kernel cache lies, in .cache/tegula, unless set otherwise", &Environment::home},
    Row{"XDG_CACHE_HOME", "where the kernel cache lies instead, in tegula", &Environment::xdg_cache_home},
    Row{"PATH", "where ptxas, nvdisasm and cuobjdump are looked for", &Environment::path},
    Row{"CUDA_HOME", "a CUDA toolkit to look in after PATH", &Environment::cuda_home},
    Row{"TEGULA_CACHE_DIR", "the kernel cache's folder, before all others", &Environment::cache_dir},
    Row{"TEGULA_PTXAS", "the ptxas to use, before all others", &Environment::ptxas},
    Row{"TEGULA_EMULATOR_DEVICES", "the devices that the emulator shows", &Environment::emulator_devices},
};

std::optional<std::string> read(const char *name) {
  const char *value = std::getenv(name);
  if (!value || !*value)
    return std::nullopt;
  return value;
}

} // namespace

Environment read_environment() {
  Environment environment;
  for (const Row &row : kRows)
    environment.*row.field = read(row.name);
  return environment;
}

std::vector<EnvironmentVariable> list_environment() {
  std::vector<EnvironmentVariable> list;
  for (const Row &row : kRows)
    list.push_back({row.name, row.meaning, read(row.name)});
  return list;
}

} // namespace tegula
