// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A compiled kernel as a C++ header: its bytes, its manifest and a typed way to load and launch it.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "runtime/launch/manifest.h"

namespace tegula {

/// The header's text. It needs tegula/runtime.h alone and defines `tegula_kernels::NAME_ARCH`, where a struct
/// `Arguments` has a member for each global, dim and scalar, and a class `Launcher` loads and launches:
///     auto saxpy = tegula_kernels::saxpy_sm_90a::Launcher::load(context);
///     saxpy->launch({.X = {x.address()}, .Y = {y.address()}, .n = n, .alpha = 2.0f}, {.stream = stream});
[[nodiscard]] std::string embed_header(const KernelManifest &manifest, std::span<const std::byte> image);

} // namespace tegula
