// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Architecture names and their rules.
#include "runtime/driver/arch.h"

#include <charconv>

#include <fmt/format.h>

namespace tegula {

std::optional<Arch> parse_arch(std::string_view name) {
  bool known = false;
  for (std::string_view prefix : {"sm_", "compute_"})
    if (name.starts_with(prefix)) {
      name.remove_prefix(prefix.size());
      known = true;
      break;
    }
  if (!known)
    return std::nullopt;
  Arch arch;
  if (name.ends_with('a') || name.ends_with('f')) {
    arch.scope = name.back() == 'a' ? ArchScope::architecture : ArchScope::family;
    name.remove_suffix(1);
  }
  int number = 0;
  auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
  if (error != std::errc() || end != name.data() + name.size() || number < 10 || number > 999 || name.front() == '-')
    return std::nullopt;
  arch.major = number / 10;
  arch.minor = number % 10;
  return arch;
}

std::string to_string(const Arch &arch) {
  constexpr std::string_view kSuffix[] = {"", "f", "a"};
  return fmt::format("sm_{}{}{}", arch.major, arch.minor, kSuffix[static_cast<size_t>(arch.scope)]);
}

bool runs_on(const Arch &image, ImageKind kind, const Arch &device) {
  const bool same_major = image.major == device.major;
  switch (image.scope) {
  case ArchScope::architecture: return same_major && image.minor == device.minor;
  case ArchScope::family: return same_major && image.minor <= device.minor;
  case ArchScope::generic: break;
  }
  if (kind == ImageKind::cubin)
    return same_major && image.minor <= device.minor;
  return image.major < device.major || (same_major && image.minor <= device.minor);
}

} // namespace tegula
