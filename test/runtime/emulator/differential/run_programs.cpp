// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs every entry of programs.ptx on a driver given by its library, the real one or the emulator's, over the same
// operands, and writes all results: run_programs LIBRARY programs.ptx results.bin.
#include "runtime/driver/driver_types.h"

#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

using namespace tegula::cu;

namespace {

constexpr size_t kThreads = 128, kBlocks = 8, kCount = kThreads * kBlocks;

void *library;
template <class... A> void call(const char *name, A... a) {
  auto *f = reinterpret_cast<CUresult (*)(A...)>(dlsym(library, name));
  CUresult r = f ? f(a...) : CUDA_ERROR_NOT_FOUND;
  if (r != CUDA_SUCCESS) {
    std::fprintf(stderr, "%s: error %d\n", name, static_cast<int>(r));
    std::exit(1);
  }
}

uint64_t next(uint64_t &s) {
  uint64_t z = (s += 0x9e3779b97f4a7c15u);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

/// The corners of f32, f16, bf16, small and large integers, the corners of f64, and values near 1 and at random.
std::vector<uint64_t> operands(uint64_t seed) {
  static constexpr uint32_t k32[] = {
      0,          0x80000000, 1,          0x80000001, 0x007fffff, 0x807fffff, 0x00800000, 0x3f800000, 0xbf800000,
      0x7f7fffff, 0xff7fffff, 0x7f800000, 0xff800000, 0x7f800001, 0xff812345, 0x7fc00001, 0x7fffffff, 0xffffffff,
      0x4f000000, 0xcf000000, 0x4effffff, 0x5f000000, 0xdf000000, 0x33800000, 0x38800000, 0x387fc000, 0x33000001,
      0x477fe000, 0x477ff000, 0x43e00000, 0x47600000, 0x3c003c00, 0x7c007bff, 0xfc00ffff, 0x00010400, 0x7e007c01,
      0x80008001, 0x3f803f7f, 0x7f807f7f, 0x40490fdb, 0xc2f00000, 0x42fe0000, 0xc3150000, 31,         32,
      33,         63,         64,         127,        128,        255,        256,        0x7fff,     0x8000,
      0xffff,     0x10000,    0x12345678, 0x3f000000, 0x3f7fffff, 0x3f800001, 0x40200000, 0x3fc00000, 0xbf000000};
  static constexpr uint64_t k64[] = {0,
                                     0x8000000000000000,
                                     1,
                                     0x000fffffffffffff,
                                     0x0010000000000000,
                                     0x3ff0000000000000,
                                     0xbff0000000000000,
                                     0x7fefffffffffffff,
                                     0x7ff0000000000000,
                                     0xfff0000000000000,
                                     0x7ff8000000000001,
                                     0x7ff0000000000001,
                                     0x41e0000000000000,
                                     0x41dfffffffc00000,
                                     0xc1e0000000200000,
                                     0x43e0000000000000,
                                     0xc3e0000000000000,
                                     0x43f0000000000000,
                                     0x3fe0000000000000,
                                     0x3ff8000000000000,
                                     0x4004000000000000,
                                     0x47efffffe0000000,
                                     0x47effffff0000000,
                                     0x3690000000000000,
                                     0x380fffffffffffff,
                                     0x40effe0000000000,
                                     0x40f0000000000000,
                                     0x3e70000000000000,
                                     0x36a0000000000001,
                                     0xc059000000000000};
  std::vector<uint64_t> v(kCount);
  uint64_t s = seed;
  for (size_t i = 0; i < kCount; ++i) {
    uint64_t r = next(s);
    switch (r % 5) {
    case 0:
    case 1: v[i] = next(s) << 32 | k32[(r >> 8) % (sizeof k32 / 4)]; break;
    case 2: v[i] = k64[(r >> 8) % (sizeof k64 / 8)]; break;
    case 3: // f64 and f32 of ordinary size
      v[i] = (next(s) & 0x800fffffffffffff) | (0x3f8 + (r >> 8) % 16) << 52;
      v[i] = (v[i] & 0xffffffff00000000) | (next(s) & 0x807fffff) | (0x78 + (r >> 16) % 16) << 23;
      break;
    default: v[i] = next(s);
    }
  }
  return v;
}

} // namespace

int main(int argc, char **argv) {
  if (argc != 4 || !(library = dlopen(argv[1], RTLD_NOW))) {
    std::fprintf(stderr, "usage: run_programs LIBRARY programs.ptx results.bin\n");
    return 2;
  }
  std::ifstream file(argv[2]);
  std::stringstream text;
  text << file.rdbuf();
  std::string ptx = text.str();
  size_t entries = 0;
  for (size_t at = ptx.find(".visible"); at != std::string::npos; at = ptx.find(".visible", at + 1))
    ++entries;
  CUcontext context;
  CUmodule module;
  call("cuInit", 0u);
  call("cuDevicePrimaryCtxRetain", &context, 0);
  call("cuCtxPushCurrent_v2", context);
  call("cuModuleLoadDataEx", &module, static_cast<const void *>(ptx.c_str()), 0u, static_cast<CUjit_option *>(nullptr),
       static_cast<void **>(nullptr));
  CUdeviceptr p[4];
  for (uint64_t i = 0; i < 4; ++i) {
    call("cuMemAlloc_v2", &p[i], kCount * 8);
    auto v = operands(i + 1);
    call("cuMemcpyHtoD_v2", p[i], static_cast<const void *>(v.data()), kCount * 8);
  }
  std::ofstream out(argv[3], std::ios::binary);
  std::vector<uint64_t> result(kCount);
  for (size_t n = 0; n < entries; ++n) {
    char name[32];
    std::snprintf(name, sizeof name, "t%03zu", n);
    CUfunction f;
    call("cuModuleGetFunction", &f, module, static_cast<const char *>(name));
    void *params[] = {&p[0], &p[1], &p[2], &p[3]};
    call("cuLaunchKernel", f, unsigned(kBlocks), 1u, 1u, unsigned(kThreads), 1u, 1u, 0u, static_cast<CUstream>(nullptr),
         static_cast<void **>(params), static_cast<void **>(nullptr));
    call("cuMemcpyDtoH_v2", static_cast<void *>(result.data()), p[3], kCount * 8);
    out.write(reinterpret_cast<const char *>(result.data()), kCount * 8);
  }
  auto first = operands(1); // at the end, for whoever judges approximations
  out.write(reinterpret_cast<const char *>(first.data()), kCount * 8);
  return 0;
}
