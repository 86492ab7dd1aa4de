# Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

summary() { echo "sets up, builds, compiles a GEMM for Hopper and runs it"; }

manual() {
  echo "usage: tools/dev demo"
  echo
  echo "Runs on the GPU if there is one, else on the emulator, which needs none."
}

perform() {
  no_arguments "$@"
  tools/dev setup
  say "building (the first time takes minutes)"
  tools/dev build tegula tegula_emulator
  say "the kernel, compiled for Hopper: tegula compile gemm --arch sm_90a -o build/demo"
  "$BUILD/bin/tegula" compile gemm --arch sm_90a -o "$BUILD/demo"
  show_ptx
  run_gemm
}

show_ptx() {
  local ptx
  ptx="$(find "$BUILD/demo" -name '*.ptx' | head -n 1)"
  [[ -n $ptx ]] || return 0
  say "the tensor cores and the copy engine, in $(basename "$ptx")"
  grep -m 1 -h 'cp.async.bulk.tensor' "$ptx" || true
  grep -m 1 -ho 'wgmma.mma_async[a-z0-9_.]*' "$ptx" || true
}

run_gemm() {
  local device=emulator:sm_90a
  nvidia-smi -L >/dev/null 2>&1 && device=cuda:0
  say "run and compared with a reference: tegula run gemm --device $device m=256 n=256 k=128 --check"
  "$BUILD/bin/tegula" run gemm --device "$device" m=256 n=256 k=128 --check
}
