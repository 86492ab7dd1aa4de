# Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

summary() { echo "writes dialects/README.md from the descriptions of the ops"; }

manual() {
  echo "usage: tools/dev docs"
  echo
  echo "The test 'docs' fails when dialects/README.md is not what this writes."
}

perform() {
  no_arguments "$@"
  tools/dev build docs
}
