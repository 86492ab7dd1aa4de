// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The driver as a table of entry points, filled at run time from libcuda, from the emulator or from any library that
// exports the same names. Opening it initialises nothing.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "runtime/driver/driver_types.h"
#include "runtime/result/result.h"

namespace tegula {

namespace cu {

/// One member an entry of driver_api.def, named as the symbol: `api.cuMemAlloc_v2(&address, bytes)`.
struct DriverApi {
#define TEGULA_DRIVER_ENTRY(symbol, since, need, parameters) CUresult(*symbol) parameters = nullptr;
#include "runtime/driver/driver_api.def"
#undef TEGULA_DRIVER_ENTRY
};

} // namespace cu

struct DriverOptions {
  /// Path or soname of a library that exports cu* names; empty: the system's libcuda.so.1.
  std::string library;
  /// For the emulator alone: the devices that it shows, e.g. "sm_90a,sm_100a"; empty: its own choice.
  std::string emulator_devices;
};

/// A driver that was opened. Copies share one table. The library stays loaded until the process ends.
class Driver {
public:
  /// \errors no_driver: no such library, or it lacks entries that Tegula needs (all are named).
  [[nodiscard]] static Result<Driver> open(const DriverOptions &options = {});

  /// The emulator: libtegula_emulator.so from beside the program (its folder, ../lib) or from the loader's path.
  /// \param devices as DriverOptions::emulator_devices.
  /// \errors no_driver, naming the places that were looked at.
  [[nodiscard]] static Result<Driver> open_emulator(std::string_view devices = {});

  [[nodiscard]] const cu::DriverApi &api() const { return *api_; }
  /// The file that the entries came from.
  [[nodiscard]] const std::string &library() const;
  /// Whether results are emulated and must be labelled so.
  [[nodiscard]] bool emulated() const;

  /// Initialises the driver for this process (once; later calls cost nothing). After it a forked child can't use the
  /// driver. Context::open calls it; to look only, see devices.h.
  /// \errors no_device, no_driver (stub library, driver and kernel module differ), driver_error.
  [[nodiscard]] Result<void> initialize() const;
  [[nodiscard]] bool initialized() const;

  /// The version of CUDA that the driver serves: 13000 for 13.0. Needs no initialisation.
  [[nodiscard]] Result<int> version() const;
  /// Initialises.
  [[nodiscard]] Result<int> device_count() const;

  /// Success, or an error with the driver's name and text for the fault: "cuMemAlloc_v2: CUDA_ERROR_OUT_OF_MEMORY
  /// (out of memory)". `call` is the entry that was called.
  [[nodiscard]] Result<void> check(cu::CUresult status, std::string_view call,
                                   std::source_location where = std::source_location::current()) const {
    if (status == cu::CUDA_SUCCESS)
      return {};
    return error(status, call, where);
  }
  [[nodiscard]] Error error(cu::CUresult status, std::string_view call,
                            std::source_location where = std::source_location::current()) const;

  [[nodiscard]] bool operator==(const Driver &other) const { return state_ == other.state_; }

private:
  struct State;
  explicit Driver(std::shared_ptr<State> state);

  std::shared_ptr<State> state_;
  const cu::DriverApi *api_;
};

/// Whether the process is past the point where handles may still be given back to a driver: the driver takes itself
/// down at exit, and handles in statics that outlive it are left to the operating system.
[[nodiscard]] bool process_is_exiting();

/// "13.0" for 13000.
[[nodiscard]] std::string cuda_version_text(int version);

} // namespace tegula
