// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Architecture names such as sm_90a, and which image runs on which device.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace tegula {

/// How far an image built for an architecture carries (PTX ISA 9.0, .target).
enum class ArchScope : char {
  generic,      ///< sm_90: later devices too (PTX any, cubins those of the same major version)
  family,       ///< sm_100f: devices of the same major version, from this minor on
  architecture, ///< sm_90a: this one alone
};

struct Arch {
  int major = 0;
  int minor = 0;
  ArchScope scope = ArchScope::generic;

  bool operator==(const Arch &) const = default;
};

enum class ImageKind { cubin, ptx };

/// "sm_90a" or "compute_90a".
[[nodiscard]] std::optional<Arch> parse_arch(std::string_view name);

/// "sm_90a".
[[nodiscard]] std::string to_string(const Arch &arch);

/// Whether an image built for `image` runs on a device of compute capability `device` (whose scope is not looked at).
[[nodiscard]] bool runs_on(const Arch &image, ImageKind kind, const Arch &device);

} // namespace tegula
