// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A loaded kernel and its launches: everything is checked by name before the driver hears of it, and a plan that was
// checked once is launched again at the cost of the driver's own call.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "runtime/driver/module.h"
#include "runtime/driver/stream.h"
#include "runtime/launch/arguments.h"
#include "runtime/launch/manifest.h"

namespace tegula {

/// When a kernel may start relative to what is before it in its stream.
enum class Start {
  after_prior, ///< when all of it is done
  overlapped,  ///< as soon as the one before lets it (programmatic dependent launch): it waits in the kernel, where it
               ///< first needs the result. Kernels that were not compiled for it start after_prior.
};

struct LaunchOptions {
  StreamRef stream;
  Start start = Start::after_prior;
};

/// How far to go in checking where tensors lie.
enum class Pointers {
  looked_up, ///< the driver is asked for each (some 100 ns): host memory and other devices' are refused
  trusted,   ///< taken as given; for memory of another device with peer access
};

struct BindOptions {
  Pointers pointers = Pointers::looked_up;
};

/// A launch that was checked and prepared: parameters, tensor maps and grid. Launching it allocates nothing, takes no
/// lock and may go into a graph capture. Launch from several threads at once as you like, but don't change it then.
class BoundKernel {
public:
  BoundKernel(BoundKernel &&) noexcept;
  BoundKernel &operator=(BoundKernel &&) noexcept;
  ~BoundKernel();

  /// Does nothing, with success, when there are no tiles (an extent is 0).
  [[nodiscard]] Result<void> launch(const LaunchOptions &options = {}) const;

  /// Takes new arguments. What didn't change is not checked, encoded or computed again; with nothing changed it costs a
  /// comparison. On an error the plan stays as it was.
  [[nodiscard]] Result<void> update(const KernelArgs &args);
  /// Moves one tensor; its extents and strides stay. Checks null and alignment, and trusts it otherwise.
  [[nodiscard]] Result<void> set_base(std::string_view global, DevicePtr base);

  /// Blocks that a launch starts.
  [[nodiscard]] int64_t blocks() const;

  struct State;

private:
  friend class Kernel;
  explicit BoundKernel(std::unique_ptr<State> state);

  std::unique_ptr<State> state_;
};

/// A kernel on a device, ready to launch: a module and its manifest. Copies share it.
class Kernel {
public:
  /// \param image cubin or PTX that holds the manifest's entry point.
  /// \errors bad_argument: the manifest contradicts itself or the image's parameters; wrong_architecture, naming the
  ///         kernel's and the device's; unsupported: more shared memory or threads than the device has, with both
  ///         numbers; and those of Module::load.
  [[nodiscard]] static Result<Kernel> load(const Context &context, KernelManifest manifest,
                                           std::span<const std::byte> image);

  [[nodiscard]] const KernelManifest &manifest() const;
  [[nodiscard]] const DeviceInfo &device() const;
  [[nodiscard]] const Function &function() const;

  /// Checks the arguments and prepares a launch.
  /// \errors bad_argument, listing all that is wrong, each with its name, value and limit.
  [[nodiscard]] Result<BoundKernel> bind(const KernelArgs &args, const BindOptions &options = {}) const;

  /// bind and launch at once, for launches that don't repeat.
  [[nodiscard]] Result<void> launch(const KernelArgs &args, const LaunchOptions &options = {},
                                    const BindOptions &bind_options = {}) const;

  struct State;

private:
  explicit Kernel(std::shared_ptr<const State> state) : state_(std::move(state)) {}

  std::shared_ptr<const State> state_;
};

/// The architecture to compile for on that device: the most that it can do, "sm_90a".
[[nodiscard]] std::string native_arch(const DeviceInfo &device);

} // namespace tegula
