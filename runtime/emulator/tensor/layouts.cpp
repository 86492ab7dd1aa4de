// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which lanes and columns of tensor memory belong to which element of D, A, the metadata and the scale factors.
#include "runtime/emulator/tensor/product.h"

namespace tegula::emulator {
namespace {

/// Layouts C and F: 16 rows a quarter of the lanes, in its lower or upper half.
void half_quarters(std::vector<TensorRows> &out, unsigned rank, unsigned row, unsigned lane) {
  for (unsigned q = 0; q < 4; ++q)
    out.push_back({rank, row + 16 * q, 16, 32 * q + lane % 32, false});
}

/// Rows that an M of 32 or 64 repeats over all 128 lanes.
void repeated(std::vector<TensorRows> &out, unsigned rank, unsigned row, unsigned rows) {
  for (unsigned lane = 0; lane < kTensorLanes; lane += rows)
    out.push_back({rank, row, rows, lane, lane != 0});
}

bool is_half(const TensorProduct &p) { // layouts C and F
  return !p.form.weight_stationary && (p.ctas() == 1 ? p.i.m == 64 : p.i.m == 128 && p.form.sparse);
}

} // namespace

std::vector<TensorTile> result_tiles(const TensorProduct &p) {
  const InstructionDescriptor &i = p.i;
  std::vector<TensorTile> out;
  if (is_half(p)) {
    std::vector<TensorRows> rows;
    for (unsigned r = 0; r < p.ctas(); ++r)
      half_quarters(rows, p.first_rank() + r, r * 64, p.d.lane);
    for (const TensorRows &at : rows)
      out.push_back({at, 0, i.n, p.d.column});
    return out;
  }
  if (p.ctas() == 2 && i.m == 128) { // layout B
    for (unsigned r = 0; r < 2; ++r)
      for (unsigned h = 0; h < 2; ++h)
        out.push_back({{r, 64 * r, 64, 64 * h, false}, h * i.n / 2, i.n / 2, p.d.column});
    return out;
  }
  if (p.ctas() == 2) { // layout A
    for (unsigned r = 0; r < 2; ++r)
      out.push_back({{r, 128 * r, 128, 0, false}, 0, i.n, p.d.column});
    return out;
  }
  unsigned parts = 128 / i.m; // layouts D, E, G
  for (unsigned h = 0; h < parts; ++h)
    out.push_back({{p.rank, 0, i.m, i.m * h, false}, h * i.n / parts, i.n / parts, p.d.column});
  return out;
}

std::vector<TensorRows> operand_rows(const TensorProduct &p, const TensorAddress &at) {
  std::vector<TensorRows> out;
  for (unsigned r = 0; r < p.ctas(); ++r) {
    unsigned rank = p.first_rank() + r, rows = p.i.m / p.ctas();
    if (is_half(p))
      half_quarters(out, rank, r * 64, at.lane);
    else
      repeated(out, rank, r * rows, rows);
  }
  return out;
}

unsigned metadata_columns(const TensorProduct &p) {
  return p.form.kind == MmaKind::f16 || p.form.kind == MmaKind::tf32 ? 1 : 2;
}

TensorRange scale_range(const TensorProduct &p, bool of_a) {
  bool halves = p.ctas() == 2 && p.i.m == 128; // each half of the lanes has its half of N
  unsigned rows = of_a ? p.i.m / p.ctas() : halves ? p.i.n / 2 : p.i.n;
  return {0, kTensorLanes, (of_a ? p.scale_a : p.scale_b).column, (rows + 31) / 32};
}

bool is_zero_column(const TensorProduct &p, unsigned n) {
  uint64_t z = p.zero_columns;
  if (!(z >> 39 & 1))
    return false;
  unsigned part_columns = p.i.n / (128 / p.i.m), part = n / part_columns;
  unsigned start = z >> (8 * part) & 0xff;
  bool first = z >> (32 + part) & 1;
  // The examples of the PTX text, against the wording of its table: ones (zero columns) last the skip span.
  unsigned ones = (z >> 40 & 0xff) + 1, zeros = (z >> 48 & 0xff) + 1;
  unsigned at = (n % part_columns + start) % (ones + zeros);
  return first ? at < ones : at >= zeros;
}

} // namespace tegula::emulator
