// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The rules of tcgen05's order, checked when an operation is issued.
#include "runtime/emulator/tensor/order.h"

#include "runtime/emulator/machine/machine.h"

namespace tegula::emulator {
namespace {

constexpr unsigned kGroupLanes = 16, kGroups = kTensorLanes / kGroupLanes;

bool in_pipe(TensorKind k) { return k != TensorKind::ld && k != TensorKind::st; }

/// The pairs that run one after the other without a wait (PTX ISA 9.0, "Pipelined tcgen05 Instructions").
bool pipelined(const TensorUse &first, const TensorUse &then) {
  using K = TensorKind;
  bool copy = first.kind == K::cp || first.kind == K::cp_4x256b;
  if (then.kind == K::mma)
    return copy || first.kind == K::shift || (first.kind == K::mma && first.accumulator == then.accumulator);
  return (first.kind == K::mma && then.kind == K::shift) || (first.kind == K::shift && then.kind == K::cp_4x256b);
}

uint32_t warp_key(const Warp &w) { return (w.cta->rank & 1) << 8 | w.index; }
uint32_t thread_key(const Warp &w, unsigned lane) { return (w.cta->rank & 1) << 16 | w.thread_index(lane); }

} // namespace

const char *name_of(TensorKind kind) {
  constexpr const char *kNames[] = {"tcgen05.mma",   "tcgen05.cp", "tcgen05.cp",
                                    "tcgen05.shift", "tcgen05.ld", "tcgen05.st"};
  return kNames[static_cast<unsigned>(kind)];
}

uint32_t TensorOrder::begin(const Warp &w, unsigned lane, TensorKind kind, uint64_t accumulator) {
  TensorUse u;
  u.kind = kind;
  u.thread = thread_key(w, lane);
  u.warp = warp_key(w);
  u.line = w.now->line;
  u.accumulator = accumulator;
  u.issued = ++now_;
  uses_.push_back(u);
  auto id = static_cast<uint32_t>(uses_.size());
  WarpState &s = warps_[u.warp];
  s.not_handed_on.push_back(id);
  if (kind == TensorKind::ld)
    s.loads.push_back(id);
  else if (kind == TensorKind::st)
    s.stores.push_back(id);
  else
    uncommitted_[u.thread].push_back(id);
  return id;
}

const char *TensorOrder::objection(const TensorUse &first, const TensorUse &then) const {
  bool own = in_pipe(first.kind) && in_pipe(then.kind) ? first.thread == then.thread : first.warp == then.warp;
  if (!strict_ && in_pipe(first.kind) && in_pipe(then.kind))
    return nullptr;
  if (!strict_ && first.kind == TensorKind::ld && own) // what the warp stores was made of what it loaded
    return nullptr;
  auto it = warps_.find(then.warp);
  uint64_t after = it == warps_.end() ? 0 : it->second.after;
  if (pipelined(first, then)) {
    if (own)
      return nullptr;
    return !first.handed_on || after < first.handed_on
               ? "it was issued by another thread and not handed on by tcgen05.fence::before_thread_sync and "
                 "tcgen05.fence::after_thread_sync"
               : nullptr;
  }
  if (!first.done)
    return first.kind == TensorKind::ld   ? "its tcgen05.wait::ld is missing"
           : first.kind == TensorKind::st ? "its tcgen05.wait::st is missing"
                                          : "nobody has waited for a tcgen05.commit behind it";
  if (own || !strict_)
    return nullptr;
  if (!in_pipe(first.kind) && (!first.handed_on || first.handed_on < first.done))
    return "its warp ran no tcgen05.fence::before_thread_sync since";
  return after < (in_pipe(first.kind) ? first.done : first.handed_on)
             ? "tcgen05.fence::after_thread_sync is missing since then"
             : nullptr;
}

void TensorOrder::look(Warp &w, uint32_t first, uint32_t then, bool first_writes, bool then_writes, unsigned lane,
                       unsigned column) const {
  if (first == 0 || first == then)
    return;
  const TensorUse &a = uses_[first - 1], &b = uses_[then - 1];
  const char *why = objection(a, b);
  if (!why)
    return;
  w.report(FindingKind::tensor_order, std::string(name_of(b.kind)) + (then_writes ? " writes" : " reads") + " column " +
                                          std::to_string(column) + ", lane " + std::to_string(lane) +
                                          " of tensor memory, which the " + name_of(a.kind) + " of PTX line " +
                                          std::to_string(a.line) + (first_writes ? " writes" : " reads") + ": " + why);
}

template <class F> void TensorOrder::each_cell(unsigned rank, const TensorRange &r, F f) {
  if (cells_.empty())
    cells_.resize(size_t{2} * kTensorColumns * kGroups);
  if (r.lanes == 0)
    return;
  for (unsigned c = r.column; c < r.column + r.columns; ++c)
    for (unsigned g = r.lane / kGroupLanes; g <= (r.lane + r.lanes - 1) / kGroupLanes; ++g)
      f(cells_[(size_t{rank} * kTensorColumns + c) * kGroups + g], g * kGroupLanes, c);
}

void TensorOrder::reads(Warp &w, uint32_t id, unsigned rank, const TensorRange &r) {
  bool pipe = in_pipe(uses_[id - 1].kind);
  each_cell(rank, r, [&](Cell &cell, unsigned lane, unsigned column) {
    look(w, cell.writer, id, true, false, lane, column);
    (pipe ? cell.pipe_reader : cell.load) = id;
  });
}

void TensorOrder::writes(Warp &w, uint32_t id, unsigned rank, const TensorRange &r) {
  each_cell(rank, r, [&](Cell &cell, unsigned lane, unsigned column) {
    // Who reads came last, and is the one to wait for.
    look(w, cell.pipe_reader, id, false, true, lane, column);
    look(w, cell.load, id, false, true, lane, column);
    look(w, cell.writer, id, true, true, lane, column);
    cell = {id, 0, 0};
  });
}

const TensorUse *TensorOrder::pending(unsigned rank, unsigned column, unsigned columns) const {
  if (cells_.empty())
    return nullptr;
  for (unsigned c = column; c < column + columns; ++c)
    for (unsigned g = 0; g < kGroups; ++g) {
      const Cell &cell = cells_[(size_t{rank} * kTensorColumns + c) * kGroups + g];
      for (uint32_t id : {cell.writer, cell.pipe_reader, cell.load})
        if (id && !uses_[id - 1].done && (strict_ || uses_[id - 1].kind != TensorKind::ld))
          return &uses_[id - 1];
    }
  return nullptr;
}

void TensorOrder::wait(const Warp &w, TensorKind kind) {
  WarpState &s = warps_[warp_key(w)];
  auto &list = kind == TensorKind::ld ? s.loads : s.stores;
  ++now_;
  for (uint32_t id : list)
    uses_[id - 1].done = now_;
  list.clear();
}

void TensorOrder::fence_before(const Warp &w) {
  WarpState &s = warps_[warp_key(w)];
  ++now_;
  std::erase_if(s.not_handed_on, [&](uint32_t id) {
    TensorUse &u = uses_[id - 1];
    if (!in_pipe(u.kind) && !u.done)
      return false;
    u.handed_on = now_;
    return true;
  });
}

void TensorOrder::fence_after(const Warp &w) { warps_[warp_key(w)].after = ++now_; }

std::vector<uint32_t> TensorOrder::take_uncommitted(const Warp &w, unsigned lane) {
  std::vector<uint32_t> ids;
  ids.swap(uncommitted_[thread_key(w, lane)]);
  return ids;
}

} // namespace tegula::emulator
