// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// cuBLAS as a peer to measure against, opened at run time where it exists.
#pragma once

#include <memory>

#include "kernels/gemm/check/gemm_case.h"
#include "kernels/registry/registry.h"

namespace tegula {

class Cublas {
public:
  /// \errors not_found: no libcublas.so.13 or .12 where the loader looks.
  [[nodiscard]] static Result<Cublas> open(Session &session);
  Cublas(Cublas &&) noexcept;
  Cublas &operator=(Cublas &&) noexcept;
  ~Cublas();

  /// cublasGemmEx with its default heuristic. \errors unsupported: what it has no words for (activation, bias, batch,
  /// C).
  [[nodiscard]] Result<void> run(const GemmCase &test, const GemmArgs &args);

private:
  struct State;
  explicit Cublas(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

} // namespace tegula
