// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The engine behind cp.async.bulk: what a copy is, and its run some time after its issue.
#pragma once

#include "runtime/emulator/async/tensor_map.h"
#include "runtime/emulator/machine/machine.h"

namespace tegula::emulator {

enum class Reduction : uint8_t { none, add, min, max, inc, dec, and_, or_, xor_ };

/// How a tensor copy walks its tensor.
enum class TensorMode : uint8_t { tile, rows4, im2col }; // rows4: gather4 and scatter4

/// One copy as issued by one thread. Shared places are (CTA, offset).
struct BulkCopy {
  Warp *warp = nullptr;
  const Inst *inst = nullptr;
  unsigned lane = 0;
  bool tensor = false;
  TensorMap map;
  TensorMode mode = TensorMode::tile;
  int32_t coordinate[5] = {};
  uint16_t offset[3] = {};   // of im2col, W first
  Cta *shared_cta = nullptr; // the shared side (of a load: the first destination)
  uint32_t shared_offset = 0;
  Cta *source_cta = nullptr; // shared to shared
  uint32_t source_offset = 0;
  uint64_t global = 0;         // non-tensor
  uint32_t bytes = 0;          // non-tensor
  uint16_t byte_mask = 0xffff; // non-tensor store: which bytes of each 16
  uint16_t multicast = 0;
  bool pair = false; // .cta_group::2
  Cta *barrier_cta = nullptr;
  uint32_t barrier_offset = 0;
  Reduction reduction = Reduction::none;
  ptx::Type type = ptx::Type::none; // of a non-tensor reduction
  std::shared_ptr<BulkGroup> group;

  [[nodiscard]] unsigned rows() const { return mode == TensorMode::rows4 ? 4 : map.rows(); }
  /// Bytes of shared memory from the first to the last; bytes that complete on a barrier.
  [[nodiscard]] uint32_t footprint() const { return tensor ? rows() * map.row_pitch() : bytes; }
  [[nodiscard]] uint32_t transfer_bytes() const { return tensor ? rows() * map.transfer_bytes() : bytes; }
};

/// A row of the box: where its element of coordinate 0 would lie, and whether it is part of the tensor.
struct BoxRow {
  uint64_t address = 0;
  bool inside = true;
};
/// The rows of a tensor copy in the order in which they lie in shared memory.
[[nodiscard]] std::vector<BoxRow> box_rows(const BulkCopy &copy);

void issue_load(BulkCopy copy);   // global -> shared, completes on an mbarrier
void issue_store(BulkCopy copy);  // shared -> global, completes in a bulk group
void issue_shared(BulkCopy copy); // shared -> shared of the cluster, completes on an mbarrier

/// old op value for an element of `type`.
void reduce_element(std::byte *to, const std::byte *from, Reduction op, ptx::Type type);

} // namespace tegula::emulator
