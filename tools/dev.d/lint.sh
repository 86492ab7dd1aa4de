# Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

summary() { echo "checks licence lines, sizes of files and lines, and runs clang-tidy"; }

manual() {
  echo "usage: tools/dev lint [--fast] [file...]"
  echo
  echo "Every source opens with the licence line; files have at most 600 lines, lines 120 columns. clang-tidy reads the"
  echo "named files, or all; --fast leaves it out."
}

perform() {
  local fast=no files=()
  if [[ "${1:-}" == --fast ]]; then
    fast=yes
    shift
  fi
  mapfile -t files < <(if [[ $# -gt 0 ]]; then printf '%s\n' "$@"; else sources; fi)
  local bad=0
  lint_text "${files[@]}" || bad=1
  if [[ $fast == no ]]; then
    lint_code "${files[@]}" || bad=1
  fi
  return $bad
}

lint_text() {
  # Columns are characters, and mawk counts bytes, so the bytes that continue a character do not count.
  LC_ALL=C awk -v licence='SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception' '
    function report(text) { print FILENAME ":" FNR ": " text; bad = 1 }
    FNR == 1 && index($0, licence) == 0 { report("the licence line is missing") }
    { gsub(/[\200-\277]/, "") }
    length($0) > 120 { report("the line has " length($0) " columns; 120 are allowed") }
    FNR == 601 { report("the file has more than 600 lines; split it") }
    END { exit bad }' "$@"
}

lint_code() {
  local tidy
  tidy="$(command -v clang-tidy-22)" || fail 1 "lint: clang-tidy-22 is missing; run tools/dev setup --all"
  [[ -f $BUILD/compile_commands.json ]] || fail 1 "lint: no compile commands; run tools/dev build first"
  printf '%s\n' "$@" | grep '\.cpp$' | xargs -P "$(jobs)" -n 1 "$tidy" -p "$BUILD" --quiet
}
