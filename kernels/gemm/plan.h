// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which kernels a GEMM runs, in what order, and what workspace they pass between them. Knows no device: gemm.cpp
// launches.
#pragma once

#include "kernels/gemm/call.h"

namespace tegula {

/// A matrix (or several, one after another) in the workspace.
struct WorkspaceMatrix {
  int64_t offset = 0; ///< bytes from the workspace's base, a multiple of 256
  int64_t pitch = 0;  ///< elements from one row to the next
  int64_t slice = 0;  ///< elements from one matrix to the next
  int64_t bytes = 0;  ///< 0: not needed
};

struct GemmPlan {
  GemmProblem problem = {}; ///< the caller's, in normal form
  GemmShape shape = {};
  GemmChoice choice = {};
  GemmProblem kernel = {};     ///< of the product's kernel: swapped, partial, aligned as chosen
  int64_t splits = 1;          ///< parts of K, none empty
  int64_t steps = 0;           ///< slots of the ring that a part takes, the last one maybe fewer
  WorkspaceMatrix copy_a = {}; ///< A re-pitched, in A's own orientation
  WorkspaceMatrix copy_b = {};
  WorkspaceMatrix sums = {}; ///< f32 partial sums [batch · splits, m, n], in D's orientation
  int64_t workspace_bytes = 0;

  [[nodiscard]] bool empty() const { return shape.m == 0 || shape.n == 0 || shape.batch == 0; }
  [[nodiscard]] bool multiplies() const { return !empty() && shape.k > 0; }
  /// The second kernel: adds up the parts of K; alone where K = 0.
  [[nodiscard]] bool reduces() const { return !empty() && (splits > 1 || shape.k == 0); }
};

/// Plans a call. `forced`, if given, takes the place of the table's schedule.
[[nodiscard]] GemmPlan make_plan(const GemmProblem &problem, const GemmShape &shape, const GemmMachine &machine = {},
                                 const GemmSchedule *forced = nullptr);

/// One line: path, schedule and why. "gemm, 2 splits + reduce: 128x256x64 ...".
[[nodiscard]] std::string describe(const GemmPlan &plan);

} // namespace tegula
