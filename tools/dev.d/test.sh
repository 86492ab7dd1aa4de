# Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
source tools/dev.d/build.sh
eval "$(declare -f perform | sed '1s/perform/build_tree/')"

summary() { echo "builds everything and runs all tests"; }

manual() {
  echo "usage: tools/dev test [--preset release|debug|asan] [-- ctest options]"
  echo
  echo "Needs no GPU: kernels run on the emulator. Ends with ctest's summary and its exit status."
  echo "  tools/dev test -- -R lit.dialects          one entry"
}

perform() {
  local preset=release
  if [[ "${1:-}" == --preset ]]; then
    preset="${2:?--preset needs a name}"
    shift 2
  fi
  [[ "${1:-}" != -- ]] || shift
  build_tree --preset "$preset"
  ctest --test-dir "$(folder_of "$preset")" --output-on-failure -j "$(nproc)" "$@"
}
