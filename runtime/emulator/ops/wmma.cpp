// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// wmma.load, .mma and .store. PTX leaves open which lane holds which element of a fragment: here element e, counted by
// rows, is value e / 32 of lane e % 32, and values beyond the matrix are not used.
#include "runtime/emulator/async/fragments.h"
#include "runtime/emulator/lanes/real.h"
#include "runtime/emulator/machine/access.h"
#include "runtime/emulator/ops/decoders.h"
#include "runtime/emulator/ops/memory.h"
#include "runtime/emulator/program/decoder.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace tegula::emulator {
namespace {

struct Fragment {
  std::vector<Slot> regs;
  unsigned rows = 0, columns = 0, bytes = 0; // of one element
  unsigned reg_bytes = 4;

  [[nodiscard]] std::byte *at(Exec &x, unsigned r, unsigned c) const {
    unsigned e = r * columns + c, value = e / kLanes, per = reg_bytes / bytes;
    return x.reg<std::byte>(regs[value / per]) + e % kLanes * reg_bytes + value % per * bytes;
  }
};

struct WmmaMove {
  Fragment f;
  bool by_rows = true, has_stride = false;
};

struct WmmaProduct {
  Fragment d, a, b, c;
  Type td, ta, tb, tc;
  bool saturate = false;
};

struct Shape {
  unsigned m, n, k;
};

/// One element at a time, each through the lane that holds it; flags: 1 a store.
void move_matrix(Exec &x, const Inst &i, uint32_t) {
  auto &w = static_cast<Warp &>(x);
  const auto &s = *static_cast<const WmmaMove *>(i.extra);
  auto space = static_cast<Space>(i.space);
  for (unsigned r = 0; r < s.f.rows; ++r)
    for (unsigned c = 0; c < s.f.columns; ++c) {
      unsigned lane = (r * s.f.columns + c) % kLanes;
      uint64_t stride = s.has_stride ? x.reg<uint32_t>(i.s[0])[lane] : s.by_rows ? s.f.columns : s.f.rows;
      uint64_t address = address_of(w, i.addr, lane) + (s.by_rows ? r * stride + c : c * stride + r) * s.f.bytes;
      if (address % s.f.bytes)
        fault_misaligned(w, address, s.f.bytes, "matrix element", static_cast<int>(lane));
      std::byte *memory = place(w, address, s.f.bytes, space, i.flags ? Use::write : Use::read, lane);
      if (i.flags) {
        std::memcpy(memory, s.f.at(x, r, c), s.f.bytes);
        note_generic_write(w, address, space, s.f.bytes, lane);
      } else {
        std::memcpy(s.f.at(x, r, c), memory, s.f.bytes);
      }
    }
}

template <class T> T get(const std::byte *at) {
  T v;
  std::memcpy(&v, at, sizeof v);
  return v;
}
template <class T> void put(std::byte *at, T v) { std::memcpy(at, &v, sizeof v); }

int32_t dot_integers(Exec &x, const WmmaProduct &s, unsigned r, unsigned c) {
  int64_t sum = get<int32_t>(s.c.at(x, r, c));
  for (unsigned k = 0; k < s.a.columns; ++k)
    sum += static_cast<int64_t>(element_value(s.a.at(x, r, k), s.ta)) *
           static_cast<int64_t>(element_value(s.b.at(x, k, c), s.tb));
  return static_cast<int32_t>(s.saturate ? std::clamp<int64_t>(sum, INT32_MIN, INT32_MAX) : sum);
}
double dot_doubles(Exec &x, const WmmaProduct &s, unsigned r, unsigned c) {
  double sum = get<double>(s.c.at(x, r, c));
  for (unsigned k = 0; k < s.a.columns; ++k)
    sum = std::fma(get<double>(s.a.at(x, r, k)), get<double>(s.b.at(x, k, c)), sum);
  return sum;
}
float dot_floats(Exec &x, const WmmaProduct &s, unsigned r, unsigned c) {
  const std::byte *from = s.c.at(x, r, c);
  float sum = s.tc == Type::f16 ? element_value(from, Type::f16) : get<float>(from);
  for (unsigned k = 0; k < s.a.columns; ++k)
    sum += element_value(s.a.at(x, r, k), s.ta) * element_value(s.b.at(x, k, c), s.tb);
  return lanes_base::canonical(sum);
}

void multiply(Exec &x, const Inst &i, uint32_t) {
  const auto &s = *static_cast<const WmmaProduct *>(i.extra);
  std::vector<double> sums; // D may be A's, B's or C's registers
  for (unsigned r = 0; r < s.d.rows; ++r)
    for (unsigned c = 0; c < s.d.columns; ++c)
      sums.push_back(s.td == Type::s32   ? dot_integers(x, s, r, c)
                     : s.td == Type::f64 ? dot_doubles(x, s, r, c)
                                         : double{dot_floats(x, s, r, c)});
  for (unsigned r = 0, n = 0; r < s.d.rows; ++r)
    for (unsigned c = 0; c < s.d.columns; ++c, ++n) {
      std::byte *to = s.d.at(x, r, c);
      switch (s.td) {
      case Type::s32: put(to, static_cast<int32_t>(sums[n])); break;
      case Type::f64: put(to, sums[n]); break;
      case Type::f16: put(to, lanes_base::to_f16(static_cast<float>(sums[n]))); break;
      default: put(to, lanes_base::canonical(static_cast<float>(sums[n])));
      }
    }
}

Shape take_shape(Decoder &d) {
  static constexpr Shape kShapes[] = {{16, 16, 16}, {32, 8, 16}, {8, 32, 16}, {16, 16, 8}, {8, 8, 4}};
  int n = d.take_any({".m16n16k16", ".m32n8k16", ".m8n32k16", ".m16n16k8", ".m8n8k4"});
  if (n < 0)
    d.refuse("only m16n16k16, m32n8k16, m8n32k16, m16n16k8 and m8n8k4 are emulated");
  return kShapes[n];
}

Fragment fragment(Decoder &d, const Operand &o, Type t, unsigned rows, unsigned columns, bool written) {
  switch (t) {
  case Type::f16:
  case Type::bf16:
  case Type::tf32:
  case Type::f32:
  case Type::s32:
  case Type::f64:
  case Type::s8:
  case Type::u8: break;
  default: d.refuse("this type is not emulated here");
  }
  Fragment f;
  f.rows = rows;
  f.columns = columns;
  f.bytes = element_bytes(t);
  f.reg_bytes = t == Type::f64 ? 8 : 4;
  Type reg = t == Type::f64 ? Type::b64 : Type::b32;
  f.regs = written ? d.def_vector(o, reg) : d.use_vector(o, reg);
  if (f.regs.size() * (f.reg_bytes / f.bytes) * kLanes < rows * columns)
    d.refuse("a fragment of " + std::to_string(f.regs.size()) + " registers is too small for its matrix");
  return f;
}

void decode_move(Decoder &d, bool store) {
  int which = store ? 2 : d.take_any({".a", ".b", ".c"});
  if (store)
    (void)d.take(".d");
  WmmaMove s;
  s.by_rows = d.take_any({".row", ".col"}) != 1;
  Shape shape = take_shape(d);
  d.expect_operands(2, 3);
  const Operand &address = d.operand(store ? 0 : 1);
  Inst i;
  i.space = static_cast<uint8_t>(take_state_space(d, address));
  Type t = d.take_type();
  s.f =
      fragment(d, d.operand(store ? 1 : 0), t, which == 1 ? shape.k : shape.m, which == 0 ? shape.k : shape.n, !store);
  s.has_stride = d.operands() == 3;
  if (s.has_stride)
    i.s[0] = d.use(2, Type::u32);
  i.addr = d.address(address);
  i.run = &move_matrix;
  i.flags = store;
  i.converge = Converge::aligned;
  i.extra = d.keep_extra(std::move(s));
  d.emit(i);
}

void decode_product(Decoder &d) {
  for (int n = 0; n < 2; ++n)
    (void)d.take_any({".row", ".col"});
  Shape shape = take_shape(d);
  WmmaProduct s;
  (void)d.take(".rn");
  s.saturate = d.take(".satfinite");
  s.td = d.take_type();
  s.ta = d.take_type();
  s.tb = d.take_type();
  s.tc = d.take_type();
  if (s.tb == Type::none) { // two types: those of D and C, with halves multiplied
    s.tc = s.ta;
    s.ta = s.tb = Type::f16;
  }
  bool whole = s.td == Type::s32 || s.td == Type::f64;
  auto is_byte = [](Type t) { return t == Type::s8 || t == Type::u8; };
  bool fits = s.td == Type::s32   ? is_byte(s.ta) && is_byte(s.tb)
              : s.td == Type::f64 ? s.ta == Type::f64 && s.tb == Type::f64
                                  : s.ta == s.tb && (s.ta == Type::f16 || s.ta == Type::bf16 || s.ta == Type::tf32);
  if (!fits || (whole && s.tc != s.td) || (!whole && s.tc != Type::f16 && s.tc != Type::f32) ||
      (!whole && s.td != Type::f16 && s.td != Type::f32))
    d.refuse("these types are not emulated");
  d.expect_operands(4, 4);
  s.a = fragment(d, d.operand(1), s.ta, shape.m, shape.k, false);
  s.b = fragment(d, d.operand(2), s.tb, shape.k, shape.n, false);
  s.c = fragment(d, d.operand(3), s.tc, shape.m, shape.n, false);
  s.d = fragment(d, d.operand(0), s.td, shape.m, shape.n, true);
  Inst i;
  i.run = &multiply;
  i.converge = Converge::aligned;
  i.extra = d.keep_extra(std::move(s));
  d.emit(i);
}

} // namespace

void decode_wmma(Decoder &d) {
  int what = d.take_any({".load", ".store", ".mma"});
  (void)d.take(".sync");
  (void)d.take(".aligned");
  if (what < 0)
    d.refuse("it needs .load, .store or .mma");
  if (what == 2)
    return decode_product(d);
  decode_move(d, what == 1);
}

} // namespace tegula::emulator
