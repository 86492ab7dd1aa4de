// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which tcgen05 operations are ordered, and which only look so. PTX promises an order for a few pairs; everything else
// needs a wait, and a fence on both sides when it goes from one thread to another (PTX ISA 9.0, "Memory Consistency
// Model for 5th generation of TensorCore operations"). Cells are watched in groups of 16 lanes by one column.
#pragma once

#include "runtime/emulator/tensor/tensor_memory.h"

#include <unordered_map>

namespace tegula::emulator {

class Warp;

enum class TensorKind : uint8_t { mma, cp, cp_4x256b, shift, ld, st };

/// One tcgen05 operation as issued.
struct TensorUse {
  TensorKind kind = TensorKind::mma;
  uint32_t thread = 0;                          // CTA of the pair << 16 | thread
  uint32_t warp = 0;                            // CTA of the pair << 8 | warp
  uint32_t line = 0;                            // of the PTX text
  uint64_t accumulator = 0;                     // of an mma: where D lies and its shape
  uint64_t issued = 0, done = 0, handed_on = 0; // times; 0: not yet
};

class TensorOrder {
public:
  /// \param strict  false: the tensor core is an in-order pipe and threads need no fences, on which some programs rely.
  explicit TensorOrder(bool strict = true) : strict_(strict) {}

  /// Begins an operation of a lane. \returns its id.
  uint32_t begin(const Warp &w, unsigned lane, TensorKind kind, uint64_t accumulator = 0);
  /// The operation reads or writes cells of CTA `rank` of the pair. Reports what is not ordered before it.
  void reads(Warp &w, uint32_t id, unsigned rank, const TensorRange &r);
  void writes(Warp &w, uint32_t id, unsigned rank, const TensorRange &r);
  /// The first operation that may still touch the columns, or null. Without the strict rule a load counts as done: its
  /// registers have been used, which the hardware waits for.
  [[nodiscard]] const TensorUse *pending(unsigned rank, unsigned column, unsigned columns) const;

  void done(uint32_t id) { uses_[id - 1].done = ++now_; }
  /// tcgen05.wait::ld and ::st of a warp.
  void wait(const Warp &w, TensorKind kind);
  /// tcgen05.fence::before_thread_sync; tcgen05.commit is one too.
  void fence_before(const Warp &w);
  void fence_after(const Warp &w);
  /// Operations of the thread that no commit has covered yet; they are now.
  std::vector<uint32_t> take_uncommitted(const Warp &w, unsigned lane);

private:
  struct Cell {
    uint32_t writer = 0, pipe_reader = 0, load = 0;
  };
  struct WarpState {
    uint64_t after = 0;
    std::vector<uint32_t> loads, stores, not_handed_on;
  };
  /// Null if `first` is ordered before `then`; else what is missing.
  [[nodiscard]] const char *objection(const TensorUse &first, const TensorUse &then) const;
  void look(Warp &w, uint32_t first, uint32_t then, bool first_writes, bool then_writes, unsigned lane,
            unsigned column) const;
  template <class F> void each_cell(unsigned rank, const TensorRange &r, F f);

  bool strict_;
  uint64_t now_ = 0;
  std::vector<TensorUse> uses_;
  std::vector<Cell> cells_;
  std::unordered_map<uint32_t, WarpState> warps_;
  std::unordered_map<uint32_t, std::vector<uint32_t>> uncommitted_; // by thread
};

/// "tcgen05.mma" and so on.
[[nodiscard]] const char *name_of(TensorKind kind);

} // namespace tegula::emulator
