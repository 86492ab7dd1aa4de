# Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

summary() { echo "formats C++ sources with clang-format 22"; }

manual() {
  echo "usage: tools/dev format [--check]"
  echo
  echo "--check changes nothing and fails if a file is not formatted."
}

perform() {
  local mode=(-i)
  if [[ "${1:-}" == --check ]]; then
    mode=(--dry-run --Werror)
    shift
  fi
  no_arguments "$@"
  command -v clang-format-22 >/dev/null || fail 1 "format: clang-format-22 is missing; run tools/dev setup --all"
  sources | xargs clang-format-22 "${mode[@]}"
}
