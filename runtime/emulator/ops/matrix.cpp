// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Matrices of a warp: ldmatrix, stmatrix, movmatrix, mma.sync.
#include "runtime/emulator/async/fragments.h"
#include "runtime/emulator/lanes/registry.h"
#include "runtime/emulator/machine/access.h"
#include "runtime/emulator/ops/decoders.h"
#include "runtime/emulator/ops/memory.h"
#include "runtime/emulator/program/decoder.h"

#include <cstring>

namespace tegula::emulator {
namespace {

/// Rows of 8 halves; lane l of quarter q gives the address of row l % 8 of matrix q.
std::byte *row_place(Warp &w, const Inst &i, unsigned lane, Use use) {
  uint64_t a = address_of(w, i.addr, lane);
  if (a & 15)
    fault_misaligned(w, a, 16, "matrix row", static_cast<int>(lane));
  return place(w, a, 16, static_cast<Space>(i.space), use, lane);
}

/// flags: 1 transposed
void ldmatrix(Exec &x, const Inst &i, uint32_t) {
  auto &w = static_cast<Warp &>(x);
  uint16_t m[4][8][8];
  for (unsigned q = 0; q < i.vec; ++q)
    for (unsigned r = 0; r < 8; ++r)
      std::memcpy(m[q][r], row_place(w, i, q * 8 + r, Use::read), 16);
  for (unsigned q = 0; q < i.vec; ++q)
    for (unsigned l = 0; l < kLanes; ++l) {
      unsigned r = l / 4, c = l % 4 * 2;
      uint32_t lo = i.flags ? m[q][c][r] : m[q][r][c], hi = i.flags ? m[q][c + 1][r] : m[q][r][c + 1];
      x.reg<uint32_t>(i.list[q])[l] = lo | hi << 16;
    }
}

void stmatrix(Exec &x, const Inst &i, uint32_t) {
  auto &w = static_cast<Warp &>(x);
  for (unsigned q = 0; q < i.vec; ++q) {
    uint16_t m[8][8];
    for (unsigned l = 0; l < kLanes; ++l) {
      uint32_t v = x.reg<uint32_t>(i.list[q])[l];
      unsigned r = l / 4, c = l % 4 * 2;
      (i.flags ? m[c][r] : m[r][c]) = static_cast<uint16_t>(v);
      (i.flags ? m[c + 1][r] : m[r][c + 1]) = static_cast<uint16_t>(v >> 16);
    }
    for (unsigned r = 0; r < 8; ++r) {
      std::memcpy(row_place(w, i, q * 8 + r, Use::write), m[r], 16);
      note_generic_write(w, address_of(w, i.addr, q * 8 + r), static_cast<Space>(i.space), 16, q * 8 + r);
    }
  }
}

void movmatrix(Exec &x, const Inst &i, uint32_t) {
  uint16_t m[8][8];
  const uint32_t *a = x.reg<uint32_t>(i.s[0]);
  for (unsigned l = 0; l < kLanes; ++l) {
    m[l / 4][l % 4 * 2] = static_cast<uint16_t>(a[l]);
    m[l / 4][l % 4 * 2 + 1] = static_cast<uint16_t>(a[l] >> 16);
  }
  for (unsigned l = 0; l < kLanes; ++l)
    x.reg<uint32_t>(i.d)[l] = m[l % 4 * 2][l / 4] | uint32_t{m[l % 4 * 2 + 1][l / 4]} << 16;
}

void decode_matrix(Decoder &d, bool load) {
  (void)d.take(".sync");
  (void)d.take(".aligned");
  if (!d.take(".m8n8"))
    d.refuse("only 8 by 8 matrices of 16 bits are emulated");
  int x = d.take_any({".x1", ".x2", ".x4"});
  Inst i;
  i.vec = static_cast<uint8_t>(1 << std::max(x, 0));
  i.flags = d.take(".trans");
  const Operand &address = d.operand(load ? 1 : 0);
  i.space = static_cast<uint8_t>(take_state_space(d, address));
  if (d.take_type() != Type::b16)
    d.refuse("only 8 by 8 matrices of 16 bits are emulated");
  i.addr = d.address(address);
  std::vector<Slot> regs = load ? d.def_vector(d.operand(0), Type::b32) : d.use_vector(d.operand(1), Type::b32);
  if (regs.size() != i.vec)
    d.refuse("it has " + std::to_string(regs.size()) + " registers");
  i.list = d.keep(std::move(regs));
  i.list_count = i.vec;
  i.converge = Converge::aligned;
  i.run = load ? &ldmatrix : &stmatrix;
  d.emit(i);
}

struct MmaSite {
  unsigned k = 0;
  Type d = Type::none, a = Type::none, b = Type::none, c = Type::none;
  std::vector<Slot> rd, ra, rb, rc;
  bool saturate = false;
};

void mma(Exec &x, const Inst &i, uint32_t) {
  const auto &s = *static_cast<const MmaSite *>(i.extra);
  float a[16 * 32], b[32 * 8], d[16 * 8];
  read_a_fragment(x, s.ra.data(), static_cast<unsigned>(s.ra.size()), s.a, a, s.k);
  read_b_fragment(x, s.rb.data(), static_cast<unsigned>(s.rb.size()), s.b, b, 8);
  if (s.d == Type::s32) {
    read_d_fragment(x, s.rc.data(), 8, Type::s32, d, 8);
    for (unsigned r = 0; r < 16; ++r)
      for (unsigned c = 0; c < 8; ++c) {
        int64_t sum = __builtin_bit_cast(int32_t, d[r * 8 + c]);
        for (unsigned k = 0; k < s.k; ++k)
          sum += static_cast<int64_t>(a[r * s.k + k]) * static_cast<int64_t>(b[k * 8 + c]);
        if (s.saturate)
          sum = std::min<int64_t>(std::max<int64_t>(sum, INT32_MIN), INT32_MAX);
        d[r * 8 + c] = __builtin_bit_cast(float, static_cast<int32_t>(sum));
      }
    return write_d_fragment(x, s.rd.data(), 8, Type::s32, d, 8);
  }
  read_d_fragment(x, s.rc.data(), 8, s.c, d, 8);
  matrix_product()(d, 8, a, s.k, b, 8, 16, 8, s.k);
  write_d_fragment(x, s.rd.data(), 8, s.d, d, 8);
}

} // namespace

void decode_ldmatrix(Decoder &d) { decode_matrix(d, true); }
void decode_stmatrix(Decoder &d) { decode_matrix(d, false); }

void decode_movmatrix(Decoder &d) {
  (void)d.take(".sync");
  (void)d.take(".aligned");
  (void)d.take(".m8n8");
  (void)d.take(".trans");
  (void)d.take_type();
  Inst i;
  i.run = &movmatrix;
  i.converge = Converge::aligned;
  i.s[0] = d.use(1, Type::b32);
  i.d = d.def(0, Type::b32);
  d.emit(i);
}

void decode_mma(Decoder &d) {
  (void)d.take(".sync");
  (void)d.take(".aligned");
  MmaSite s;
  int shape = d.take_any({".m16n8k4", ".m16n8k8", ".m16n8k16", ".m16n8k32"});
  if (shape < 0)
    d.refuse("only the shapes m16n8k4, k8, k16 and k32 are emulated");
  s.k = 4u << shape;
  (void)d.take(".row");
  (void)d.take(".col");
  s.saturate = d.take(".satfinite");
  s.d = d.take_type();
  s.a = d.take_type();
  s.b = d.take_type();
  s.c = d.take_type();
  auto known = [](Type t) {
    return t == Type::f16 || t == Type::bf16 || t == Type::tf32 || t == Type::e4m3 || t == Type::e5m2 ||
           t == Type::s8 || t == Type::u8;
  };
  if (!known(s.a) || !known(s.b) || s.d != s.c || (s.d != Type::f32 && s.d != Type::f16 && s.d != Type::s32))
    d.refuse("these types are not emulated");
  unsigned bytes = element_bytes(s.a);
  s.rd = d.def_vector(d.operand(0), Type::b32);
  s.ra = d.use_vector(d.operand(1), Type::b32);
  s.rb = d.use_vector(d.operand(2), Type::b32);
  s.rc = d.use_vector(d.operand(3), Type::b32);
  size_t dn = s.d == Type::f16 ? 2 : 4;
  if (s.ra.size() != s.k * bytes / 8 || s.rb.size() != s.k * bytes / 16 || s.rd.size() != dn || s.rc.size() != dn)
    d.refuse("the fragments have the wrong number of registers");
  Inst i;
  i.run = &mma;
  i.converge = Converge::aligned;
  i.extra = d.keep_extra(std::move(s));
  d.emit(i);
}

} // namespace tegula::emulator
