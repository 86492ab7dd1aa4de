# Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

summary() { echo "removes the build folders"; }

manual() {
  echo "usage: tools/dev clean"
  echo
  echo "Removes build/ and build-*/; the kernel cache stays (tegula cache clear)."
}

perform() {
  no_arguments "$@"
  rm -rf "$BUILD" "$ROOT"/build-*/
}
