// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A device of the emulator as the tests use it: the driver's own calls, with buffers and launches made short.
#pragma once

#include "runtime/driver/driver_types.h"

#include <cstdint>
#include <cstring>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

using namespace tegula::cu;

extern "C" {
#define TEGULA_DRIVER_ENTRY(symbol, version, need, parameters) CUresult symbol parameters;
#include "runtime/driver/driver_api.def"
#undef TEGULA_DRIVER_ENTRY
int tegula_emulator_set(const char *name, const char *value);
}

namespace tegula::emulator::test {

struct Dim {
  unsigned x = 1, y = 1, z = 1;
};

/// One device, its primary context current. A fault of a kernel stays until the object goes.
class Emulated {
public:
  explicit Emulated(int ordinal = 0) : ordinal_(ordinal) {
    (void)cuInit(0);
    CUcontext context;
    (void)cuDevicePrimaryCtxRetain(&context, ordinal);
    (void)cuCtxPushCurrent_v2(context);
  }
  ~Emulated() {
    for (CUdeviceptr p : buffers_)
      (void)cuMemFree_v2(p);
    for (CUmodule m : modules_)
      (void)cuModuleUnload(m);
    (void)cuCtxPopCurrent_v2(nullptr);
    (void)cuDevicePrimaryCtxRelease_v2(ordinal_);
  }
  Emulated(const Emulated &) = delete;
  Emulated &operator=(const Emulated &) = delete;

  static std::string read(const std::string &name) {
    std::ifstream in(std::string(TEGULA_PTX_FOLDER) + "/" + name);
    std::stringstream text;
    text << in.rdbuf();
    return text.str();
  }
  /// The driver's result, and its log in `log`.
  CUresult load(const std::string &ptx) {
    log.assign(1024, '\0');
    CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    void *values[] = {log.data(), reinterpret_cast<void *>(log.size())};
    CUmodule m = nullptr;
    CUresult r = cuModuleLoadDataEx(&m, ptx.c_str(), 2, options, values);
    log.resize(std::strlen(log.c_str()));
    if (r == CUDA_SUCCESS)
      modules_.push_back(m);
    return r;
  }
  CUfunction function(const std::string &name) {
    CUfunction f = nullptr;
    for (size_t i = modules_.size(); i-- > 0 && !f;) // the newest first
      (void)cuModuleGetFunction(&f, modules_[i], name.c_str());
    return f;
  }
  /// Address and size of a variable of the newest module.
  CUresult global(const std::string &name, CUdeviceptr &at, size_t &bytes) {
    return cuModuleGetGlobal_v2(&at, &bytes, modules_.back(), name.c_str());
  }
  CUdeviceptr allocate(size_t bytes) {
    CUdeviceptr p = 0;
    (void)cuMemAlloc_v2(&p, bytes);
    buffers_.push_back(p);
    return p;
  }
  template <class T> CUdeviceptr upload(const std::vector<T> &v) {
    CUdeviceptr p = allocate(v.size() * sizeof(T));
    (void)cuMemcpyHtoDAsync_v2(p, v.data(), v.size() * sizeof(T), nullptr);
    return p;
  }
  template <class T> std::vector<T> download(CUdeviceptr p, size_t n) {
    std::vector<T> v(n);
    (void)cuMemcpyDtoHAsync_v2(v.data(), p, n * sizeof(T), nullptr);
    return v;
  }
  /// Launches and synchronises.
  template <class... A>
  CUresult run(const std::string &name, Dim grid, Dim block, unsigned shared, Dim cluster, A... a) {
    CUfunction f = function(name);
    if (!f)
      return CUDA_ERROR_NOT_FOUND;
    if (shared > 48 * 1024)
      (void)cuFuncSetAttribute(f, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, static_cast<int>(shared));
    void *params[] = {static_cast<void *>(&a)..., nullptr};
    CUlaunchAttribute attribute{};
    attribute.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
    attribute.value.clusterDim = {cluster.x, cluster.y, cluster.z};
    CUlaunchConfig c{grid.x,  grid.y, grid.z,  block.x,    block.y,
                     block.z, shared, nullptr, &attribute, cluster.x * cluster.y * cluster.z > 1};
    CUresult r = cuLaunchKernelEx(&c, f, params, nullptr);
    return r == CUDA_SUCCESS ? cuCtxSynchronize() : r;
  }
  template <class... A> CUresult run(const std::string &name, Dim grid, Dim block, A... a) {
    return run(name, grid, block, 0u, Dim{}, a...);
  }

  std::string log;

private:
  int ordinal_;
  std::vector<CUdeviceptr> buffers_;
  std::vector<CUmodule> modules_;
};

} // namespace tegula::emulator::test
