// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What stands behind the driver's handles. Work is done when it is submitted, in the caller's thread, so that every
// stream is always idle; only a stream that captures keeps its work.
#pragma once

#include "runtime/driver/driver_types.h"
#include "runtime/emulator/driver/options.h"

#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <vector>

#define TEGULA_EXPORT extern "C" __attribute__((visibility("default")))

namespace tegula::emulator {

using namespace tegula::cu;

struct Device {
  int ordinal = 0;
  unsigned major = 9, minor = 0;
  std::string arch; // "sm_90a"
  unsigned sm_count = 132;
  std::unique_ptr<GlobalMemory> memory;
  CUcontext primary = nullptr;
  unsigned primary_users = 0;
};

using Work = std::function<CUresult()>;

} // namespace tegula::emulator

struct CUctx_st {
  tegula::emulator::Device *device = nullptr;
  tegula::cu::CUresult sticky = tegula::cu::CUDA_SUCCESS; // a fault of a kernel stays, as in the real driver
  size_t stack_bytes = 16384;
  std::unique_ptr<CUstream_st> default_stream;
};

struct CUfunc_st {
  CUmod_st *module = nullptr;
  const tegula::emulator::Function *function = nullptr;
  int max_dynamic_shared = 48 * 1024;
  bool non_portable_cluster = false;
  uint32_t static_shared = 0;
};

struct CUmod_st {
  CUctx_st *context = nullptr;
  tegula::emulator::LoadedProgram loaded;
  std::map<std::string, std::unique_ptr<CUfunc_st>> functions;
};

struct CUgraphNode_st {
  tegula::emulator::Work work;
  int type = 0; // CUgraphNodeType: kernel 0, memcpy 1, memset 2, host 3, event record 7, empty 5
};
struct CUgraph_st {
  std::vector<std::shared_ptr<CUgraphNode_st>> nodes;
  bool invalid = false;
};
struct CUgraphExec_st {
  std::vector<std::shared_ptr<CUgraphNode_st>> nodes;
};

struct CUstream_st {
  CUctx_st *context = nullptr;
  int priority = 0;
  unsigned flags = 0;
  std::shared_ptr<CUgraph_st> capture; // of the capture that it takes part in
  bool origin = false;                 // the capture began here
  tegula::cu::CUstreamCaptureMode mode = tegula::cu::CU_STREAM_CAPTURE_MODE_GLOBAL;
  unsigned long capture_thread = 0;
};

struct CUevent_st {
  CUctx_st *context = nullptr;
  bool timing = true, recorded = false;
  std::chrono::steady_clock::time_point at;
  std::shared_ptr<CUgraph_st> capture;
};

namespace tegula::emulator {

struct DriverState {
  std::mutex mutex;
  DriverSettings settings = settings_from_environment();
  bool initialized = false;
  std::vector<std::unique_ptr<Device>> devices;
  std::set<CUstream> streams;
  std::set<void *> host_allocations;
};

DriverState &state();
/// Null if there is no device of that number.
Device *device_at(int ordinal);
/// The context of this thread, null if there is none.
CUcontext current();
std::vector<CUcontext> &context_stack();
/// Error of the thread's context: none, not initialised, or a fault that stays.
CUresult check_context();
CUstream resolve(CUstream stream);
/// Runs the work now, or keeps it in the graph that the stream captures.
CUresult submit(CUstream stream, int node_type, Work work);
/// False, and all captures spoilt, if a call that may not be made during a capture is made during one.
bool allowed_while_capturing();
/// Splits the device list and makes the devices. False if a name is no architecture that is emulated.
bool make_devices(DriverState &s);

} // namespace tegula::emulator
