// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The product itself. Products are summed in f32 in the order of k; hardware's order and width are not documented.
#include "runtime/emulator/tensor/product.h"

#include "runtime/emulator/lanes/real.h"
#include "runtime/emulator/lanes/registry.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace tegula::emulator {
namespace {

/// Reports of a product speak of the instruction that issued it.
class AsIssued {
public:
  explicit AsIssued(const TensorProduct &p) : warp_(*p.warp), now_(warp_.now), frame_(warp_.frame) {
    warp_.now = p.inst;
    warp_.frame = warp_.frames.front().get();
  }
  ~AsIssued() {
    warp_.now = now_;
    warp_.frame = frame_;
  }
  AsIssued(const AsIssued &) = delete;
  AsIssued &operator=(const AsIssued &) = delete;

private:
  Warp &warp_;
  const Inst *now_;
  Frame *frame_;
};

struct Operands {
  std::vector<float> a, b, scale_a, scale_b;
};

/// d += A·B for rows and columns of a tile; d has `columns` values a row.
void multiply(const TensorProduct &p, const Operands &o, const TensorTile &t, float *d, size_t ldd) {
  const InstructionDescriptor &i = p.i;
  const float *a = o.a.data() + size_t{t.at.row} * i.k, *b = o.b.data() + t.n;
  if (!p.form.scaled())
    return matrix_product()(d, ldd, a, i.k, b, i.n, t.at.rows, t.columns, i.k);
  unsigned block = i.k / p.form.scales;
  std::vector<float> sum(size_t{t.at.rows} * t.columns);
  for (unsigned s = 0; s < p.form.scales; ++s) {
    std::fill(sum.begin(), sum.end(), 0.0f);
    matrix_product()(sum.data(), t.columns, a + s * block, i.k, b + size_t{s} * block * i.n, i.n, t.at.rows, t.columns,
                     block);
    for (unsigned r = 0; r < t.at.rows; ++r)
      for (unsigned c = 0; c < t.columns; ++c) {
        double scale =
            double{o.scale_a[(t.at.row + r) * p.form.scales + s]} * double{o.scale_b[(t.n + c) * p.form.scales + s]};
        d[r * ldd + c] = static_cast<float>(d[r * ldd + c] + sum[size_t{r} * t.columns + c] * scale);
      }
  }
}

int32_t add_integer(int32_t d, float product, bool saturate) {
  int64_t sum = int64_t{d} + static_cast<int64_t>(product);
  if (saturate)
    sum = std::clamp<int64_t>(sum, INT32_MIN, INT32_MAX);
  return static_cast<int32_t>(sum);
}

float old_value(const TensorProduct &p, uint32_t cell) {
  float v =
      p.i.d == TensorResult::f16 ? lanes_base::from_f16(static_cast<uint16_t>(cell)) : __builtin_bit_cast(float, cell);
  return p.scale_d ? std::ldexp(v, -static_cast<int>(p.scale_d)) : v;
}

uint32_t new_cell(const TensorProduct &p, float v, uint32_t old) {
  switch (p.i.d) {
  case TensorResult::f16: return lanes_base::to_f16(v);
  case TensorResult::s32:
    return static_cast<uint32_t>(add_integer(p.accumulate ? static_cast<int32_t>(old) : 0, v, p.i.saturate));
  default: return __builtin_bit_cast(uint32_t, lanes_base::canonical(v));
  }
}

bool lane_is_off(const TensorProduct &p, unsigned rank, unsigned lane) {
  unsigned at = (p.ctas() == 2 ? rank * kTensorLanes : 0) + lane;
  return p.off_lanes[at / 32] >> (at % 32) & 1;
}

void need_old(const TensorProduct &p, const TensorMemory &m, const TensorTile &t) {
  for (unsigned r = 0; r < t.at.rows; ++r)
    for (unsigned c = 0; c < t.columns; ++c)
      if (!lane_is_off(p, t.at.rank, t.at.lane + r) && !m.written(t.at.lane + r, t.column + c))
        return p.report(FindingKind::tensor_memory,
                        "tcgen05.mma adds to D in lane " + std::to_string(t.at.lane + r) + ", column " +
                            std::to_string(t.column + c) +
                            " of tensor memory, which nothing has written; the first product of a tile needs a false "
                            "enable-input-d");
}

void run_tile(const TensorProduct &p, const Operands &o, const TensorTile &t) {
  TensorMemory &m = p.pair->memory[t.at.rank];
  if (p.accumulate)
    need_old(p, m, t);
  bool integer = p.i.d == TensorResult::s32;
  std::vector<float> d(size_t{t.at.rows} * t.columns, 0.0f);
  for (unsigned r = 0; r < t.at.rows && p.accumulate && !integer; ++r)
    for (unsigned c = 0; c < t.columns; ++c)
      d[size_t{r} * t.columns + c] = old_value(p, m.lane(t.at.lane + r)[t.column + c]);
  multiply(p, o, t, d.data(), t.columns);
  for (unsigned r = 0; r < t.at.rows; ++r) {
    unsigned lane = t.at.lane + r;
    if (lane_is_off(p, t.at.rank, lane))
      continue;
    uint32_t *cells = m.lane(lane) + t.column;
    for (unsigned c = 0; c < t.columns; ++c)
      cells[c] = new_cell(p, d[size_t{r} * t.columns + c], cells[c]);
    m.mark_written({lane, 1, t.column, t.columns});
  }
}

} // namespace

void TensorProduct::report(FindingKind kind, const std::string &message) const {
  AsIssued as(*this);
  warp->report(kind, message, static_cast<int>(lane));
}

void TensorProduct::fault(FindingKind kind, const std::string &message) const {
  AsIssued as(*this);
  warp->fault(kind, message, static_cast<int>(lane));
}

void run_product(const TensorProduct &p) {
  Operands o;
  o.a.resize(size_t{p.i.m} * p.i.k);
  o.b.resize(size_t{p.i.k} * p.i.n);
  read_operand_a(p, o.a.data());
  read_operand_b(p, o.b.data());
  if (p.form.scaled()) {
    o.scale_a.resize(size_t{p.i.m} * p.form.scales);
    o.scale_b.resize(size_t{p.i.n} * p.form.scales);
    read_scales(p, true, o.scale_a.data());
    read_scales(p, false, o.scale_b.data());
  }
  for (const TensorTile &t : result_tiles(p))
    run_tile(p, o, t);
}

} // namespace tegula::emulator
