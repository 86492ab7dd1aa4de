// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The language that kernels are written in: `using namespace tegula::dsl;`. kernels/README.md teaches it from saxpy to
// GEMM; the headers below are its manual. No header of LLVM or MLIR is reached from here.
#pragma once

#include "compiler/dsl/compute.h"
#include "compiler/dsl/elementwise.h"
#include "compiler/dsl/kernel.h"
#include "compiler/dsl/kernel_builder.h"
#include "compiler/dsl/memory.h"
#include "compiler/dsl/shape.h"
#include "compiler/dsl/values.h"
