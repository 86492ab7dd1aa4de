// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The example kernels as the registry knows them.
#pragma once

#include "kernels/registry/registry.h"

namespace tegula {

[[nodiscard]] KernelEntry saxpy_entry();
[[nodiscard]] KernelEntry softmax_entry();
[[nodiscard]] KernelEntry transpose_entry();
[[nodiscard]] KernelEntry matmul_entry();
[[nodiscard]] KernelEntry gated_matmul_entry();

} // namespace tegula
