// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Writes the header that embed_header_test.cpp includes.
#include <fstream>

#include "runtime/bundle/embed_header.h"
#include "test/runtime/launch/gemm_manifest.h"

int main(int, char **argv) {
  std::ofstream(argv[1]) << tegula::embed_header(tegula::gemm_manifest(), std::as_bytes(std::span(tegula::kGemmPtx)));
}
