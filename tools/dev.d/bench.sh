# Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

summary() { echo "builds and measures kernels on the GPU"; }

manual() {
  echo "usage: tools/dev bench [arguments of tegula bench]"
  echo
  echo "Without arguments: tegula bench gemm --vs cublas. The emulator has no speed, so this needs a GPU."
}

perform() {
  nvidia-smi -L >/dev/null 2>&1 || fail 1 "bench: nvidia-smi finds no GPU, and the emulator has no speed to measure"
  tools/dev build tegula
  if [[ $# -eq 0 ]]; then
    set -- gemm --vs cublas
  fi
  "$BUILD/bin/tegula" bench "$@"
}
