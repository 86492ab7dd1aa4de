# Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

summary() { echo "packs programs that run without LLVM into one archive"; }

manual() {
  echo "usage: tools/dev bundle [-o FILE.tar.gz]           (default: build/tegula-bundle.tar.gz)"
  echo
  echo "tegula and tegula-opt with LLVM and MLIR linked in, and the emulator beside them. They need glibc 2.36 or newer"
  echo "and nothing else; at most 60 MiB packed."
}

perform() {
  local archive="$BUILD/tegula-bundle.tar.gz"
  if [[ "${1:-}" == -o ]]; then
    archive="${2:?-o needs a file}"
    shift 2
  fi
  no_arguments "$@"
  tools/dev build tegula-bundled tegula-opt-bundled tegula_emulator-bundled
  cp LICENSE "$BUILD/bundle/"
  refuse_foreign_libraries "$BUILD"/bundle/bin/* "$BUILD"/bundle/lib/*
  tar -C "$BUILD" -czf "$archive" --transform 's/^bundle/tegula/' bundle
  refuse_large "$archive"
  echo "bundle: $archive, $(($(stat -c %s "$archive") / 1048576)) MiB"
}

# What a bundled file asks the loader for has to be part of glibc.
refuse_foreign_libraries() {
  local foreign
  foreign="$("$LLVM_BIN/llvm-readelf" --needed-libs "$@" | grep -oE '[^ ]+\.so[^ ]*' |
    grep -vE '^(libc|libm|libdl|librt|libpthread|ld-linux-x86-64)\.so' | grep -v '/' | sort -u || true)"
  [[ -z $foreign ]] || fail 1 "bundle: linked to what other machines lack: $foreign"
}

refuse_large() {
  [[ "$(stat -c %s "$1")" -le $((60 * 1048576)) ]] || fail 1 "bundle: $1 is larger than 60 MiB"
}
