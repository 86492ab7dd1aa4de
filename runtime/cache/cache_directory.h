// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where the kernel cache lies on disk, who said so, and why it lies nowhere if it does.
#pragma once

#include <string>
#include <string_view>

#include "runtime/environment/environment.h"

namespace tegula {

struct CacheDirectory {
  std::string path = {};    ///< absolute; empty if there is none. It need not exist: the first write makes it
  std::string source = {};  ///< "option", "TEGULA_CACHE_DIR", "XDG_CACHE_HOME" or "HOME"
  std::string problem = {}; ///< why there is none, with where it was looked for; empty otherwise
  bool is_private = false;  ///< made for its user alone (mode 0700), as the XDG rules want it
};

/// The option if given, else TEGULA_CACHE_DIR, else $XDG_CACHE_HOME/tegula, else $HOME/.cache/tegula. A relative path
/// counts from the current folder, now; a relative XDG_CACHE_HOME is ignored, and a HOME that is no folder is not made.
/// \source  XDG Base Directory Specification 0.8.
[[nodiscard]] CacheDirectory locate_cache(std::string_view option, const Environment &environment);

} // namespace tegula
