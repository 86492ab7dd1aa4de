# Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# What the build needs, as Debian 12 names it.
PACKAGES=(
  clang-22 lld-22 llvm-22-dev llvm-22-tools libmlir-22-dev mlir-22-tools   # compiler, LLVM, MLIR, lit, FileCheck
  cmake ninja-build ccache git python3
  libfmt-dev nlohmann-json3-dev libcli11-dev libxxhash-dev catch2           # headers only
  zlib1g-dev libzstd-dev                                                    # LLVM's own dependencies
)
OPTIONAL_PACKAGES=(clang-format-22 clang-tidy-22 libclang-rt-22-dev)

summary() { echo "installs what the build needs, from Debian's packages"; }

manual() {
  echo "usage: tools/dev setup [--dry-run] [--all]"
  echo
  echo "Installs, with apt-get and --no-install-recommends, those of these packages that are missing:"
  echo "  ${PACKAGES[*]}" | fold -s -w 100
  echo "--all adds what only format, lint and the preset asan need: ${OPTIONAL_PACKAGES[*]}."
  echo "--dry-run prints what it would install. A CUDA toolkit and a GPU are used where they exist, and never needed."
}

missing_packages() {
  local package
  for package in "$@"; do
    dpkg-query -W -f '${db:Status-Status}\n' "$package" 2>/dev/null | grep -qx installed || echo "$package"
  done
}

as_root() {
  if [[ "$(id -u)" -eq 0 ]]; then "$@"; else sudo "$@"; fi
}

# True when apt knows LLVM 22, after reading the lists anew if it has to.
find_llvm() {
  apt-cache show libmlir-22-dev >/dev/null 2>&1 && return 0
  as_root apt-get update -qq
  apt-cache show libmlir-22-dev >/dev/null 2>&1
}

explain_llvm() {
  fail 1 "apt has no libmlir-22-dev (LLVM and MLIR 22)." \
    "  Debian 12: the packages come with bookworm-security; enable it in /etc/apt/sources.list." \
    "  Other Debian and Ubuntu: https://apt.llvm.org has llvm-22 for them (bash llvm.sh 22 all)." \
    "  Elsewhere: build LLVM 22 with -DLLVM_ENABLE_PROJECTS=mlir and configure with -DCMAKE_PREFIX_PATH=<its prefix>."
}

perform() {
  local wanted=("${PACKAGES[@]}") dry=no argument missing
  for argument in "$@"; do
    case "$argument" in
      --all) wanted+=("${OPTIONAL_PACKAGES[@]}") ;;
      --dry-run) dry=yes ;;
      *) fail 2 "setup: unexpected argument '$argument'; see --help" ;;
    esac
  done
  command -v apt-get >/dev/null || explain_llvm
  mapfile -t missing < <(missing_packages "${wanted[@]}")
  if [[ ${#missing[@]} -eq 0 ]]; then
    echo "setup: everything is installed"
    return 0
  fi
  echo "setup: installing ${missing[*]}"
  [[ $dry == no ]] || return 0
  find_llvm || explain_llvm
  # Lists that are older than the mirror name files that it no longer has, so a failure is tried once more with new ones.
  install_packages "${missing[@]}" || { as_root apt-get update -qq && install_packages "${missing[@]}"; }
}

install_packages() {
  as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@" >/dev/null
}
