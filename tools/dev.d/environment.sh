# Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# What all commands of tools/dev share: the tools' places and how many jobs fit.

LLVM_BIN=/usr/lib/llvm-22/bin
BUILD="${TEGULA_BUILD_DIR:-$ROOT/build}"

# An MLIR source takes up to 1.5 GB to compile.
jobs() {
  local cores gigabytes
  cores="$(nproc)"
  gigabytes="$(awk '/MemAvailable/ { print int($2 / 1500000) }' /proc/meminfo)"
  echo $((gigabytes < 1 ? 1 : gigabytes < cores ? gigabytes : cores))
}

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
