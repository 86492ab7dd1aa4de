// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The kernels that Tegula ships, as calls: matrix products (kernels/gemm/gemm.h), attention (kernels/attention/attention.h).
#pragma once

#include "compiler/jit/jit.h"
#include "kernels/attention/attention.h"
#include "kernels/gemm/gemm.h"
