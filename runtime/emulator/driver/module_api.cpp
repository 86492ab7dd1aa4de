// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Exports: modules and libraries from PTX, their functions and variables. A cubin is refused: there is no SASS here.
#include "runtime/emulator/driver/state.h"

#include <algorithm>
#include <cstring>

using namespace tegula::emulator;

namespace {

struct JitLog {
  char *buffer = nullptr;
  size_t size = 0;
  void **size_slot = nullptr;

  void write(const std::string &text) const {
    if (!buffer || size == 0)
      return;
    size_t n = std::min(text.size(), size - 1);
    std::memcpy(buffer, text.data(), n);
    buffer[n] = 0;
    if (size_slot)
      *size_slot = reinterpret_cast<void *>(n);
  }
};

JitLog error_log(unsigned count, const CUjit_option *options, void **values) {
  JitLog log;
  for (unsigned i = 0; i < count; ++i) {
    if (options[i] == CU_JIT_ERROR_LOG_BUFFER)
      log.buffer = static_cast<char *>(values[i]);
    if (options[i] == CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES) {
      log.size = reinterpret_cast<size_t>(values[i]);
      log.size_slot = &values[i];
    }
    if (options[i] == CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES)
      values[i] = nullptr;
  }
  return log;
}

/// sm_90a runs on 9.0 alone, sm_90 on 9.0 and later.
bool target_runs_on(const std::string &target, const Device &d) {
  if (target.substr(0, 3) != "sm_")
    return false;
  unsigned number = static_cast<unsigned>(std::strtoul(target.c_str() + 3, nullptr, 10));
  unsigned here = d.major * 10 + d.minor;
  return target.back() == 'a'   ? number == here
         : target.back() == 'f' ? number / 10 == here / 10 && number <= here
                                : number <= here;
}

CUresult place_globals(LoadedProgram &loaded, GlobalMemory &memory) {
  const Program &p = *loaded.program;
  for (const GlobalVariable &g : p.globals) {
    uint64_t at = memory.allocate(std::max<uint64_t>(g.bytes, 1), g.align, "variable '" + g.name + "'");
    if (!at)
      return CUDA_ERROR_OUT_OF_MEMORY;
    loaded.global_address.push_back(at);
  }
  for (size_t n = 0; n < p.globals.size(); ++n) {
    const GlobalVariable &g = p.globals[n];
    auto *to = reinterpret_cast<std::byte *>(loaded.global_address[n]);
    if (!g.image.empty())
      std::memcpy(to, g.image.data(), g.image.size());
    for (const auto &f : g.fixes) {
      uint64_t value = 0;
      if (auto v = p.global_index.find(f.symbol); v != p.global_index.end())
        value = loaded.global_address[v->second];
      else if (auto s = p.function_index.find(f.symbol); s != p.function_index.end())
        value = kFunctionWindow + s->second;
      value += static_cast<uint64_t>(f.add);
      std::memcpy(to + f.at, &value, f.bytes);
    }
    if (g.constant)
      memory.set_read_only(loaded.global_address[n]);
  }
  return CUDA_SUCCESS;
}

CUresult refuse(const JitLog &log, CUresult code, const std::string &why) {
  log.write(why);
  std::fprintf(stderr, "tegula emulator: %s\n", why.c_str());
  return code;
}

CUresult load(CUmodule *module, const void *image, const JitLog &log) {
  if (CUresult r = check_context(); r != CUDA_SUCCESS)
    return r;
  if (!module || !image)
    return CUDA_ERROR_INVALID_VALUE;
  if (!allowed_while_capturing())
    return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
  uint32_t magic;
  std::memcpy(&magic, image, 4);
  if (magic == 0x464c457f || magic == 0xba55ed50 || magic == 0x466243b1)
    return refuse(log, CUDA_ERROR_NO_BINARY_FOR_GPU,
                  "the emulator executes PTX text, not machine code: load the PTX of this cubin or fat binary instead");
  Device &d = *current()->device;
  LoadError error;
  auto program = load_program(static_cast<const char *>(image), error);
  if (!program)
    return refuse(log, CUDA_ERROR_INVALID_PTX, "PTX line " + std::to_string(error.line) + ": " + error.message);
  if (!target_runs_on(program->target, d))
    return refuse(log, CUDA_ERROR_NO_BINARY_FOR_GPU,
                  "PTX for " + program->target + " does not run on the emulated " + d.arch);
  auto m = std::make_unique<CUmod_st>();
  m->context = current();
  m->loaded.program = std::move(program);
  if (CUresult r = place_globals(m->loaded, *d.memory); r != CUDA_SUCCESS)
    return r;
  const Program &p = *m->loaded.program;
  for (const Function &f : p.functions) {
    if (!f.is_entry)
      continue;
    auto handle = std::make_unique<CUfunc_st>();
    handle->module = m.get();
    handle->function = &f;
    handle->static_shared = p.layout(f).static_bytes;
    m->functions[f.name] = std::move(handle);
  }
  *module = m.release();
  return CUDA_SUCCESS;
}

} // namespace

TEGULA_EXPORT CUresult cuModuleLoadDataEx(CUmodule *module, const void *image, unsigned count, CUjit_option *options,
                                          void **values) {
  return load(module, image, error_log(count, options, values));
}
TEGULA_EXPORT CUresult cuModuleLoadData(CUmodule *module, const void *image) { return load(module, image, {}); }

TEGULA_EXPORT CUresult cuModuleUnload(CUmodule module) {
  if (!module)
    return CUDA_ERROR_INVALID_HANDLE;
  for (uint64_t at : module->loaded.global_address)
    module->context->device->memory->release(at);
  delete module;
  return CUDA_SUCCESS;
}

TEGULA_EXPORT CUresult cuModuleGetFunction(CUfunction *function, CUmodule module, const char *name) {
  if (!function)
    return CUDA_ERROR_INVALID_VALUE;
  if (!module || !name)
    return CUDA_ERROR_INVALID_VALUE;
  auto it = module->functions.find(name);
  if (it == module->functions.end())
    return CUDA_ERROR_NOT_FOUND;
  *function = it->second.get();
  return CUDA_SUCCESS;
}

TEGULA_EXPORT CUresult cuModuleGetFunctionCount(unsigned *count, CUmodule module) {
  if (!count || !module)
    return CUDA_ERROR_INVALID_VALUE;
  *count = static_cast<unsigned>(module->functions.size());
  return CUDA_SUCCESS;
}
TEGULA_EXPORT CUresult cuModuleEnumerateFunctions(CUfunction *functions, unsigned count, CUmodule module) {
  if (!functions || !module)
    return CUDA_ERROR_INVALID_VALUE;
  for (auto &[name, handle] : module->functions)
    if (count-- > 0)
      *functions++ = handle.get();
    else
      break;
  return CUDA_SUCCESS;
}

TEGULA_EXPORT CUresult cuModuleGetGlobal_v2(CUdeviceptr *address, size_t *bytes, CUmodule module, const char *name) {
  if (!module || !name)
    return CUDA_ERROR_INVALID_VALUE;
  const Program &p = *module->loaded.program;
  auto it = p.global_index.find(name);
  if (it == p.global_index.end())
    return CUDA_ERROR_NOT_FOUND;
  if (address)
    *address = module->loaded.global_address[it->second];
  if (bytes)
    *bytes = p.globals[it->second].bytes;
  return CUDA_SUCCESS;
}

TEGULA_EXPORT CUresult cuModuleGetLoadingMode(int *mode) {
  if (!mode)
    return CUDA_ERROR_INVALID_VALUE;
  *mode = 1; // eager
  return CUDA_SUCCESS;
}

// Libraries and kernels are modules and functions under other names.
TEGULA_EXPORT CUresult cuLibraryLoadData(CUmodule *library, const void *code, CUjit_option *options, void **values,
                                         unsigned count, void *, void **, unsigned) {
  return load(library, code, error_log(count, options, values));
}
TEGULA_EXPORT CUresult cuLibraryUnload(CUmodule library) { return cuModuleUnload(library); }
TEGULA_EXPORT CUresult cuLibraryGetModule(CUmodule *module, CUmodule library) {
  if (!module || !library)
    return CUDA_ERROR_INVALID_VALUE;
  *module = library;
  return CUDA_SUCCESS;
}
TEGULA_EXPORT CUresult cuLibraryGetKernel(CUfunction *kernel, CUmodule library, const char *name) {
  return cuModuleGetFunction(kernel, library, name);
}
TEGULA_EXPORT CUresult cuLibraryGetGlobal(CUdeviceptr *address, size_t *bytes, CUmodule library, const char *name) {
  return cuModuleGetGlobal_v2(address, bytes, library, name);
}
TEGULA_EXPORT CUresult cuKernelGetFunction(CUfunction *function, CUfunction kernel) {
  if (!function || !kernel)
    return CUDA_ERROR_INVALID_VALUE;
  *function = kernel;
  return CUDA_SUCCESS;
}

TEGULA_EXPORT CUresult cuFuncGetModule(CUmodule *module, CUfunction f) {
  if (!module)
    return CUDA_ERROR_INVALID_VALUE;
  if (!f)
    return CUDA_ERROR_INVALID_HANDLE;
  *module = f->module;
  return CUDA_SUCCESS;
}
TEGULA_EXPORT CUresult cuFuncGetName(const char **name, CUfunction f) {
  if (!name)
    return CUDA_ERROR_INVALID_VALUE;
  if (!f)
    return CUDA_ERROR_INVALID_HANDLE;
  *name = f->function->name.c_str();
  return CUDA_SUCCESS;
}
TEGULA_EXPORT CUresult cuFuncLoad(CUfunction f) { return f ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE; }
TEGULA_EXPORT CUresult cuFuncSetCacheConfig(CUfunction f, int) { return f ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE; }

TEGULA_EXPORT CUresult cuFuncGetParamInfo(CUfunction f, size_t index, size_t *offset, size_t *bytes) {
  if (!offset)
    return CUDA_ERROR_INVALID_VALUE;
  if (!f)
    return CUDA_ERROR_INVALID_HANDLE;
  if (index >= f->function->params.size())
    return CUDA_ERROR_INVALID_VALUE;
  *offset = f->function->params[index].offset;
  if (bytes)
    *bytes = f->function->params[index].bytes;
  return CUDA_SUCCESS;
}

TEGULA_EXPORT CUresult cuFuncGetAttribute(int *value, CUfunction_attribute attribute, CUfunction f) {
  if (!f || !value)
    return f ? CUDA_ERROR_INVALID_VALUE : CUDA_ERROR_INVALID_HANDLE;
  const Function &fn = *f->function;
  auto bound = [](const uint32_t (&d)[3]) { return static_cast<int>(d[0] * d[1] * d[2]); };
  int threads = bound(fn.reqntid) ? bound(fn.reqntid) : bound(fn.maxntid) ? bound(fn.maxntid) : 1024;
  switch (static_cast<int>(attribute)) {
  case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK: *value = threads; return CUDA_SUCCESS;
  case CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES: *value = static_cast<int>(f->static_shared); return CUDA_SUCCESS;
  case CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES: *value = static_cast<int>(fn.local_bytes); return CUDA_SUCCESS;
  case CU_FUNC_ATTRIBUTE_NUM_REGS: // what a launch of the largest block would leave each thread
    *value = fn.max_registers ? static_cast<int>(fn.max_registers) : std::min(65536 / threads / 8 * 8, 255);
    return CUDA_SUCCESS;
  case 5: // PTX version
  case CU_FUNC_ATTRIBUTE_BINARY_VERSION:
    *value = static_cast<int>(f->module->context->device->major * 10 + f->module->context->device->minor);
    return CUDA_SUCCESS;
  case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES: *value = f->max_dynamic_shared; return CUDA_SUCCESS;
  case CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED: *value = f->non_portable_cluster; return CUDA_SUCCESS;
  default:
    *value = 0;
    return static_cast<int>(attribute) >= 0 && static_cast<int>(attribute) < 16 ? CUDA_SUCCESS
                                                                                : CUDA_ERROR_INVALID_VALUE;
  }
}

TEGULA_EXPORT CUresult cuFuncSetAttribute(CUfunction f, CUfunction_attribute attribute, int value) {
  if (!f)
    return CUDA_ERROR_INVALID_HANDLE;
  switch (static_cast<int>(attribute)) {
  case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
    if (value < 0 || static_cast<uint32_t>(value) + f->static_shared > 232448)
      return CUDA_ERROR_INVALID_VALUE;
    f->max_dynamic_shared = value;
    return CUDA_SUCCESS;
  case CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED: f->non_portable_cluster = value != 0; return CUDA_SUCCESS;
  case 9:  // preferred carve-out
  case 15: // cluster scheduling policy
    return CUDA_SUCCESS;
  default: return CUDA_ERROR_INVALID_VALUE;
  }
}
TEGULA_EXPORT CUresult cuKernelSetAttribute(CUfunction_attribute attribute, int value, CUfunction f, CUdevice) {
  return cuFuncSetAttribute(f, attribute, value);
}
TEGULA_EXPORT CUresult cuKernelGetAttribute(int *value, CUfunction_attribute attribute, CUfunction f, CUdevice) {
  return cuFuncGetAttribute(value, attribute, f);
}
