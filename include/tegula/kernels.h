// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The kernels that Tegula ships, as calls. For now: matrix products (kernels/gemm/gemm.h).
#pragma once

#include "compiler/jit/jit.h"
#include "kernels/gemm/gemm.h"
