// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// tcgen05.ld and st: which register of which lane holds which cell (PTX ISA 9.0, "Matrix fragments"), and the quarter
// of the lanes that a warp may reach.
#include "runtime/emulator/tensor/decoders.h"
#include "runtime/emulator/tensor/pair.h"

namespace tegula::emulator {
namespace {

enum class Shape : uint8_t { s32x32b, s16x64b, s16x128b, s16x256b, s16x32bx2 };

struct Transfer {
  Shape shape;
  unsigned repeat;
  bool packed;     // two columns' low halves in one register
  int64_t half_at; // 16x32bx2: columns from the lower lanes' part to the upper's
};

/// Relative to the address; of 16x32bx2 without the upper lanes' offset.
TensorAddress cell_of(Shape s, unsigned l, unsigned i) {
  switch (s) {
  case Shape::s32x32b: return {l, i};
  case Shape::s16x64b: return {l / 4 + 8 * (l % 2), 2 * i + l / 2 % 2};
  case Shape::s16x128b: return {l / 4 + 8 * (i % 2), 4 * (i / 2) + l % 4};
  case Shape::s16x256b: return {l / 4 + 8 * (i / 2 % 2), 8 * (i / 4) + 2 * (l % 4) + i % 2};
  default: return {l % 16, i};
  }
}

unsigned registers_of(Shape s, unsigned repeat) {
  return s == Shape::s16x128b ? 2 * repeat : s == Shape::s16x256b ? 4 * repeat : repeat;
}
unsigned columns_of(const Transfer &t) {
  unsigned per = t.shape == Shape::s16x64b ? 2 : t.shape == Shape::s16x128b ? 4 : t.shape == Shape::s16x256b ? 8 : 1;
  return per * t.repeat * (t.packed ? 2 : 1);
}

/// Where the access begins. The address's lane may name the warp's quarter or leave it out.
TensorAddress begin_of(Warp &w, const Transfer &t, TensorAddress a, const char *name) {
  unsigned quarter = w.index % 4 * 32, in_quarter = a.lane % 32;
  bool fits = t.shape == Shape::s32x32b ? in_quarter == 0 : in_quarter == 0 || in_quarter == 16;
  if (!fits || (a.lane - in_quarter != 0 && a.lane - in_quarter != quarter))
    w.fault(FindingKind::tensor_memory,
            std::string(name) + " at lane " + std::to_string(a.lane) + " by warp " + std::to_string(w.index) +
                ", which reaches lanes " + std::to_string(quarter) + " to " + std::to_string(quarter + 31) +
                (t.shape == Shape::s32x32b ? "" : "; a shape of 16 lanes begins at the first or the 17th of them"));
  return {quarter + in_quarter, a.column};
}

/// Calls f for each range of cells, one or (16x32bx2) two.
template <class F> void each_range(const Transfer &t, TensorAddress a, F f) {
  unsigned lanes = t.shape == Shape::s32x32b ? 32 : 16;
  f(TensorRange{a.lane, lanes, a.column, columns_of(t)});
  if (t.shape == Shape::s16x32bx2)
    f(TensorRange{a.lane, lanes, a.column + static_cast<unsigned>(t.half_at), columns_of(t)});
}

/// Calls f(lane of the warp, register, cell) for each; a packed register's second cell is in the next column.
template <class F> void each_cell(const Transfer &t, TensorAddress a, F f) {
  for (unsigned i = 0; i < registers_of(t.shape, t.repeat); ++i)
    for (unsigned l = 0; l < kLanes; ++l) {
      TensorAddress c = cell_of(t.shape, l, i);
      unsigned column = c.column * (t.packed ? 2 : 1) +
                        (t.shape == Shape::s16x32bx2 && l >= 16 ? static_cast<unsigned>(t.half_at) : 0);
      f(l, i, TensorAddress{a.lane + c.lane, a.column + column});
    }
}

TensorAddress prepare(Warp &w, const Inst &i, uint32_t mask, TensorKind kind) {
  const auto &t = *static_cast<const Transfer *>(i.extra);
  const char *name = name_of(kind);
  TensorAddress a = begin_of(w, t, TensorAddress::of(uniform_address(w, i.addr, mask, name)), name);
  TensorPair &pair = tensor_pair(*w.cta);
  unsigned rank = rank_in_pair(w);
  bool store = kind == TensorKind::st;
  each_range(t, a, [&](const TensorRange &r) {
    need_allocated(w, pair, rank, r, store ? "tcgen05.st writes" : "tcgen05.ld reads", -1);
  });
  if (w.launch->options.checks) {
    uint32_t id = pair.order.begin(w, 0, kind);
    each_range(t, a, [&](const TensorRange &r) {
      store ? pair.order.writes(w, id, rank, r) : pair.order.reads(w, id, rank, r);
    });
  }
  return a;
}

/// A column of which no lane was ever written holds nothing; single lanes may be padding of half a layout.
void check_written(Warp &w, const TensorMemory &m, const TensorRange &r) {
  for (unsigned c = r.column; c < r.column + r.columns; ++c) {
    bool any = false;
    for (unsigned l = r.lane; l < r.lane + r.lanes && !any; ++l)
      any = m.written(l, c);
    if (!any)
      return w.report(FindingKind::tensor_memory,
                      "tcgen05.ld reads column " + std::to_string(c) + ", lanes " + std::to_string(r.lane) + " to " +
                          std::to_string(r.lane + r.lanes - 1) + " of tensor memory, which nothing has written");
  }
}

void load(Exec &x, const Inst &i, uint32_t mask) {
  auto &w = static_cast<Warp &>(x);
  const auto &t = *static_cast<const Transfer *>(i.extra);
  TensorAddress a = prepare(w, i, mask, TensorKind::ld);
  TensorMemory &m = tensor_pair(*w.cta).memory[rank_in_pair(w)];
  if (w.launch->options.checks)
    each_range(t, a, [&](const TensorRange &r) { check_written(w, m, r); });
  each_cell(t, a, [&](unsigned l, unsigned reg, TensorAddress c) {
    if (!(mask >> l & 1))
      return;
    uint32_t v = m.lane(c.lane)[c.column];
    x.reg<uint32_t>(i.list[reg])[l] = t.packed ? (v & 0xffff) | m.lane(c.lane)[c.column + 1] << 16 : v;
  });
}

void store(Exec &x, const Inst &i, uint32_t mask) {
  auto &w = static_cast<Warp &>(x);
  const auto &t = *static_cast<const Transfer *>(i.extra);
  TensorAddress a = prepare(w, i, mask, TensorKind::st);
  TensorMemory &m = tensor_pair(*w.cta).memory[rank_in_pair(w)];
  each_cell(t, a, [&](unsigned l, unsigned reg, TensorAddress c) {
    if (!(mask >> l & 1))
      return;
    uint32_t v = x.reg<uint32_t>(i.list[reg])[l];
    m.write(c.lane, c.column, t.packed ? v & 0xffff : v);
    if (t.packed)
      m.write(c.lane, c.column + 1, v >> 16);
  });
}

unsigned take_repeat(Decoder &d) {
  int x = d.take_any({".x1", ".x2", ".x4", ".x8", ".x16", ".x32", ".x64", ".x128"});
  if (x < 0)
    d.refuse("it has no repetition, .x1 to .x128");
  return 1u << x;
}

} // namespace

void decode_tensor_transfer(Decoder &d) {
  bool is_load = d.take_any({".ld", ".st"}) == 0;
  if (d.take(".red"))
    d.refuse("tcgen05.ld.red needs sm_103a, which is not emulated; reduce in registers");
  if (!d.take(".sync") || !d.take(".aligned"))
    d.refuse("it needs .sync.aligned");
  int shape = d.take_any({".32x32b", ".16x64b", ".16x128b", ".16x256b", ".16x32bx2"});
  if (shape < 0)
    d.refuse("it has no shape that is emulated");
  Transfer t{static_cast<Shape>(shape), take_repeat(d), d.take(is_load ? ".pack::16b" : ".unpack::16b"), 0};
  (void)d.take(".b32");
  unsigned count = registers_of(t.shape, t.repeat);
  if (count > 128)
    d.refuse("it would need " + std::to_string(count) + " registers, 128 are allowed");
  size_t at = is_load ? 1 : 0, next = at + 1;
  const Operand &address = d.operand(at);
  if (t.shape == Shape::s16x32bx2) {
    t.half_at = d.literal(d.operand(next++));
    if (t.half_at < 0 || t.half_at >= kTensorColumns)
      d.refuse("the offset of its upper half must be 0 to 511");
  }
  const Operand &vector = d.operand(is_load ? 0 : next);
  Inst i;
  i.converge = Converge::aligned;
  i.run = is_load ? &load : &store;
  i.addr = d.address(address);
  std::vector<Slot> regs = is_load ? d.def_vector(vector, Type::b32) : d.use_vector(vector, Type::b32);
  if (regs.size() != count)
    d.refuse("it has " + std::to_string(regs.size()) + " registers, " + std::to_string(count) + " are expected");
  i.list_count = static_cast<uint16_t>(count);
  i.list = d.keep(std::move(regs));
  i.extra = d.keep_extra(t);
  d.emit(i);
}

} // namespace tegula::emulator
