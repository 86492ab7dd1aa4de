// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// NVRTC, opened at run time: compiles CUDA C++ device functions to PTX where a toolkit's library is found.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "runtime/toolkit/toolkit.h"

namespace tegula {

class Nvrtc {
public:
  /// \errors not_found, naming what was looked for.
  [[nodiscard]] static Result<Nvrtc> open();

  [[nodiscard]] const std::string &library() const;
  [[nodiscard]] ToolkitVersion version() const;

  /// \param arch     "sm_90a".
  /// \param options  further options of NVRTC, such as "--relocatable-device-code=true".
  /// \errors bad_argument with the compiler's log.
  [[nodiscard]] Result<std::string> compile_to_ptx(const std::string &source, std::string_view arch,
                                                   std::span<const std::string> options = {}) const;

private:
  struct State;
  explicit Nvrtc(std::shared_ptr<const State> state);

  std::shared_ptr<const State> state_;
};

} // namespace tegula
