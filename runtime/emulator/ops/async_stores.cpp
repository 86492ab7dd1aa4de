// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// st.async and red.async, which store to shared memory of the cluster and complete on an mbarrier there; st.bulk.
#include "runtime/emulator/async/bulk.h"
#include "runtime/emulator/async/mbarrier.h"
#include "runtime/emulator/machine/access.h"
#include "runtime/emulator/ops/decoders.h"
#include "runtime/emulator/ops/memory.h"

#include <cstring>

namespace tegula::emulator {
namespace {

struct AsyncStore {
  Cta *cta = nullptr, *barrier_cta = nullptr;
  uint32_t offset = 0, barrier = 0, bytes = 0;
  Reduction reduction = Reduction::none;
  Type type = Type::none;
  std::byte value[16] = {};
};

void perform(const AsyncStore &s) {
  std::byte *to = s.cta->shared + s.offset;
  if (s.reduction == Reduction::none)
    std::memcpy(to, s.value, s.bytes);
  else
    reduce_element(to, s.value, s.reduction, s.type);
  mbarrier_complete_tx(*s.barrier_cta, s.barrier, static_cast<int32_t>(s.bytes));
}

/// addr, addr2: destination, mbarrier; list: values of `bytes` each; mode: Reduction; target: type
void issue(Exec &x, const Inst &i, uint32_t mask) {
  auto &w = static_cast<Warp &>(x);
  for (unsigned l = 0; l < kLanes; ++l) {
    if (!(mask >> l & 1))
      continue;
    auto lane = static_cast<int>(l);
    AsyncStore s;
    s.bytes = i.bytes * i.vec;
    uint64_t a = address_of(x, i.addr, l);
    if (a & (s.bytes - 1))
      fault_misaligned(w, a, s.bytes, "asynchronous store", lane);
    SharedPlace to = shared_place(w, a, s.bytes, lane);
    MbarrierRef bar = locate_mbarrier(w, address_of(x, i.addr2, l), lane);
    s.cta = to.cta;
    s.offset = to.offset;
    s.barrier_cta = bar.cta;
    s.barrier = bar.offset;
    s.reduction = static_cast<Reduction>(i.mode);
    s.type = static_cast<Type>(i.target);
    for (unsigned v = 0; v < i.vec; ++v)
      std::memcpy(s.value + v * i.bytes, x.reg<std::byte>(i.list[v]) + l * i.bytes, i.bytes);
    w.cluster->launch_async("asynchronous store", [s] { perform(s); });
  }
}

/// Zeros; s[0]: bytes.
void bulk_zeros(Exec &x, const Inst &i, uint32_t mask) {
  auto &w = static_cast<Warp &>(x);
  auto space = static_cast<Space>(i.space);
  for (unsigned l = 0; l < kLanes; ++l) {
    if (!(mask >> l & 1))
      continue;
    uint64_t a = address_of(x, i.addr, l), bytes = x.reg<uint64_t>(i.s[0])[l];
    if ((a | bytes) & 7)
      fault_misaligned(w, a & 7 ? a : bytes, 8, "st.bulk", static_cast<int>(l));
    if (bytes == 0)
      continue;
    if (bytes > UINT32_MAX)
      w.fault(FindingKind::out_of_bounds, "st.bulk of " + std::to_string(bytes) + " bytes", static_cast<int>(l));
    std::memset(place(w, a, static_cast<uint32_t>(bytes), space, Use::write, l), 0, bytes);
    note_generic_write(w, a, space, static_cast<unsigned>(bytes), l);
  }
}

} // namespace

void decode_async_store(Decoder &d, bool reduce) {
  Inst i;
  i.run = &issue;
  (void)take_order(d);
  std::string_view space;
  (void)d.take_prefix(".shared", space);
  if (!d.take(".mbarrier::complete_tx::bytes"))
    d.refuse("only the form with .mbarrier::complete_tx::bytes is emulated");
  if (reduce) {
    int op = d.take_any({".add", ".min", ".max", ".inc", ".dec", ".and", ".or", ".xor"});
    if (op < 0)
      d.refuse("it has no operation");
    i.mode = static_cast<uint8_t>(op + 1);
  }
  int v = d.take_any({".v2", ".v4"});
  Type t = d.take_type();
  i.vec = static_cast<uint8_t>(v < 0 ? 1 : 2 << v);
  i.bytes = static_cast<uint8_t>(ptx::bits_of(t) / 8);
  if ((i.bytes != 4 && i.bytes != 8) || i.bytes * i.vec > 16 || (reduce && i.vec > 1))
    d.refuse("this width is not emulated");
  i.target = static_cast<uint32_t>(t);
  d.expect_operands(3, 3);
  i.addr = d.address(d.operand(0));
  std::vector<Slot> values = d.use_vector(d.operand(1), t);
  if (values.size() != i.vec)
    d.refuse("the vector has " + std::to_string(values.size()) + " registers");
  i.list = d.keep(std::move(values));
  i.addr2 = d.address(d.operand(2));
  d.emit(i);
}

void decode_bulk_zeros(Decoder &d) {
  Inst i;
  i.run = &bulk_zeros;
  (void)d.take(".weak");
  i.space = static_cast<uint8_t>(take_state_space(d, d.operand(0)));
  d.expect_operands(3, 3);
  i.addr = d.address(d.operand(0));
  i.s[0] = d.use(1, Type::b64);
  if (d.literal(d.operand(2)) != 0)
    d.refuse("the value must be 0");
  d.emit(i);
}

} // namespace tegula::emulator
