// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// cp.async: copies of 4, 8 and 16 bytes a thread, done as late as the program allows; bulk copies are in bulk_copies.cpp.
#include "runtime/emulator/ops/copies.h"

#include "runtime/emulator/async/mbarrier.h"
#include "runtime/emulator/machine/access.h"
#include "runtime/emulator/ops/decoders.h"
#include "runtime/emulator/program/decoder.h"

#include <cstring>

namespace tegula::emulator {
namespace {

void perform(Warp &w, const CopyAsync &c) {
  for (unsigned l = 0; l < kLanes; ++l) {
    if (!(c.mask >> l & 1))
      continue;
    auto lane = static_cast<int>(l);
    std::byte data[16] = {};
    if (c.source_bytes[l])
      std::memcpy(data, global_place(w, c.from[l], c.source_bytes[l], Use::read, lane), c.source_bytes[l]);
    SharedPlace to = shared_place(w, c.to[l], c.bytes, lane);
    std::memcpy(to.data(), data, c.bytes);
    if (to.cta->proxy.on() && to.cta == w.cta)
      to.cta->proxy.wrote(to.offset, c.bytes, w.thread_index(l), c.inst->line);
  }
}

/// Performs everything before position `end`.
void flush(Warp &w, size_t end) {
  const Inst *now = w.now;
  for (size_t n = 0; n < end; ++n) {
    const CopyAsync &c = w.copies[n];
    w.now = c.inst;
    if (c.kind == CopyAsync::Kind::copy)
      perform(w, c);
    else if (c.kind == CopyAsync::Kind::arrive)
      for (unsigned l = 0; l < kLanes; ++l)
        if (c.mask >> l & 1) {
          MbarrierRef r = locate_mbarrier(w, c.to[l], static_cast<int>(l));
          mbarrier_arrive(&w, *r.cta, r.offset, 1, 0, static_cast<int>(l));
        }
  }
  w.copies.erase(w.copies.begin(), w.copies.begin() + static_cast<ptrdiff_t>(end));
  w.now = now;
}

void copy(Exec &x, const Inst &i, uint32_t mask) {
  auto &w = static_cast<Warp &>(x);
  CopyAsync c;
  c.mask = mask;
  c.inst = &i;
  c.bytes = i.bytes;
  for (unsigned l = 0; l < kLanes; ++l) {
    if (!(mask >> l & 1))
      continue;
    c.to[l] = address_of(x, i.addr, l);
    c.from[l] = address_of(x, i.addr2, l);
    uint32_t n = i.bytes;
    if (i.flags & 1)
      n = std::min<uint32_t>(x.reg<uint32_t>(i.s[0])[l], i.bytes);
    if (i.flags & 2)
      n = x.pred(i.s[0]) >> l & 1 ? 0 : n;
    c.source_bytes[l] = static_cast<uint8_t>(n);
    if ((c.to[l] | c.from[l]) & (i.bytes - 1u))
      fault_misaligned(w, c.to[l] & (i.bytes - 1u) ? c.to[l] : c.from[l], i.bytes, "cp.async", static_cast<int>(l));
  }
  w.copies.push_back(c);
}

void commit(Exec &x, const Inst &i, uint32_t mask) {
  auto &w = static_cast<Warp &>(x);
  CopyAsync c;
  c.kind = CopyAsync::Kind::commit;
  c.mask = mask;
  c.inst = &i;
  w.copies.push_back(c);
}

void wait_group(Exec &x, const Inst &i, uint32_t mask) {
  auto &w = static_cast<Warp &>(x);
  size_t end = w.copies.size();
  uint32_t left = i.target + 1; // the newest `target` groups may stay, and what is not committed yet
  while (end > 0 && left > 0) {
    --end;
    if (w.copies[end].kind == CopyAsync::Kind::commit && (w.copies[end].mask & mask))
      --left;
  }
  if (left == 0)
    flush(w, end + 1);
}

void wait_all(Exec &x, const Inst &, uint32_t) {
  auto &w = static_cast<Warp &>(x);
  flush(w, w.copies.size());
}

/// flags: 1 .noinc
void arrive(Exec &x, const Inst &i, uint32_t mask) {
  auto &w = static_cast<Warp &>(x);
  CopyAsync c;
  c.kind = CopyAsync::Kind::arrive;
  c.mask = mask;
  c.inst = &i;
  for (unsigned l = 0; l < kLanes; ++l) {
    if (!(mask >> l & 1))
      continue;
    c.to[l] = address_of(x, i.addr, l);
    MbarrierRef r = locate_mbarrier(w, c.to[l], static_cast<int>(l));
    if (!(i.flags & 1)) { // the arrival to come is added to the pending ones
      Mbarrier m = Mbarrier::load(r.cta->shared + r.offset);
      ++m.pending;
      m.store(r.cta->shared + r.offset);
    }
  }
  w.copies.push_back(c);
  w.cluster->launch_async("cp.async.mbarrier.arrive", [&w] {
    size_t end = w.copies.size();
    while (end > 0 && w.copies[end - 1].kind != CopyAsync::Kind::arrive)
      --end;
    flush(w, end);
  });
}

} // namespace

void decode_cp_async(Decoder &d) {
  Inst i;
  if (d.take(".commit_group")) {
    i.run = &commit;
    return d.emit(i);
  }
  if (d.take(".wait_all")) {
    i.run = &wait_all;
    return d.emit(i);
  }
  if (d.take(".wait_group")) {
    i.run = &wait_group;
    i.target = static_cast<uint32_t>(d.literal(d.operand(0)));
    return d.emit(i);
  }
  std::string_view space;
  if (d.take(".mbarrier")) {
    (void)d.take(".arrive");
    i.flags = d.take(".noinc");
    (void)d.take_prefix(".shared", space);
    (void)d.take_type();
    i.run = &arrive;
    i.addr = d.address(d.operand(0));
    return d.emit(i);
  }
  d.take_cache_hints();
  (void)d.take_prefix(".shared", space);
  (void)d.take(".global");
  i.run = &copy;
  i.addr = d.address(d.operand(0));
  i.addr2 = d.address(d.operand(1));
  int64_t bytes = d.literal(d.operand(2));
  if (bytes != 4 && bytes != 8 && bytes != 16)
    d.refuse("the size must be 4, 8 or 16");
  i.bytes = static_cast<uint8_t>(bytes);
  if (d.operands() > 3) {
    const Operand &o = d.operand(3);
    if (d.is_register(o) && d.register_bytes(o) == 0) {
      i.s[0] = d.use_pred(o);
      i.flags = 2;
    } else if (d.register_bytes(o) != 8) { // 64 bits: a cache policy
      i.s[0] = d.use(o, Type::u32);
      i.flags = 1;
    }
  }
  d.emit(i);
}

void decode_cp(Decoder &d) {
  bool reduce = d.take(".reduce");
  if (!d.take(".async"))
    d.refuse("this form is not emulated");
  if (d.take(".bulk"))
    return decode_bulk(d, reduce);
  decode_cp_async(d);
}

} // namespace tegula::emulator
