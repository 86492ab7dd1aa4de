// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The rows that a tensor copy touches: a box, four single rows, or the pixels of a convolution's window.
#include "runtime/emulator/async/bulk.h"

namespace tegula::emulator {
namespace {

/// The row at these coordinates of dimensions 1..
BoxRow row_at(const TensorMap &m, const int64_t *at) {
  BoxRow r{m.address, true};
  for (unsigned d = 1; d < m.rank; ++d) {
    r.inside &= at[d] >= 0 && static_cast<uint64_t>(at[d]) < m.extent(d);
    r.address += static_cast<uint64_t>(at[d]) * m.stride[d - 1];
  }
  return r;
}

std::vector<BoxRow> tile_rows(const BulkCopy &c) {
  const TensorMap &m = c.map;
  std::vector<BoxRow> rows(m.rows());
  for (unsigned r = 0; r < rows.size(); ++r) {
    unsigned rest = r;
    int64_t at[5] = {};
    for (unsigned d = 1; d < m.rank; ++d) {
      at[d] = int64_t{c.coordinate[d]} + int64_t{rest % m.count(d)} * m.step[d];
      rest /= m.count(d);
    }
    rows[r] = row_at(m, at);
  }
  return rows;
}

std::vector<BoxRow> four_rows(const BulkCopy &c) {
  std::vector<BoxRow> rows;
  for (unsigned r = 0; r < 4; ++r) {
    const int64_t at[5] = {0, c.coordinate[1 + r]};
    rows.push_back(row_at(c.map, at));
  }
  return rows;
}

/// Pixels in the order W, H, D, N, each spatial dimension from its lower to its upper corner; every pixel is read at
/// the offset of the filter's tap (PTX ISA 9.0, "Im2col mode").
std::vector<BoxRow> im2col_rows(const BulkCopy &c) {
  const TensorMap &m = c.map;
  unsigned spatial = m.rank - 2u, batch = m.rank - 1u;
  int64_t pixel[5] = {};
  for (unsigned d = 0; d < m.rank; ++d)
    pixel[d] = c.coordinate[d];
  std::vector<BoxRow> rows;
  while (rows.size() < m.pixels) {
    int64_t at[5] = {};
    for (unsigned d = 1; d < m.rank; ++d)
      at[d] = pixel[d] + (d <= spatial ? c.offset[d - 1] : 0);
    rows.push_back(row_at(m, at));
    unsigned d = 1;
    for (; d <= spatial; ++d) {
      pixel[d] += m.step[d];
      if (pixel[d] < static_cast<int64_t>(m.extent(d)) + m.upper[d - 1])
        break;
      pixel[d] = m.lower[d - 1];
    }
    pixel[batch] += d > spatial;
  }
  return rows;
}

} // namespace

std::vector<BoxRow> box_rows(const BulkCopy &c) {
  return c.mode == TensorMode::rows4 ? four_rows(c) : c.mode == TensorMode::im2col ? im2col_rows(c) : tile_rows(c);
}

} // namespace tegula::emulator
