// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// tcgen05.alloc, dealloc and relinquish_alloc_permit. With .cta_group::2 a warp of each CTA of the pair takes part, and
// whether the first waits for the second is left open (PTX ISA 9.0, "Issue Granularity"): it does with odd seeds.
#include "runtime/emulator/machine/access.h"
#include "runtime/emulator/ops/memory.h"
#include "runtime/emulator/tensor/decoders.h"
#include "runtime/emulator/tensor/leak.h"
#include "runtime/emulator/tensor/pair.h"

#include <algorithm>
#include <cstring>

namespace tegula::emulator {
namespace {

constexpr unsigned kSmallest = 32;

std::string text(const TensorBlock &b) {
  return "columns " + std::to_string(b.first) + " to " + std::to_string(b.first + b.columns - 1) +
         ", allocated at PTX line " + std::to_string(b.line);
}

/// True if CTAs of this launch may share a multiprocessor and its tensor memory.
bool shares_multiprocessor(const Launch &l) {
  uint64_t shared = l.layout.dynamic_offset + l.dynamic_shared;
  return l.block.count() <= 1024 && 2 * shared <= (228u << 10);
}

/// The first column of a free range, aligned to its size; -1 if there is none. Seeds vary which.
int find_room(Warp &w, const TensorPair &pair, unsigned ctas, unsigned columns) {
  std::vector<int> room;
  for (unsigned first = 0; first + columns <= kTensorColumns; first += columns) {
    bool free = true;
    for (const TensorBlock &b : pair.blocks)
      free &= !(b.ctas & ctas) || b.first >= first + columns || b.first + b.columns <= first;
    if (free)
      room.push_back(static_cast<int>(first));
  }
  if (room.empty())
    return -1;
  // A neighbour on the same multiprocessor may have come first.
  bool vary = w.launch->options.seed != 0 && shares_multiprocessor(*w.launch);
  return room[vary ? w.cluster->random() % room.size() : 0];
}

void check_alloc(Warp &w, TensorPair &pair, unsigned columns) {
  unsigned rank = rank_in_pair(w);
  if (columns < kSmallest || columns > kTensorColumns || !std::has_single_bit(columns))
    w.fault(FindingKind::tensor_memory,
            "tcgen05.alloc of " + std::to_string(columns) + " columns; a power of 2 from 32 to 512 is allowed");
  if (pair.relinquished[rank])
    w.fault(FindingKind::tensor_memory, "tcgen05.alloc after tcgen05.relinquish_alloc_permit of the same CTA");
  if (columns > pair.last_columns[rank])
    w.fault(FindingKind::tensor_memory, "tcgen05.alloc of " + std::to_string(columns) + " columns after one of " +
                                            std::to_string(pair.last_columns[rank]) +
                                            "; a later one must not be larger");
}

void check_peer_started(const Warp &w, const TensorPair &pair) {
  const Cta *peer = pair.cta[rank_in_pair(w) ^ 1];
  for (const auto &p : peer->warps)
    if (p->instructions > 0 || p->done())
      return;
  w.fault(FindingKind::tensor_memory, "tcgen05.alloc with .cta_group::2 before the peer CTA has started; a cluster "
                                      "barrier must come first");
}

/// The peer's allocation that waits for this CTA's part, or null.
TensorBlock *half_done(TensorPair &pair, unsigned rank) {
  for (TensorBlock &b : pair.blocks)
    if (b.ctas == 3 && !(b.allocated_by >> rank & 1))
      return &b;
  return nullptr;
}

void write_base(Warp &w, const Inst &i, uint32_t mask, uint32_t base) {
  auto lane = static_cast<unsigned>(std::countr_zero(mask));
  uint64_t a = address_of(w, i.addr, lane);
  if (a & 3)
    fault_misaligned(w, a, 4, "tcgen05.alloc", static_cast<int>(lane));
  std::memcpy(shared_place(w, a, 4, static_cast<int>(lane)).data(), &base, 4);
  note_generic_write(w, a, Space::shared, 4, lane);
}

TensorBlock *take_block(Warp &w, TensorPair &pair, unsigned columns, unsigned ctas) {
  int first = find_room(w, pair, ctas, columns);
  if (first < 0)
    return nullptr;
  pair.blocks.push_back({static_cast<unsigned>(first), columns, ctas, 0, 0, w.now->line});
  for (unsigned r = 0; r < 2; ++r)
    if (ctas >> r & 1)
      pair.memory[r].allocate(static_cast<unsigned>(first), columns);
  return &pair.blocks.back();
}

After alloc(Warp &w, Group &g, const Inst &i) {
  TensorPair &pair = tensor_pair(*w.cta);
  unsigned rank = rank_in_pair(w), columns = uniform_operand(w, i.s[0], g.mask, "tcgen05.alloc's size");
  bool both = i.mode == 2;
  if (!g.attempted) {
    check_alloc(w, pair, columns);
    if (both) {
      need_peer(w, pair, "tcgen05.alloc", -1);
      check_peer_started(w, pair);
    }
  }
  TensorBlock *b = both ? half_done(pair, rank) : nullptr;
  if (b && b->columns != columns)
    w.fault(FindingKind::tensor_memory,
            "tcgen05.alloc of " + std::to_string(columns) + " columns, while the peer CTA allocated " + text(*b));
  bool mine = g.attempted && g.token != 0; // waits for its peer
  if (!b && !mine)
    b = take_block(w, pair, columns, both ? 3 : 1u << rank);
  if (!b && !mine) {
    g.attempted = true;
    g.waits_for = "free columns of tensor memory";
    return After::blocked;
  }
  if (mine) {
    auto it = std::find_if(pair.blocks.begin(), pair.blocks.end(),
                           [&](const TensorBlock &x) { return x.first + 1 == g.token && x.ctas == 3; });
    b = it == pair.blocks.end() ? nullptr : &*it;
  } else {
    b->allocated_by |= 1u << rank;
    pair.last_columns[rank] = columns;
    ++w.cluster->events;
  }
  if (b && both && b->allocated_by != 3 && (w.launch->options.seed & 1)) {
    g.attempted = true;
    g.token = b->first + 1;
    g.waits_for = "tcgen05.alloc of the peer CTA";
    return After::blocked;
  }
  write_base(w, i, g.mask, b ? b->first : static_cast<uint32_t>(g.token - 1));
  return After::next;
}

After dealloc(Warp &w, Group &g, const Inst &i) {
  TensorPair &pair = tensor_pair(*w.cta);
  unsigned rank = rank_in_pair(w);
  unsigned columns = uniform_operand(w, i.s[1], g.mask, "tcgen05.dealloc's size");
  TensorAddress at = TensorAddress::of(uniform_operand(w, i.s[0], g.mask, "tcgen05.dealloc's address"));
  auto it = std::find_if(pair.blocks.begin(), pair.blocks.end(), [&](const TensorBlock &b) {
    return b.first == at.column && b.columns == columns && b.ctas == (i.mode == 2 ? 3 : 1u << rank) &&
           !(b.freed_by >> rank & 1);
  });
  if (it == pair.blocks.end() || at.lane != 0)
    w.fault(FindingKind::tensor_memory,
            "tcgen05.dealloc of " + std::to_string(columns) + " columns at column " + std::to_string(at.column) +
                ", which is no allocation as a whole; this CTA has " + pair.memory[rank].describe());
  if (i.mode == 2 && it->allocated_by != 3)
    w.fault(FindingKind::tensor_memory, "tcgen05.dealloc of " + text(*it) +
                                            ", before the peer CTA has run its tcgen05.alloc; a cluster barrier must "
                                            "come between");
  for (unsigned r = 0; r < 2; ++r)
    if (it->ctas >> r & 1)
      if (const TensorUse *u = pair.order.pending(r, it->first, columns))
        w.report(FindingKind::tensor_order, "tcgen05.dealloc of " + text(*it) + ", which the " + name_of(u->kind) +
                                                " of PTX line " + std::to_string(u->line) +
                                                " may still use: nobody has waited for it");
  it->freed_by |= 1u << rank;
  pair.memory[rank].release(it->first, columns);
  if (it->freed_by == it->ctas)
    pair.blocks.erase(it);
  ++w.cluster->events;
  return After::next;
}

void relinquish(Exec &x, const Inst &, uint32_t) {
  auto &w = static_cast<Warp &>(x);
  tensor_pair(*w.cta).relinquished[rank_in_pair(w)] = true;
}

} // namespace

void report_tensor_leak(const Warp &w) {
  if (!w.cta->tensor)
    return;
  unsigned rank = rank_in_pair(w);
  for (const TensorBlock &b : w.cta->tensor->blocks)
    if (b.ctas >> rank & 1 && !(b.freed_by >> rank & 1))
      w.report(FindingKind::tensor_memory, "the CTA ends without tcgen05.dealloc of " + text(b));
}

void decode_tensor_allocation(Decoder &d) {
  int op = d.take_any({".alloc", ".dealloc", ".relinquish_alloc_permit"});
  Inst i;
  i.mode = static_cast<uint8_t>(take_cta_group(d));
  i.converge = Converge::aligned;
  if (!d.take(".sync") || !d.take(".aligned"))
    d.refuse("it needs .sync.aligned");
  (void)d.take_any({".shared::cta", ".shared"});
  if (op == 2) {
    i.run = &relinquish;
    return d.emit(i);
  }
  (void)d.take(".b32");
  d.expect_operands(2, 2);
  if (op == 0) {
    i.control = &alloc;
    i.addr = d.address(d.operand(0));
    i.s[0] = d.use(1, Type::b32);
  } else {
    i.control = &dealloc;
    i.s[0] = d.use(0, Type::b32);
    i.s[1] = d.use(1, Type::b32);
  }
  d.emit(i);
}

} // namespace tegula::emulator
