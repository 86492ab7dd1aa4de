# Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

summary() { echo "configures and builds into build/bin and build/lib"; }

manual() {
  echo "usage: tools/dev build [--preset release|debug|asan] [target...]"
  echo
  echo "release goes to build/, the others to build-<preset>/. Without targets, everything is built, tests included."
  echo "ccache is used if it is there; objects are shared between checkouts."
}

perform() {
  local preset=release targets=()
  while [[ $# -gt 0 ]]; do
    case "$1" in
      --preset) preset="${2:?--preset needs a name}"; shift ;;
      -*) fail 2 "build: unexpected argument '$1'; see --help" ;;
      *) targets+=("$1") ;;
    esac
    shift
  done
  configure "$preset"
  cmake --build "$(folder_of "$preset")" -j "$(jobs)" ${targets:+--target "${targets[@]}"}
}

folder_of() {
  if [[ $1 == release ]]; then echo "$BUILD"; else echo "$ROOT/build-$1"; fi
}

configure() {
  local launcher=()
  [[ -x $LLVM_BIN/clang++ ]] || fail 1 "build: clang++-22 is missing; run tools/dev setup"
  command -v ccache >/dev/null && launcher=("-DCMAKE_CXX_COMPILER_LAUNCHER=$ROOT/tools/dev.d/compile")
  cmake --preset "$1" -B "$(folder_of "$1")" "${launcher[@]}" >"/tmp/tegula-configure.$$" 2>&1 || {
    cat "/tmp/tegula-configure.$$" >&2
    rm -f "/tmp/tegula-configure.$$"
    return 1
  }
  rm -f "/tmp/tegula-configure.$$"
}
