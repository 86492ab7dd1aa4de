// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// tcgen05.cp, from shared to tensor memory, and tcgen05.shift.
#include "runtime/emulator/machine/access.h"
#include "runtime/emulator/tensor/decoders.h"
#include "runtime/emulator/tensor/elements.h"
#include "runtime/emulator/tensor/matrix_descriptor.h"
#include "runtime/emulator/tensor/pair.h"

#include <cstring>

namespace tegula::emulator {
namespace {

constexpr unsigned kShiftColumns = 8; // 32 bytes
enum class Spread : uint8_t { none, pairs_02_13, pairs_01_23, all, quarters };

struct CopySite {
  unsigned rows = 128, chunks = 1; // of 16 bytes a row
  Spread spread = Spread::none;
  unsigned narrow_bits = 0; // 4 or 6: expanded to bytes
  unsigned cta_group = 1;
};

/// One copy as issued.
struct TensorCopy {
  const CopySite *site = nullptr;
  TensorPair *pair = nullptr;
  MatrixDescriptor from{0};
  TensorAddress to;
  unsigned first_rank = 0;
};

/// Calls f(lane) for each lane that row r lands in.
template <class F> void each_lane(const CopySite &s, unsigned lane, unsigned r, F f) {
  switch (s.spread) {
  case Spread::none: return f(r);
  case Spread::pairs_02_13: return f(r), f(r + 64);
  case Spread::pairs_01_23: return f(r < 32 ? r : r + 32), f(r < 32 ? r + 32 : r + 64);
  case Spread::all: return f(r), f(r + 32), f(r + 64), f(r + 96);
  case Spread::quarters: return f(32 * r + lane % 32);
  }
}

void run_copy(const TensorCopy &c) {
  const CopySite &s = *c.site;
  for (unsigned cta = 0; cta < s.cta_group; ++cta) {
    const Cta &source = *c.pair->cta[c.first_rank + cta];
    TensorMemory &m = c.pair->memory[c.first_rank + cta];
    for (unsigned r = 0; r < s.rows; ++r)
      for (unsigned j = 0; j < s.chunks; ++j) {
        const std::byte *from = source.shared + c.from.k_major(r, 16 * j);
        std::byte data[16];
        if (s.narrow_bits)
          expand_narrow(from, s.narrow_bits, data);
        else
          std::memcpy(data, from, 16);
        each_lane(s, c.to.lane, r, [&](unsigned lane) {
          std::memcpy(m.lane(lane) + c.to.column + 4 * j, data, 16);
          m.mark_written({lane, 1, c.to.column + 4 * j, 4});
        });
      }
  }
}

void check_source(Warp &w, const TensorCopy &c, unsigned l) {
  const CopySite &s = *c.site;
  for (unsigned cta = 0; cta < s.cta_group; ++cta) {
    const Cta &source = *c.pair->cta[c.first_rank + cta];
    for (unsigned r = 0; r < s.rows; ++r)
      for (unsigned j = 0; j < s.chunks; ++j) {
        uint32_t at = c.from.k_major(r, 16 * j);
        if (at + 16 > source.shared_bytes)
          w.fault(FindingKind::out_of_bounds,
                  "tcgen05.cp reads shared offset " + std::to_string(at) + " of a CTA that has " +
                      std::to_string(source.shared_bytes) + " bytes",
                  static_cast<int>(l));
        if (w.launch->options.checks)
          check_async_read(w, l, source, at, 16);
      }
  }
}

void copy_lane(Warp &w, const Inst &i, unsigned l) {
  auto lane = static_cast<int>(l);
  TensorCopy c;
  c.site = static_cast<const CopySite *>(i.extra);
  c.pair = &tensor_pair(*w.cta);
  c.first_rank = c.site->cta_group == 2 ? 0 : rank_in_pair(w);
  c.to = TensorAddress::of(static_cast<uint32_t>(address_of(w, i.addr, l)));
  uint64_t bits = w.reg<uint64_t>(i.s[0])[l];
  c.from = MatrixDescriptor(bits);
  if (std::string wrong = MatrixDescriptor::complaint(bits); !wrong.empty())
    w.fault(FindingKind::descriptor, "descriptor of tcgen05.cp: " + wrong, lane);
  bool quarters = c.site->spread == Spread::quarters;
  if (quarters ? c.to.lane >= 32 : c.to.lane != 0)
    w.fault(FindingKind::tensor_memory,
            "tcgen05.cp to lane " + std::to_string(c.to.lane) +
                (quarters ? "; it must be below 32, a row goes to each quarter" : "; the shape begins at lane 0"),
            lane);
  if (c.site->cta_group == 2)
    need_peer(w, *c.pair, "tcgen05.cp", lane);
  TensorRange cells{0, kTensorLanes, c.to.column, 4 * c.site->chunks};
  for (unsigned cta = 0; cta < c.site->cta_group; ++cta)
    need_allocated(w, *c.pair, c.first_rank + cta, cells, "tcgen05.cp writes", lane);
  check_source(w, c, l);
  if (w.launch->options.checks) {
    uint32_t id = c.pair->order.begin(w, l, quarters ? TensorKind::cp_4x256b : TensorKind::cp);
    for (unsigned cta = 0; cta < c.site->cta_group; ++cta)
      if (quarters)
        for (unsigned r = 0; r < 4; ++r)
          c.pair->order.writes(w, id, c.first_rank + cta, {32 * r + c.to.lane, 1, cells.column, cells.columns});
      else
        c.pair->order.writes(w, id, c.first_rank + cta, cells);
  }
  c.pair->submit(*w.cluster, "tcgen05.cp", [c] { run_copy(c); });
}

void copy(Exec &x, const Inst &i, uint32_t mask) {
  need_one_thread(static_cast<Warp &>(x), mask, "tcgen05.cp");
  for (unsigned l = 0; l < kLanes; ++l)
    if (mask >> l & 1)
      copy_lane(static_cast<Warp &>(x), i, l);
}

/// Every row but the last of the 32 goes one lane up; the first keeps its old cells (PTX ISA 9.0, tcgen05.shift:
/// "downwards across all the rows, except the last, by one row", shape 31x256b).
void run_shift(TensorPair &pair, unsigned first_rank, unsigned ctas, TensorAddress at) {
  for (unsigned cta = 0; cta < ctas; ++cta) {
    TensorMemory &m = pair.memory[first_rank + cta];
    for (unsigned l = at.lane + 31; l > at.lane; --l)
      for (unsigned c = at.column; c < at.column + kShiftColumns; ++c)
        if (m.written(l - 1, c))
          m.write(l, c, m.lane(l - 1)[c]);
  }
}

void shift_lane(Warp &w, const Inst &i, unsigned l) {
  auto lane = static_cast<int>(l);
  TensorPair &pair = tensor_pair(*w.cta);
  TensorAddress at = TensorAddress::of(static_cast<uint32_t>(address_of(w, i.addr, l)));
  unsigned ctas = i.mode, first_rank = ctas == 2 ? 0 : rank_in_pair(w);
  if (at.lane % 32)
    w.fault(FindingKind::tensor_memory,
            "tcgen05.shift at lane " + std::to_string(at.lane) + ", which is no multiple of 32", lane);
  if (ctas == 2)
    need_peer(w, pair, "tcgen05.shift", lane);
  TensorRange cells{at.lane, 32, at.column, kShiftColumns};
  for (unsigned cta = 0; cta < ctas; ++cta)
    need_allocated(w, pair, first_rank + cta, cells, "tcgen05.shift moves", lane);
  if (w.launch->options.checks) {
    uint32_t id = pair.order.begin(w, l, TensorKind::shift);
    for (unsigned cta = 0; cta < ctas; ++cta)
      pair.order.writes(w, id, first_rank + cta, cells);
  }
  pair.submit(*w.cluster, "tcgen05.shift", [&pair, first_rank, ctas, at] { run_shift(pair, first_rank, ctas, at); });
}

void shift(Exec &x, const Inst &i, uint32_t mask) {
  need_one_thread(static_cast<Warp &>(x), mask, "tcgen05.shift");
  for (unsigned l = 0; l < kLanes; ++l)
    if (mask >> l & 1)
      shift_lane(static_cast<Warp &>(x), i, l);
}

CopySite take_copy(Decoder &d) {
  CopySite s;
  s.cta_group = take_cta_group(d);
  int shape = d.take_any({".128x256b", ".128x128b", ".64x128b", ".32x128b", ".4x256b"});
  if (shape < 0)
    d.refuse("it has no shape that exists");
  constexpr unsigned kRows[] = {128, 128, 64, 32, 4};
  s.rows = kRows[shape];
  s.chunks = shape == 0 || shape == 4 ? 2 : 1;
  int spread = d.take_any({".warpx2::02_13", ".warpx2::01_23", ".warpx4"});
  if (shape == 2 ? spread != 0 && spread != 1 : shape == 3 ? spread != 2 : spread >= 0)
    d.refuse(".64x128b needs .warpx2::02_13 or .warpx2::01_23, .32x128b needs .warpx4, other shapes have neither");
  s.spread = shape == 4 ? Spread::quarters : static_cast<Spread>(spread + 1);
  if (d.take(".b8x16")) {
    int narrow = d.take_any({".b4x16_p64", ".b6x16_p32"});
    if (narrow < 0)
      d.refuse(".b8x16 needs .b4x16_p64 or .b6x16_p32");
    s.narrow_bits = narrow == 0 ? 4 : 6;
  }
  return s;
}

} // namespace

void decode_tensor_copy(Decoder &d) {
  Inst i;
  if (d.take(".shift")) {
    i.run = &shift;
    i.mode = static_cast<uint8_t>(take_cta_group(d));
    if (!d.take(".down"))
      d.refuse("it needs .down");
    d.expect_operands(1, 1);
    i.addr = d.address(d.operand(0));
    return d.emit(i);
  }
  (void)d.take(".cp");
  i.run = &copy;
  i.extra = d.keep_extra(take_copy(d));
  d.expect_operands(2, 2);
  i.addr = d.address(d.operand(0));
  i.s[0] = d.use(1, Type::b64);
  d.emit(i);
}

} // namespace tegula::emulator
