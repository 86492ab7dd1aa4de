// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A finished kernel: what KernelBuilder::finish gives and the compiler takes.
#pragma once

#include <memory>
#include <string>

namespace tegula::dsl {

class KernelModule;

/// A kernel in the `tile` dialect, verified. Move-only; the compiler reaches its module through
/// compiler/dsl/kernel_module.h.
class Kernel {
public:
  explicit Kernel(std::shared_ptr<KernelModule> module);
  Kernel(Kernel &&) noexcept;
  Kernel &operator=(Kernel &&) noexcept;
  ~Kernel();

  [[nodiscard]] std::string name() const;
  /// "sm_90a".
  [[nodiscard]] std::string target() const;
  /// The kernel as text in the `tile` dialect, without locations.
  [[nodiscard]] std::string ir() const;

  [[nodiscard]] KernelModule &module() const { return *module_; }

private:
  std::shared_ptr<KernelModule> module_; // its builder may still hold it
};

} // namespace tegula::dsl
