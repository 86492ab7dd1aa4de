// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loaded code: a cubin or PTX on a device, and the entry points in it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "runtime/driver/context.h"

namespace tegula {

/// What an image is, by its first bytes: an ELF file is a cubin, everything else is taken as PTX.
[[nodiscard]] ImageKind image_kind(std::span<const std::byte> image);

/// `.version` and `.target` of a PTX text.
struct PtxHeader {
  int version_major = 0;
  int version_minor = 0;
  std::string target;
};
[[nodiscard]] std::optional<PtxHeader> read_ptx_header(std::string_view ptx);

/// How many parameters an entry point of a PTX text takes; nothing where it isn't found.
[[nodiscard]] std::optional<int> count_ptx_params(std::string_view ptx, std::string_view entry);

/// The newest PTX that a driver of that CUDA version reads (PTX ISA 9.0, release notes); nothing for versions that
/// are not in the table.
[[nodiscard]] std::optional<std::pair<int, int>> newest_ptx(int cuda_version);

class Function;

/// A module that was loaded into a context. Its functions keep it loaded.
class Module {
public:
  /// Loads a cubin or PTX (which the driver then compiles). May be called while a stream is being captured: it is no
  /// part of the capture and doesn't spoil it.
  /// \errors driver_error with the driver's log where it refuses the image; wrong_architecture; unsupported when the
  ///         PTX is newer than the driver, naming both versions.
  [[nodiscard]] static Result<Module> load(const Context &context, std::span<const std::byte> image);

  Module(Module &&) noexcept = default;
  Module &operator=(Module &&) noexcept = default;

  /// \errors not_found, naming the entry point.
  [[nodiscard]] Result<Function> function(const std::string &entry) const;
  /// Address and size of a global variable.
  [[nodiscard]] Result<std::pair<cu::CUdeviceptr, int64_t>> variable(const std::string &name) const;
  /// What the driver said while it compiled PTX; empty for cubins.
  [[nodiscard]] const std::string &log() const;
  [[nodiscard]] ImageKind kind() const;

  struct State;

private:
  explicit Module(std::shared_ptr<const State> state) : state_(std::move(state)) {}

  std::shared_ptr<const State> state_;
};

/// What the driver says of an entry point.
struct FunctionInfo {
  int registers = 0;
  int64_t local_bytes = 0;         ///< a thread: spills and stack
  int64_t static_shared_bytes = 0; ///< a block
  int max_block_threads = 0;
};

/// An entry point of a module, which it keeps loaded.
class Function {
public:
  Function(Function &&) noexcept = default;
  Function &operator=(Function &&) noexcept = default;

  [[nodiscard]] cu::CUfunction raw() const { return raw_; }
  [[nodiscard]] const std::string &entry() const { return entry_; }
  [[nodiscard]] const std::shared_ptr<const ContextState> &context() const { return context_; }

  [[nodiscard]] Result<FunctionInfo> info() const;
  /// Bytes of the parameter, or nothing where there is none of that index (tools then report a failed driver call).
  /// \errors unsupported before CUDA 12.4.
  [[nodiscard]] Result<std::optional<int64_t>> param_bytes(int index) const;
  /// Allows launches with so much dynamic shared memory.
  [[nodiscard]] Result<void> allow_dynamic_shared(int64_t bytes) const;
  /// Allows clusters of more than 8 blocks.
  [[nodiscard]] Result<void> allow_non_portable_cluster() const;
  /// Brings the code onto the device now and not at the first launch, which may lie inside a capture.
  [[nodiscard]] Result<void> load_now() const;

private:
  friend class Module;
  Function(std::shared_ptr<const Module::State> module, std::shared_ptr<const ContextState> context, cu::CUfunction raw,
           std::string entry)
      : module_(std::move(module)), context_(std::move(context)), raw_(raw), entry_(std::move(entry)) {}

  std::shared_ptr<const Module::State> module_;
  std::shared_ptr<const ContextState> context_;
  cu::CUfunction raw_ = nullptr;
  std::string entry_;
};

} // namespace tegula
