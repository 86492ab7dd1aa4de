// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a loaded kernel holds; shared by kernel.cpp and bound_kernel.cpp.
#pragma once

#include <utility>

#include "runtime/launch/kernel.h"
#include "runtime/launch/resolved_manifest.h"

namespace tegula {

struct Kernel::State {
  State(Module module_, Function function_, ResolvedManifest resolved_)
      : module(std::move(module_)), function(std::move(function_)), resolved(std::move(resolved_)) {}

  Module module;
  Function function;
  ResolvedManifest resolved;
};

} // namespace tegula
