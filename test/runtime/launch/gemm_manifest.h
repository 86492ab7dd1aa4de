// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The manifest of a small imaginary GEMM, C[M, N] = A[M, K] · B[N, K]ᵀ, and an image to go with it.
#pragma once

#include <string>

#include "runtime/launch/manifest.h"

namespace tegula {

inline KernelManifest gemm_manifest() {
  KernelManifest m;
  m.kernel = "gemm";
  m.entry = "gemm_entry";
  m.arch = "sm_90a";
  m.dims = {{"M", 1}, {"N", 1}, {"K", 8}};
  m.globals = {{"A", DType::bf16, {"M", "K"}, 1, Access::read, 16, {16, 1}},
               {"B", DType::bf16, {"N", "K"}, 1, Access::read, 16, {16, 1}},
               {"C", DType::f32, {"M", "N"}, 1, Access::write, 4, {1, 1}}};
  m.tensor_maps = {{"A", {1, 0}, {64, 128}, Swizzle::b128, DType::bf16},
                   {"B", {1, 0}, {64, 128}, Swizzle::b128, DType::bf16}};
  m.params = {{ParamKind::tensor_map, "A", 0, DType::s64}, {ParamKind::tensor_map, "B", 1, DType::s64},
              {ParamKind::pointer, "C", 0, DType::s64},    {ParamKind::stride, "C", 0, DType::s64},
              {ParamKind::dim, "M", 0, DType::s64},        {ParamKind::dim, "N", 0, DType::s32},
              {ParamKind::dim, "K", 0, DType::s64},        {ParamKind::scalar, "alpha", 0, DType::f32}};
  m.grid = {{"M", 128}, {"N", 128}};
  m.block_threads = 384;
  m.cluster = {2, 1, 1};
  m.dynamic_shared_bytes = 200000;
  m.pdl = true;
  m.resources.registers = 168;
  m.resources.remarks = {"a \"remark\""};
  m.schedule = {{"m", "128"}, {"k", "64"}};
  m.compiler = "tegula 0.1.0";
  m.assembler = "ptxas V13.0.88";
  return m;
}

inline const std::string kGemmPtx =
    ".version 8.0\n.target sm_90a\n.address_size 64\n"
    ".visible .entry gemm_entry(.param .align 64 .b8 A[128], .param .align 64 .b8 B[128], "
    ".param .u64 C, .param .u64 ldc, .param .u64 M, .param .u32 N, .param .u64 K, "
    ".param .f32 alpha) { ret; }\n";

} // namespace tegula
