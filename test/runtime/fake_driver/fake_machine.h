// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the fake driver keeps: its objects, the current contexts of threads, and captures.
#pragma once

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "test/runtime/fake_driver/fake_driver.h"

struct CUctx_st {
  int device = 0;
};
struct CUfunc_st {
  std::string entry;
  int device = 0;
  std::vector<size_t> param_bytes;
};
struct CUmod_st {
  int device = 0;
  std::string image;
  std::vector<std::unique_ptr<CUfunc_st>> functions;
};
struct CUgraph_st {
  std::vector<std::string> entries;
};
struct CUgraphExec_st {
  std::vector<std::string> entries;
};
struct CUstream_st {
  bool capturing = false, invalidated = false;
  tegula::cu::CUstreamCaptureMode mode{};
  std::thread::id thread;
  CUgraph_st *graph = nullptr;
};
struct CUevent_st {
  bool recorded = false;
};

namespace fake {

using namespace tegula::cu;

struct Allocation {
  size_t bytes = 0;
  int device = 0;
  CUmemorytype type = CU_MEMORYTYPE_DEVICE;
};

struct Machine {
  State state;
  bool gone = false;
  std::map<int, std::unique_ptr<CUctx_st>> contexts;
  std::vector<std::unique_ptr<CUmod_st>> modules;
  std::vector<std::unique_ptr<CUstream_st>> streams;
  std::vector<std::unique_ptr<CUevent_st>> events;
  std::map<uintptr_t, Allocation> allocations;

  Device &device(int ordinal) { return state.devices.at(static_cast<size_t>(ordinal)); }
  CUctx_st *primary(int ordinal) {
    auto &context = contexts[ordinal];
    if (!context)
      context = std::make_unique<CUctx_st>(CUctx_st{ordinal});
    return context.get();
  }
  template <typename T> CUresult drop(std::vector<std::unique_ptr<T>> &list, T *object) {
    auto found = std::find_if(list.begin(), list.end(), [&](const auto &held) { return held.get() == object; });
    if (found == list.end())
      return CUDA_ERROR_INVALID_HANDLE;
    list.erase(found);
    return CUDA_SUCCESS;
  }
};

Machine &machine();
/// The calling thread's contexts, the current one last.
std::vector<CUctx_st *> &current();
CUstreamCaptureMode &thread_capture_mode();
/// What a forbidden call does to the captures that it falls into.
CUresult spoil_captures();

enum class Needs { nothing, initialized, context };
/// Counts the call, and says why it fails where it does.
CUresult enter(const char *entry, Needs needs);

} // namespace fake

#define FAKE_ENTRY extern "C" __attribute__((visibility("default")))
#define FAKE_ENTER(name, needs)                                                                                        \
  if (CUresult failed = enter(name, Needs::needs))                                                                     \
  return failed
