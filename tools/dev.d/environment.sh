# Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# What all commands of tools/dev share: the tools' places, how many jobs fit, and ccache's settings.

LLVM_BIN=/usr/lib/llvm-22/bin
BUILD="${TEGULA_BUILD_DIR:-$ROOT/build}"

# An MLIR source takes up to 1.5 GB to compile.
jobs() {
  local cores gigabytes
  cores="$(nproc)"
  gigabytes="$(awk '/MemAvailable/ { print int($2 / 1500000) }' /proc/meminfo)"
  echo $((gigabytes < 1 ? 1 : gigabytes < cores ? gigabytes : cores))
}

# Paths below the checkout are hashed relative to it, so that objects compiled in one checkout serve all others. The
# precompiled header is checked by its content, never by its date.
export CCACHE_BASEDIR="$ROOT"
export CCACHE_NOHASHDIR=1
export CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime

say() { printf '\n== %s\n' "$*"; }

# fail STATUS message...
fail() {
  local status="$1"
  shift
  printf 'tools/dev: %s\n' "$@" >&2
  exit "$status"
}

no_arguments() {
  [[ $# -eq 0 ]] || fail 2 "unexpected argument '$1'; see --help"
}

# C++ sources, also those that git does not know yet.
sources() {
  git ls-files --cached --others --exclude-standard '*.cpp' '*.h' | while read -r file; do
    [[ ! -f $file ]] || echo "$file"
  done
}
