// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Exports: launches, with everything checked that the real driver checks, and occupancy.
#include "runtime/emulator/driver/state.h"

#include <algorithm>
#include <cstring>

using namespace tegula::emulator;

namespace {

struct Request {
  Dim3 grid, block, cluster;
  uint32_t shared = 0;
  bool cooperative = false;
};

CUresult refuse(CUresult code, const std::string &why) {
  std::fprintf(stderr, "tegula emulator: launch refused: %s\n", why.c_str());
  return code;
}

std::string text(const Dim3 &d) { return std::to_string(d.x) + "x" + std::to_string(d.y) + "x" + std::to_string(d.z); }

bool given(const uint32_t (&d)[3]) { return d[0] != 0; }

CUresult check(const Request &r, CUfunction f) {
  const Function &fn = *f->function;
  uint64_t threads = r.block.count();
  if (r.grid.count() == 0 || threads == 0)
    return refuse(CUDA_ERROR_INVALID_VALUE, "grid " + text(r.grid) + ", block " + text(r.block));
  if (r.grid.x > 2147483647u || r.grid.y > 65535 || r.grid.z > 65535)
    return refuse(CUDA_ERROR_INVALID_VALUE, "grid " + text(r.grid) + " is beyond 2147483647x65535x65535");
  if (threads > 1024 || r.block.z > 64)
    return refuse(CUDA_ERROR_INVALID_VALUE, "block " + text(r.block) + " is beyond 1024 threads");
  Dim3 required{fn.reqntid[0], fn.reqntid[1], fn.reqntid[2]};
  if (given(fn.reqntid) && text(required) != text(r.block))
    return refuse(CUDA_ERROR_INVALID_VALUE, "block " + text(r.block) + ", but the kernel requires " + text(required));
  if (given(fn.maxntid) && threads > uint64_t{fn.maxntid[0]} * fn.maxntid[1] * fn.maxntid[2])
    return refuse(CUDA_ERROR_INVALID_VALUE, "block " + text(r.block) + " is beyond the kernel's .maxntid");
  if (r.shared > static_cast<uint32_t>(f->max_dynamic_shared))
    return refuse(CUDA_ERROR_INVALID_VALUE, std::to_string(r.shared) +
                                                " bytes of dynamic shared memory, but the kernel's "
                                                "attribute allows " +
                                                std::to_string(f->max_dynamic_shared));
  if (r.cluster.count() > (f->non_portable_cluster ? 16u : 8u))
    return refuse(CUDA_ERROR_INVALID_CLUSTER_SIZE, "cluster " + text(r.cluster));
  if (r.grid.x % r.cluster.x || r.grid.y % r.cluster.y || r.grid.z % r.cluster.z)
    return refuse(CUDA_ERROR_INVALID_VALUE,
                  "grid " + text(r.grid) + " is no multiple of the cluster " + text(r.cluster));
  return CUDA_SUCCESS;
}

CUresult pack(const Function &fn, void **params, void **extra, std::vector<std::byte> &bytes) {
  bytes.assign(fn.param_bytes, std::byte{0});
  if (extra) {
    const void *buffer = nullptr;
    size_t size = 0;
    for (void **e = extra; *e; e += 2) {
      if (*e == reinterpret_cast<void *>(1))
        buffer = e[1];
      else if (*e == reinterpret_cast<void *>(2))
        size = *static_cast<size_t *>(e[1]);
      else
        return CUDA_ERROR_INVALID_VALUE;
    }
    if (!buffer || size < bytes.size())
      return refuse(CUDA_ERROR_INVALID_VALUE, "the parameter buffer is smaller than the kernel's parameters");
    std::memcpy(bytes.data(), buffer, bytes.size());
    return CUDA_SUCCESS;
  }
  if (fn.params.empty())
    return CUDA_SUCCESS;
  if (!params)
    return CUDA_ERROR_INVALID_VALUE;
  for (size_t i = 0; i < fn.params.size(); ++i) {
    if (!params[i])
      return refuse(CUDA_ERROR_INVALID_VALUE, "parameter " + std::to_string(i) + " is null");
    std::memcpy(bytes.data() + fn.params[i].offset, params[i], fn.params[i].bytes);
  }
  return CUDA_SUCCESS;
}

/// A cooperative grid finds the workspace of its barrier through two special registers.
uint64_t cooperative_workspace(Device &d) { return d.memory->allocate(4096, 512, "workspace of a cooperative launch"); }

CUresult execute(CUcontext context, CUfunction f, const Request &r, const std::vector<std::byte> &params) {
  Launch launch;
  launch.loaded = &f->module->loaded;
  launch.function = f->function;
  launch.memory = context->device->memory.get();
  launch.params = params;
  launch.grid = r.grid;
  launch.block = r.block;
  launch.cluster = r.cluster;
  launch.dynamic_shared = r.shared;
  launch.sm_major = context->device->major;
  launch.sm_count = context->device->sm_count;
  launch.stack_bytes = static_cast<uint32_t>(std::min<size_t>(context->stack_bytes, 1 << 20));
  launch.options = state().settings.options;
  if (r.cooperative)
    launch.environment[0] = cooperative_workspace(*context->device);
  run_grid(launch);
  if (r.cooperative)
    context->device->memory->release(launch.environment[0]);
  if (launch.error() != ErrorCode::none)
    context->sticky = static_cast<CUresult>(launch.error());
  return CUDA_SUCCESS; // found at the next synchronisation
}

CUresult launch(Request r, CUstream stream, CUfunction f, void **params, void **extra) {
  if (CUresult status = check_context(); status != CUDA_SUCCESS)
    return status;
  if (!f)
    return CUDA_ERROR_INVALID_HANDLE;
  const Function &fn = *f->function;
  if (given(fn.cluster))
    r.cluster = {fn.cluster[0], fn.cluster[1], fn.cluster[2]};
  if (CUresult status = check(r, f); status != CUDA_SUCCESS)
    return status;
  std::vector<std::byte> bytes;
  if (CUresult status = pack(fn, params, extra, bytes); status != CUDA_SUCCESS)
    return status;
  CUcontext context = current();
  return submit(stream, 0, [=] { return execute(context, f, r, bytes); });
}

int blocks_per_sm(const CUfunc_st &f, int threads, size_t dynamic) {
  if (threads <= 0 || threads > 1024)
    return 0;
  uint32_t warps = (static_cast<uint32_t>(threads) + 31) / 32;
  uint64_t shared = f.static_shared + dynamic + 1024;
  uint32_t registers = f.function->max_registers;
  if (!registers) // an estimate: what the bounds that the kernel gives leave
    registers = f.function->reqntid[0] || f.function->maxntid[0] ? std::min(65536u / (warps * 32) / 8 * 8, 255u) : 32;
  if (f.function->min_ctas > 1)
    registers = std::max(registers / f.function->min_ctas / 8 * 8, 16u);
  return static_cast<int>(
      std::min<uint64_t>({64 / warps, 233472 / shared, 65536 / (uint64_t{registers} * warps * 32), 32}));
}

Request from_config(const CUlaunchConfig &c) {
  Request r;
  r.grid = {c.gridDimX, c.gridDimY, c.gridDimZ};
  r.block = {c.blockDimX, c.blockDimY, c.blockDimZ};
  r.shared = c.sharedMemBytes;
  for (unsigned i = 0; i < c.numAttrs; ++i) {
    if (c.attrs[i].id == CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION)
      r.cluster = {c.attrs[i].value.clusterDim.x, c.attrs[i].value.clusterDim.y, c.attrs[i].value.clusterDim.z};
    if (c.attrs[i].id == CU_LAUNCH_ATTRIBUTE_COOPERATIVE)
      r.cooperative = c.attrs[i].value.cooperative != 0;
  }
  r.cluster = {std::max(r.cluster.x, 1u), std::max(r.cluster.y, 1u), std::max(r.cluster.z, 1u)};
  return r;
}

} // namespace

TEGULA_EXPORT CUresult cuLaunchKernelEx(const CUlaunchConfig *config, CUfunction function, void **params,
                                        void **extra) {
  if (!config)
    return CUDA_ERROR_INVALID_VALUE;
  return launch(from_config(*config), config->hStream, function, params, extra);
}

TEGULA_EXPORT CUresult cuLaunchKernel(CUfunction f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
                                      unsigned bz, unsigned shared, CUstream stream, void **params, void **extra) {
  return launch({{gx, gy, gz}, {bx, by, bz}, {}, shared, false}, stream, f, params, extra);
}

TEGULA_EXPORT CUresult cuLaunchCooperativeKernel(CUfunction f, unsigned gx, unsigned gy, unsigned gz, unsigned bx,
                                                 unsigned by, unsigned bz, unsigned shared, CUstream stream,
                                                 void **params) {
  return launch({{gx, gy, gz}, {bx, by, bz}, {}, shared, true}, stream, f, params, nullptr);
}

TEGULA_EXPORT CUresult cuLaunchHostFunc(CUstream stream, void (*function)(void *), void *data) {
  if (!function)
    return CUDA_ERROR_INVALID_VALUE;
  return submit(stream, 3, [=] {
    function(data);
    return CUDA_SUCCESS;
  });
}

TEGULA_EXPORT CUresult cuStreamAddCallback(CUstream stream, void (*function)(CUstream, CUresult, void *), void *data,
                                           unsigned flags) {
  if (!function || flags)
    return CUDA_ERROR_INVALID_VALUE;
  return submit(stream, 3, [=] {
    function(stream, CUDA_SUCCESS, data);
    return CUDA_SUCCESS;
  });
}

TEGULA_EXPORT CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, CUfunction f, int threads,
                                                                   size_t shared) {
  if (!f || !blocks)
    return CUDA_ERROR_INVALID_VALUE;
  *blocks = blocks_per_sm(*f, threads, shared);
  return CUDA_SUCCESS;
}
TEGULA_EXPORT CUresult cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, CUfunction f, int threads,
                                                                            size_t shared, unsigned) {
  return cuOccupancyMaxActiveBlocksPerMultiprocessor(blocks, f, threads, shared);
}

TEGULA_EXPORT CUresult cuOccupancyMaxActiveClusters(int *clusters, CUfunction f, const CUlaunchConfig *config) {
  if (!f || !clusters || !config)
    return CUDA_ERROR_INVALID_VALUE;
  Request r = from_config(*config);
  if (given(f->function->cluster))
    r.cluster = {f->function->cluster[0], f->function->cluster[1], f->function->cluster[2]};
  auto blocks = static_cast<uint64_t>(blocks_per_sm(*f, static_cast<int>(r.block.count()), r.shared));
  *clusters = static_cast<int>(blocks * f->module->context->device->sm_count / r.cluster.count());
  return CUDA_SUCCESS;
}

TEGULA_EXPORT CUresult cuOccupancyMaxPotentialClusterSize(int *size, CUfunction f, const CUlaunchConfig *) {
  if (!f || !size)
    return CUDA_ERROR_INVALID_VALUE;
  *size = f->non_portable_cluster ? 16 : 8;
  return CUDA_SUCCESS;
}
