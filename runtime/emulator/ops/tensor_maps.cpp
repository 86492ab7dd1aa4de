// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// tensormap.replace and tensormap.cp_fenceproxy: tensor maps that a kernel edits.
#include "runtime/emulator/ops/tensor_maps.h"

#include "runtime/emulator/async/map_fences.h"
#include "runtime/emulator/async/tensor_map.h"
#include "runtime/emulator/machine/access.h"
#include "runtime/emulator/ops/decoders.h"
#include "runtime/emulator/ops/memory.h"
#include "runtime/emulator/program/decoder.h"

#include <cstring>

namespace tegula::emulator {
namespace {

enum class Field : uint8_t {
  global_address,
  rank,
  box_dim,
  global_dim,
  global_stride,
  element_stride,
  elemtype,
  interleave_layout,
  swizzle_mode,
  swizzle_atomicity,
  fill_mode
};

/// PTX numbers the element types in another order than the driver does.
MapType map_type(uint64_t code) {
  using T = MapType;
  constexpr T kTypes[] = {T::u8,      T::u16, T::u32,  T::s32,  T::u64,      T::s64, T::f16,       T::f32,
                          T::f32_ftz, T::f64, T::bf16, T::tf32, T::tf32_ftz, T::u4,  T::u4_padded, T::u6_padded};
  return kTypes[code];
}

MapSwizzle with_mode(MapSwizzle old, uint64_t mode) {
  if (mode == 3)
    return old >= MapSwizzle::b128 ? old : MapSwizzle::b128;
  return static_cast<MapSwizzle>(mode);
}

void put(TensorMap &m, Field f, unsigned ord, uint64_t v, unsigned stride_shift) {
  switch (f) {
  case Field::global_address: m.address = v; break;
  case Field::rank: m.rank = static_cast<uint8_t>(v + 1); break; // the operand is the rank less one
  case Field::box_dim: m.box[ord] = static_cast<uint16_t>(v); break;
  case Field::global_dim: m.last[ord] = static_cast<uint32_t>(v - 1); break;
  case Field::global_stride: m.stride[ord] = v << stride_shift; break;
  case Field::element_stride: m.step[ord] = static_cast<uint8_t>(v); break;
  case Field::elemtype: m.type = map_type(v); break;
  case Field::interleave_layout: break;
  case Field::swizzle_mode: m.swizzle = with_mode(m.swizzle, v); break;
  case Field::swizzle_atomicity:
    if (m.swizzle >= MapSwizzle::b128)
      m.swizzle = static_cast<MapSwizzle>(static_cast<uint64_t>(MapSwizzle::b128) + v);
    break;
  case Field::fill_mode: m.nan_fill = static_cast<uint8_t>(v); break;
  }
}

TensorMap load_map(Warp &w, const std::byte *at, unsigned lane) {
  TensorMap m;
  std::memcpy(&m, at, sizeof m);
  if (m.magic != TensorMap::kMagic)
    w.fault(FindingKind::descriptor, "the tensor map was not made by the emulator's cuTensorMapEncodeTiled",
            static_cast<int>(lane));
  return m;
}

/// mode: the field; vec: the dimension; target: left shift of a stride; s[0]: the value
template <class T> void replace(Exec &x, const Inst &i, uint32_t mask) {
  auto &w = static_cast<Warp &>(x);
  auto space = static_cast<Space>(i.space);
  for (unsigned l = 0; l < kLanes; ++l) {
    if (!(mask >> l & 1))
      continue;
    uint64_t a = address_of(x, i.addr, l);
    if (a & 127)
      fault_misaligned(w, a, 128, "tensor map", static_cast<int>(l));
    std::byte *at = place(w, a, sizeof(TensorMap), space, Use::write, l);
    TensorMap m = load_map(w, at, l);
    put(m, static_cast<Field>(i.mode), i.vec, x.reg<T>(i.s[0])[l], i.target);
    std::memcpy(at, &m, sizeof m);
    note_generic_write(w, a, space, sizeof m, l);
    if (space != Space::shared)
      w.launch->map_fences->changed(a, *w.cta, w.now->line, false);
  }
}

/// The whole warp copies 128 bytes from shared to global memory and releases them to the tensormap proxy.
void copy_and_fence(Exec &x, const Inst &i, uint32_t mask) {
  auto &w = static_cast<Warp &>(x);
  auto lane = static_cast<unsigned>(std::countr_zero(mask));
  uint64_t to = address_of(x, i.addr, lane), from = address_of(x, i.addr2, lane);
  if ((to | from) & 127)
    fault_misaligned(w, to & 127 ? to : from, 128, "tensor map", static_cast<int>(lane));
  std::memcpy(global_place(w, to, 128, Use::write, static_cast<int>(lane)),
              shared_place(w, from, 128, static_cast<int>(lane)).data(), 128);
  w.launch->map_fences->changed(to, *w.cta, w.now->line, true);
}

void decode_copy_and_fence(Decoder &d) {
  Inst i;
  i.run = &copy_and_fence;
  i.converge = Converge::aligned;
  (void)d.take(".global");
  (void)d.take(".shared::cta");
  if (!d.take(".tensormap::generic") || !d.take(".release"))
    d.refuse("it needs .tensormap::generic.release");
  (void)d.take_any({".cta", ".cluster", ".gpu", ".sys"});
  if (!d.take(".sync") || !d.take(".aligned"))
    d.refuse("it needs .sync.aligned");
  i.addr = d.address(d.operand(0));
  i.addr2 = d.address(d.operand(1));
  if (d.literal(d.operand(2)) != 128)
    d.refuse("the size must be 128");
  d.emit(i);
}

void check_constant(Decoder &d, Field f, int64_t v) {
  if (f == Field::elemtype && (v < 0 || v > 15))
    d.refuse("element type " + std::to_string(v) + "; 0 to 15 exist");
  if (f == Field::interleave_layout && v != 0)
    d.refuse("interleaved tensor maps are not emulated");
  if ((f == Field::swizzle_mode || f == Field::swizzle_atomicity) && (v < 0 || v > 3))
    d.refuse("value " + std::to_string(v) + "; 0 to 3 are emulated");
  if (f == Field::fill_mode && v != 0 && v != 1)
    d.refuse("value " + std::to_string(v) + "; 0 zeros, 1 NaN");
}

} // namespace

void tensor_map_release(Exec &x, const Inst &, uint32_t) {
  auto &w = static_cast<Warp &>(x);
  w.launch->map_fences->release(*w.cta);
}

void tensor_map_acquire(Exec &x, const Inst &i, uint32_t mask) {
  auto &w = static_cast<Warp &>(x);
  for (unsigned l = 0; l < kLanes; ++l)
    if (mask >> l & 1)
      w.launch->map_fences->acquire(address_of(x, i.addr, l), *w.cta);
}

void decode_tensormap(Decoder &d) {
  if (d.take(".cp_fenceproxy"))
    return decode_copy_and_fence(d);
  if (!d.take(".replace") || !d.take(".tile"))
    d.refuse("this form is not emulated");
  int f = d.take_any({".global_address", ".rank", ".box_dim", ".global_dim", ".global_stride", ".element_stride",
                      ".elemtype", ".interleave_layout", ".swizzle_mode", ".swizzle_atomicity", ".fill_mode"});
  if (f < 0)
    d.refuse("it names no field");
  auto field = static_cast<Field>(f);
  Inst i;
  i.mode = static_cast<uint8_t>(f);
  i.space = static_cast<uint8_t>(take_state_space(d, d.operand(0)));
  (void)d.take(".b1024");
  Type t = d.take_type();
  bool wide = ptx::bits_of(t) == 64;
  i.run = wide ? &replace<uint64_t> : &replace<uint32_t>;
  i.addr = d.address(d.operand(0));
  bool indexed = field >= Field::box_dim && field <= Field::element_stride;
  if (indexed) {
    int64_t ord = d.literal(d.operand(1)), most = field == Field::global_stride ? 3 : 4;
    if (ord < 0 || ord > most)
      d.refuse("dimension " + std::to_string(ord) + "; 0 to " + std::to_string(most) + " exist");
    i.vec = static_cast<uint8_t>(ord);
  }
  size_t at = indexed ? 2 : 1;
  d.expect_operands(at + 1, at + 1);
  if (field >= Field::elemtype)
    check_constant(d, field, d.literal(d.operand(at)));
  // Before PTX 8.5 a stride was given in units of 16 bytes.
  const ptx::Module &m = *d.program().source;
  bool bytes = m.version_major > 8 || (m.version_major == 8 && m.version_minor >= 5);
  i.target = field == Field::global_stride && !bytes ? 4 : 0;
  i.s[0] = d.use(at, t);
  d.emit(i);
}

} // namespace tegula::emulator
