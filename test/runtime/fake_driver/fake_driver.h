// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A driver for tests: a shared library that exports the cu* names that the runtime uses, runs nothing, records what it
// was asked, and fails where it is told to. Memory is the host's, so copies and fills work.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include <dlfcn.h>
#include <sys/types.h>

#include "runtime/driver/driver_types.h"

namespace fake {

struct Device {
  std::string name = "Fake H200";
  int major = 9, minor = 0;
  int multiprocessors = 132;
  int shared_bytes = 232448;
  int64_t memory_bytes = int64_t{1} << 30;
};

struct Launch {
  std::string entry;
  int device = -1;
  unsigned grid = 0, block = 0, shared_bytes = 0;
  unsigned cluster = 0; ///< 0: no attribute
  bool early = false;   ///< programmatic stream serialization
  tegula::cu::CUstream stream = nullptr;
  bool captured = false;
  std::vector<std::vector<unsigned char>> params;

  template <typename T> T param(size_t index) const {
    T value{};
    __builtin_memcpy(&value, params.at(index).data(), sizeof value);
    return value;
  }
};

struct EncodedMap {
  tegula::cu::CUtensorMapDataType type{};
  uint64_t base = 0;
  std::vector<uint64_t> dims, strides;
  std::vector<uint32_t> box;
  tegula::cu::CUtensorMapSwizzle swizzle{};
};

/// What tests set and read.
struct State {
  std::vector<Device> devices{Device{}};
  int version = 13000;
  std::map<std::string, tegula::cu::CUresult> fail; ///< entry -> what it returns
  std::string jit_log, jit_error;
  std::map<std::string, int> attributes; ///< "registers", "local", "static_shared", "max_threads" of all functions
  bool record = true;                    ///< false: launches do nothing at all, for measuring what surrounds them
  int64_t memory_limit = INT64_MAX;

  std::map<std::string, int> calls; ///< how often each entry was called
  std::vector<Launch> launches;     ///< launched or captured
  std::vector<EncodedMap> maps;
  std::vector<std::string> replayed; ///< entries that graph launches ran
  int live_modules = 0, live_streams = 0, live_events = 0, live_buffers = 0, live_graphs = 0, retained = 0;
  pid_t initialized_by = 0;
  std::string emulator_devices;

  /// Forgets what was recorded and set; what lives, stays.
  void reset() {
    devices = {Device{}};
    version = 13000;
    fail.clear();
    jit_log.clear();
    jit_error.clear();
    attributes.clear();
    record = true;
    memory_limit = INT64_MAX;
    calls.clear();
    launches.clear();
    maps.clear();
    replayed.clear();
  }
};

/// The state inside the library, which the runtime has opened under the same path.
inline State &state(const char *library = TEGULA_FAKE_DRIVER) {
  using Get = State *(*)();
  void *handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
  return *reinterpret_cast<Get>(dlsym(handle, "fake_driver_state"))();
}

} // namespace fake
