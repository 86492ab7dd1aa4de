// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The table of kernels, and the search in it.
#include "kernels/registry/registry.h"

#include <array>

#include <fmt/format.h>

#include "kernels/attention/check/attention_entry.h"
#include "kernels/examples/check/example_entries.h"
#include "kernels/gemm/check/gemm_entry.h"
#include "kernels/naming/near_miss.h"

namespace tegula {

std::span<const KernelEntry> kernel_registry() {
  static const std::array entries = {saxpy_entry(),        softmax_entry(), transpose_entry(), matmul_entry(),
                                     gated_matmul_entry(), gemm_entry(),    attention_entry()};
  return entries;
}

Result<const KernelEntry *> find_kernel(std::string_view name) {
  std::vector<std::string_view> names;
  for (const KernelEntry &entry : kernel_registry()) {
    if (entry.name == name)
      return &entry;
    names.push_back(entry.name);
  }
  return Error(ErrorCode::not_found, fmt::format("unknown kernel '{}'{}; there are {}", name, near_miss(name, names),
                                                 fmt::join(names, ", ")));
}

} // namespace tegula
