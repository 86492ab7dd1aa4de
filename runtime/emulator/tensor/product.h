// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One tcgen05.mma as issued: where its matrices lie, and its run some time later.
#pragma once

#include "runtime/emulator/tensor/instruction_descriptor.h"
#include "runtime/emulator/tensor/pair.h"

namespace tegula::emulator {

struct TensorProduct {
  MmaForm form;
  InstructionDescriptor i;
  Warp *warp = nullptr;
  const Inst *inst = nullptr;
  unsigned lane = 0, rank = 0; // the thread that issued it; its CTA in the pair
  TensorPair *pair = nullptr;
  TensorAddress d, a, metadata, scale_a, scale_b;
  uint64_t a_descriptor = 0, b_descriptor = 0;
  bool accumulate = true;
  unsigned scale_d = 0;       // D is multiplied by 2^-scale_d first
  uint32_t off_lanes[8] = {}; // lanes of D that are left alone, 128 a CTA
  uint64_t zero_columns = 0;  // the zero-column mask descriptor of .ws

  [[nodiscard]] unsigned ctas() const { return form.cta_group; }
  [[nodiscard]] unsigned first_rank() const { return form.cta_group == 2 ? 0 : rank; }
  [[nodiscard]] unsigned stored_k() const { return i.k / (form.sparse ? 2 : 1); }
  void report(FindingKind kind, const std::string &message) const;
  [[noreturn]] void fault(FindingKind kind, const std::string &message) const;
};

/// Rows of a matrix in the lanes of a CTA; `copy` marks one that repeats another.
struct TensorRows {
  unsigned rank = 0, row = 0, rows = 0, lane = 0;
  bool copy = false;
};
/// A part of D: rows, and columns n.. of the product in columns column.. of tensor memory.
struct TensorTile {
  TensorRows at;
  unsigned n = 0, columns = 0, column = 0;
};

/// Where D lies (PTX ISA 9.0, "Data Path Layout Organization", layouts A to G).
[[nodiscard]] std::vector<TensorTile> result_tiles(const TensorProduct &p);
/// Where A's rows, or its metadata's, lie in tensor memory.
[[nodiscard]] std::vector<TensorRows> operand_rows(const TensorProduct &p, const TensorAddress &at);
/// Cells of the scale factors of A or B in one CTA.
[[nodiscard]] TensorRange scale_range(const TensorProduct &p, bool of_a);
/// Columns of metadata that one product reads, from metadata.column + selector on.
[[nodiscard]] unsigned metadata_columns(const TensorProduct &p);

/// A, m by k, with the zeros of a sparse one in place; B, k by n.
void read_operand_a(const TensorProduct &p, float *a);
void read_operand_b(const TensorProduct &p, float *b);
/// Reports shared memory that the product reads though it was written without a proxy fence.
void check_shared_proxy(const TensorProduct &p);
/// Puts the zeros of a sparse A in place. \param stored  m by k / 2.
void expand_sparse(const TensorProduct &p, const float *stored, float *a);
/// Scale factors: m (or n) by form.scales.
void read_scales(const TensorProduct &p, bool of_a, float *scales);
/// Whether column n of B is replaced by zeros (PTX ISA 9.0, "Zero-Column Mask Descriptor").
[[nodiscard]] bool is_zero_column(const TensorProduct &p, unsigned n);
[[nodiscard]] inline unsigned column_shift(const TensorProduct &p) { return p.zero_columns >> 56 & 63; }

void run_product(const TensorProduct &p);

} // namespace tegula::emulator
