// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Decodes and issues cp.async.bulk, its tensor forms, reductions, groups and waits; async/bulk.cpp runs the copies.
#include "runtime/emulator/async/bulk.h"
#include "runtime/emulator/async/map_fences.h"
#include "runtime/emulator/async/mbarrier.h"
#include "runtime/emulator/machine/access.h"
#include "runtime/emulator/ops/copies.h"
#include "runtime/emulator/program/decoder.h"

#include <algorithm>
#include <cstring>

namespace tegula::emulator {
namespace {

enum class Way : uint8_t { load, store, shared };

/// What one bulk instruction says, beside its registers.
struct BulkSite {
  Way way = Way::load;
  bool tensor = false;
  unsigned rank = 0, coordinates = 0;
  TensorMode mode = TensorMode::tile;
  std::vector<Slot> offsets; // of im2col
  Address map, shared, source, global, barrier;
  Slot coordinate[5];
  Slot bytes, mask, byte_mask;
  bool masked = false;
  bool pair = false; // .cta_group::2: the barrier may be the peer CTA's
  bool multicast = false;
  Reduction reduction = Reduction::none;
  Type type = Type::none;
};

TensorMap read_map(Warp &w, uint64_t address, unsigned lane) {
  TensorMap m;
  auto at = static_cast<int>(lane);
  if (address & 63)
    fault_misaligned(w, address, 64, "tensor map", at);
  std::memcpy(&m, place(w, address, sizeof m, Space::generic, Use::read, lane), sizeof m);
  if (m.magic != TensorMap::kMagic)
    w.fault(FindingKind::descriptor, "the tensor map was not made by the emulator's cuTensorMapEncodeTiled", at);
  return m;
}

void issue_lane(Warp &w, const Inst &i, const BulkSite &s, unsigned l) {
  auto lane = static_cast<int>(l);
  BulkCopy c;
  c.warp = &w;
  c.inst = &i;
  c.lane = l;
  c.tensor = s.tensor;
  c.reduction = s.reduction;
  c.type = s.type;
  if (s.tensor) {
    uint64_t map = address_of(w, s.map, l);
    c.map = read_map(w, map, l);
    if (w.launch->options.checks)
      if (std::string why = w.launch->map_fences->objection(map, *w.cta); !why.empty())
        w.report(FindingKind::proxy_fence, why, lane);
    if (c.map.rank != s.rank)
      w.fault(FindingKind::descriptor,
              "the instruction has " + std::to_string(s.rank) + " coordinates, its tensor map rank " +
                  std::to_string(c.map.rank),
              lane);
    c.mode = s.mode;
    for (unsigned d = 0; d < s.coordinates; ++d)
      c.coordinate[d] = w.reg<int32_t>(s.coordinate[d])[l];
    for (size_t d = 0; d < s.offsets.size(); ++d)
      c.offset[d] = w.reg<uint16_t>(s.offsets[d])[l];
  } else {
    c.bytes = w.reg<uint32_t>(s.bytes)[l];
    if (s.masked)
      c.byte_mask = w.reg<uint16_t>(s.byte_mask)[l];
  }
  // A range of shared memory is checked whole when its size is known; here only the CTA is found.
  SharedPlace p = shared_place(w, address_of(w, s.shared, l), 1, lane);
  c.shared_cta = p.cta;
  c.shared_offset = p.offset;
  if (s.way != Way::store) {
    MbarrierRef r = locate_mbarrier(w, address_of(w, s.barrier, l), lane);
    c.barrier_cta = r.cta;
    c.barrier_offset = r.offset;
  }
  c.pair = s.pair;
  bool reachable = s.way == Way::store || s.multicast || c.barrier_cta == c.shared_cta ||
                   (s.pair && (c.barrier_cta->rank ^ c.shared_cta->rank) == 1);
  if (!reachable)
    w.fault(FindingKind::mbarrier_misuse,
            "bulk copy into CTA " + std::to_string(c.shared_cta->rank) + " of the cluster with an mbarrier of CTA " +
                std::to_string(c.barrier_cta->rank) + "; it must be the same, or the peer of a pair with .cta_group::2",
            lane);
  if (!s.tensor && s.way != Way::shared)
    c.global = address_of(w, s.global, l);
  if (s.multicast)
    c.multicast = static_cast<uint16_t>(w.reg<uint16_t>(s.mask)[l]);
  if (s.way == Way::shared) {
    SharedPlace from = shared_place(w, address_of(w, s.source, l), 1, lane);
    c.source_cta = from.cta;
    c.source_offset = from.offset;
    return issue_shared(c);
  }
  if (s.way == Way::load)
    return issue_load(c);
  BulkThread &t = w.cta->bulk[w.thread_index(l)];
  if (!t.open)
    t.open = std::make_shared<BulkGroup>();
  c.group = t.open;
  issue_store(c);
}

void issue(Exec &x, const Inst &i, uint32_t mask) {
  const auto &s = *static_cast<const BulkSite *>(i.extra);
  for (unsigned l = 0; l < kLanes; ++l)
    if (mask >> l & 1)
      issue_lane(static_cast<Warp &>(x), i, s, l);
}

void commit(Exec &x, const Inst &, uint32_t mask) {
  auto &w = static_cast<Warp &>(x);
  for (unsigned l = 0; l < kLanes; ++l) {
    if (!(mask >> l & 1))
      continue;
    BulkThread &t = w.cta->bulk[w.thread_index(l)];
    t.committed.push_back(t.open ? t.open : std::make_shared<BulkGroup>());
    t.open = nullptr;
  }
}

/// mode: 1 .read; target: groups that may stay.
After wait(Warp &w, Group &g, const Inst &i) {
  for (unsigned l = 0; l < kLanes; ++l) {
    if (!(g.mask >> l & 1))
      continue;
    auto it = w.cta->bulk.find(w.thread_index(l));
    if (it == w.cta->bulk.end())
      continue;
    auto &groups = it->second.committed;
    while (!groups.empty() && groups.front()->pending == 0)
      groups.erase(groups.begin());
    size_t n = groups.size() > i.target ? groups.size() - i.target : 0;
    for (size_t k = 0; k < n; ++k)
      if (i.mode ? groups[k]->unread : groups[k]->pending) {
        g.attempted = true;
        g.waits_for = "a bulk group";
        return After::blocked;
      }
  }
  return After::next;
}

void nothing(Exec &, const Inst &, uint32_t) {}

void tensor_operand(Decoder &d, BulkSite &s, const Operand &o) {
  if (o.kind != OperandKind::address || o.parts.size() != 2)
    d.refuse("expected [map, {coordinates}]");
  s.map = d.address(o);
  const Operand &c = o.parts[1];
  size_t n = c.kind == OperandKind::vector ? c.parts.size() : 1;
  s.coordinates = s.mode == TensorMode::rows4 ? 5 : s.rank; // x and four of y
  if (n != s.coordinates)
    d.refuse("it has " + std::to_string(n) + " coordinates, " + std::to_string(s.coordinates) + " are expected");
  for (size_t k = 0; k < n; ++k)
    s.coordinate[k] = d.use(c.kind == OperandKind::vector ? c.parts[k] : c, Type::s32);
}

unsigned take_rank(Decoder &d) {
  int r = d.take_any({".1d", ".2d", ".3d", ".4d", ".5d"});
  if (r < 0)
    d.refuse("it has no rank");
  return static_cast<unsigned>(r) + 1;
}

/// Takes how the copy walks its tensor. \returns true if im2col offsets follow.
bool take_mode(Decoder &d, BulkSite &s) {
  int m = d.take_any({".tile", ".tile::gather4", ".tile::scatter4", ".im2col_no_offs", ".im2col"});
  if (m < 0 && d.take_any({".im2col::w", ".im2col::w::128"}) >= 0)
    d.refuse("the modes .im2col::w and .im2col::w::128 are not emulated");
  s.mode = m <= 0 ? TensorMode::tile : m <= 2 ? TensorMode::rows4 : TensorMode::im2col;
  if (s.mode == TensorMode::rows4 && s.rank != 2)
    d.refuse("gather4 and scatter4 are .2d");
  if (s.mode == TensorMode::im2col && s.rank < 3)
    d.refuse("im2col is .3d, .4d or .5d");
  return m == 4;
}

Reduction take_reduction(Decoder &d) {
  int op = d.take_any({".add", ".min", ".max", ".inc", ".dec", ".and", ".or", ".xor"});
  if (op < 0)
    d.refuse("it has no operation");
  return static_cast<Reduction>(op + 1);
}

void decode_copy(Decoder &d, BulkSite &s, bool offsets) {
  // Modifiers name the spaces destination first: shared from global or shared, or global from shared.
  bool multicast = d.take(".multicast::cluster");
  bool completes = d.take(".mbarrier::complete_tx::bytes");
  bool grouped = d.take(".bulk_group");
  if (completes == grouped)
    d.refuse("it needs .mbarrier::complete_tx::bytes or .bulk_group");
  bool global = d.take(".global");
  (void)d.take_any({".shared::cluster"});
  (void)d.take_any({".shared::cta"});
  s.pair = d.take_any({".cta_group::1", ".cta_group::2"}) == 1;
  d.take_cache_hints();
  s.multicast = multicast;
  s.way = grouped ? Way::store : global ? Way::load : Way::shared;
  size_t size_at = 2;
  if (s.way == Way::store) {
    if (s.tensor)
      tensor_operand(d, s, d.operand(0));
    else
      s.global = d.address(d.operand(0));
    s.shared = d.address(d.operand(1));
    if (!s.tensor)
      s.bytes = d.use(size_at, Type::u32);
    s.masked = d.take(".cp_mask");
    if (s.masked)
      s.byte_mask = d.use(d.operands() - 1, Type::b16);
    return;
  }
  s.shared = d.address(d.operand(0));
  if (s.tensor) {
    tensor_operand(d, s, d.operand(1));
    s.barrier = d.address(d.operand(2));
    if (offsets)
      s.offsets = d.use_vector(d.operand(3), Type::b16);
    if (offsets && s.offsets.size() != s.rank - 2)
      d.refuse("it has " + std::to_string(s.offsets.size()) + " im2col offsets");
    if (multicast)
      s.mask = d.use(offsets ? 4 : 3, Type::b16);
    return;
  }
  (s.way == Way::load ? s.global : s.source) = d.address(d.operand(1));
  s.bytes = d.use(size_at, Type::u32);
  s.barrier = d.address(d.operand(3));
  if (multicast)
    s.mask = d.use(4, Type::b16);
}

} // namespace

void decode_bulk(Decoder &d, bool reduce) {
  Inst i;
  if (d.take(".commit_group")) {
    i.run = &commit;
    return d.emit(i);
  }
  if (d.take(".wait_group")) {
    i.control = &wait;
    i.mode = d.take(".read");
    i.target = static_cast<uint32_t>(d.literal(d.operand(0)));
    return d.emit(i);
  }
  BulkSite s;
  bool prefetch = d.take(".prefetch");
  s.tensor = d.take(".tensor");
  bool offsets = false;
  if (s.tensor) {
    s.rank = take_rank(d);
    offsets = take_mode(d, s);
  }
  if (prefetch) {
    (void)d.take(".L2");
    (void)d.take(".global");
    d.take_cache_hints();
    i.run = &nothing;
    return d.emit(i);
  }
  if (reduce) {
    s.reduction = take_reduction(d);
    (void)d.take(".noftz");
    if (!s.tensor)
      s.type = d.take_type();
  }
  decode_copy(d, s, offsets);
  i.run = &issue;
  i.extra = d.keep_extra(s);
  d.emit(i);
}

} // namespace tegula::emulator
