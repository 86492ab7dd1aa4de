// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A device, ready for work: its primary context, shared with whatever else in the process uses CUDA.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "runtime/driver/arch.h"
#include "runtime/driver/driver.h"
#include "runtime/result/result.h"

namespace tegula {

struct DeviceInfo {
  int ordinal = 0;
  std::string name;
  Arch arch; ///< compute capability; its scope is always generic
  int multiprocessors = 0;
  int64_t memory_bytes = 0;
  int64_t shared_bytes_per_block = 0; ///< the most that a block may ask for (opt-in)
  int64_t shared_bytes_per_multiprocessor = 0;
  int64_t l2_bytes = 0;
  bool clusters = false;
  bool emulated = false;
};

/// "device 0 (NVIDIA H200, sm_90)"
[[nodiscard]] std::string to_string(const DeviceInfo &device);

/// What all handles of one context share. The primary context is released with the last of them.
struct ContextState {
  ContextState(Driver driver, cu::CUdevice device, cu::CUcontext context, DeviceInfo info);
  ~ContextState();
  ContextState(const ContextState &) = delete;
  ContextState &operator=(const ContextState &) = delete;

  Driver driver;
  cu::CUdevice device;
  cu::CUcontext context;
  DeviceInfo info;
};

/// Makes a context current in this thread while it lives, and puts back what was current before. Every call of ours
/// goes through one, so any thread may use any handle. Where the context is current already it costs one query.
class CurrentContext {
public:
  explicit CurrentContext(const ContextState &state) : api_(state.driver.api()) {
    cu::CUcontext current = nullptr;
    if (api_.cuCtxGetCurrent(&current) == cu::CUDA_SUCCESS && current == state.context)
      return;
    status_ = api_.cuCtxPushCurrent_v2(state.context);
    pushed_ = status_ == cu::CUDA_SUCCESS;
  }
  ~CurrentContext() {
    cu::CUcontext ours = nullptr;
    if (pushed_)
      (void)api_.cuCtxPopCurrent_v2(&ours);
  }
  CurrentContext(const CurrentContext &) = delete;
  CurrentContext &operator=(const CurrentContext &) = delete;

  [[nodiscard]] cu::CUresult status() const { return status_; }

private:
  const cu::DriverApi &api_;
  cu::CUresult status_ = cu::CUDA_SUCCESS;
  bool pushed_ = false;
};

/// A move-only handle to a device's primary context. What was made from it keeps the context alive.
class Context {
public:
  /// Initialises the driver and retains the primary context.
  /// \errors no_device, naming the number asked for and how many there are; driver_error.
  [[nodiscard]] static Result<Context> open(const Driver &driver, int ordinal = 0);

  Context(Context &&) noexcept = default;
  Context &operator=(Context &&) noexcept = default;
  Context(const Context &) = delete;
  Context &operator=(const Context &) = delete;

  [[nodiscard]] const Driver &driver() const { return state_->driver; }
  [[nodiscard]] const DeviceInfo &device() const { return state_->info; }
  [[nodiscard]] const std::shared_ptr<const ContextState> &state() const { return state_; }

  /// Waits for all work of this context, and reports a fault in it.
  [[nodiscard]] Result<void> synchronize() const;

private:
  explicit Context(std::shared_ptr<const ContextState> state) : state_(std::move(state)) {}

  std::shared_ptr<const ContextState> state_;
};

/// Reads what the driver knows of one device. Needs an initialised driver and no context.
[[nodiscard]] Result<DeviceInfo> read_device_info(const Driver &driver, int ordinal);

} // namespace tegula
