// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// wgmma: issued into a warp's queue, done when it is waited for, which is the latest that PTX allows; what a program
// frees or touches too early then shows.
#include "runtime/emulator/async/fragments.h"
#include "runtime/emulator/async/tensor_map.h"
#include "runtime/emulator/lanes/registry.h"
#include "runtime/emulator/machine/access.h"
#include "runtime/emulator/ops/decoders.h"
#include "runtime/emulator/program/decoder.h"

#include <algorithm>
#include <cstring>

namespace tegula::emulator {
namespace {

struct WgmmaSite {
  unsigned n = 0, k = 0;
  Type d = Type::none, a = Type::none, b = Type::none;
  std::vector<Slot> rd, ra; // ra empty: A by descriptor
  Slot desc_a, desc_b, scale_d;
  bool negate_a = false, negate_b = false, transpose_a = false, transpose_b = false, saturate = false;
};

/// A matrix in shared memory as a descriptor tells it (PTX ISA 9.0, "Matrix Descriptor Format").
struct SharedMatrix {
  uint32_t start, lead, stride; // bytes
  unsigned mode;                // swizzle as in swizzled()
  bool mn_major;

  SharedMatrix(uint64_t desc, bool transposed)
      : start(static_cast<uint32_t>(desc & 0x3fff) << 4), lead(static_cast<uint32_t>(desc >> 16 & 0x3fff) << 4),
        stride(static_cast<uint32_t>(desc >> 32 & 0x3fff) << 4), mode(static_cast<unsigned>(desc >> 62)),
        mn_major(transposed) {
    constexpr unsigned kModes[] = {0, 3, 2, 1};
    mode = kModes[mode];
  }
  [[nodiscard]] uint32_t span() const { return 16u << mode; }
  /// The 16 bytes whose first element is (mn, k) K-major, with kb = k in bytes.
  [[nodiscard]] uint32_t k_major(unsigned mn, unsigned kb) const {
    uint32_t a = mode ? start + mn / 8 * stride + mn % 8 * span() + kb
                      : start + mn / 8 * stride + kb / 16 * lead + mn % 8 * 16 + kb % 16;
    return swizzled(a, mode) & 0x3ffff;
  }
  /// The 16 bytes of row k that begin at mb bytes of mn.
  [[nodiscard]] uint32_t mn_row(unsigned k, unsigned mb) const {
    uint32_t a = mode ? start + mb / span() * lead + k / 8 * stride + k % 8 * span() + mb % span()
                      : start + mb / 16 * stride + k / 8 * lead + k % 8 * 16 + mb % 16;
    return swizzled(a, mode) & 0x3ffff;
  }
};

/// Calls f(shared offset, first mn, first k) for every 16 bytes of `count` values of mn from `first`.
template <class F>
void each_chunk(const SharedMatrix &m, unsigned first, unsigned count, unsigned k, unsigned bytes, F f) {
  unsigned per = 16 / bytes;
  if (m.mn_major) {
    for (unsigned q = 0; q < k; ++q)
      for (unsigned c = 0; c < count; c += per)
        f(m.mn_row(q, (first + c) * bytes), c, q);
    return;
  }
  for (unsigned r = 0; r < count; ++r)
    for (unsigned q = 0; q < k; q += per)
      f(m.k_major(first + r, q * bytes), r, q);
}

const std::byte *chunk(Warp &w, uint32_t offset) {
  if (offset + 16 > w.cta->shared_bytes)
    w.fault(FindingKind::out_of_bounds, "wgmma reads shared offset " + std::to_string(offset) + " of a CTA that has " +
                                            std::to_string(w.cta->shared_bytes) + " bytes");
  return w.cta->shared + offset;
}

void read_a(Warp &w, const WgmmaSite &s, uint64_t desc, float *a) {
  SharedMatrix m(desc, s.transpose_a);
  unsigned row0 = w.index % 4 * 16;
  bool mn = m.mn_major;
  each_chunk(m, row0, 16, s.k, element_bytes(s.a), [&](uint32_t at, unsigned r, unsigned q) {
    widen(chunk(w, at), s.a, 16 / element_bytes(s.a), a + r * s.k + q, mn ? s.k : 1);
  });
}

void read_b(Warp &w, const WgmmaSite &s, uint64_t desc, float *b) {
  SharedMatrix m(desc, s.transpose_b);
  bool mn = m.mn_major;
  each_chunk(m, 0, s.n, s.k, element_bytes(s.b), [&](uint32_t at, unsigned c, unsigned q) {
    widen(chunk(w, at), s.b, 16 / element_bytes(s.b), b + q * s.n + c, mn ? 1 : s.n);
  });
}

void multiply_integer(const WgmmaSite &s, const float *a, const float *b, float *d) {
  for (unsigned r = 0; r < 16; ++r)
    for (unsigned c = 0; c < s.n; ++c) {
      int64_t sum = __builtin_bit_cast(int32_t, d[r * s.n + c]);
      for (unsigned k = 0; k < s.k; ++k)
        sum += static_cast<int64_t>(a[r * s.k + k]) * static_cast<int64_t>(b[k * s.n + c]);
      if (s.saturate)
        sum = std::clamp<int64_t>(sum, INT32_MIN, INT32_MAX);
      d[r * s.n + c] = __builtin_bit_cast(float, static_cast<int32_t>(sum));
    }
}

/// The accumulator stays unpacked from one product to the next of the same registers.
class Accumulator {
public:
  Accumulator() = default;
  ~Accumulator() { put(); }
  Accumulator(const Accumulator &) = delete;
  Accumulator &operator=(const Accumulator &) = delete;

  float *get(const WgmmaSite &s, const WgmmaOp &op) {
    // An f16 accumulator goes back to its registers after each product, which rounds it.
    bool same = site_ && s.d != Type::f16 && frame_ == op.frame && site_->n == s.n && site_->d == s.d &&
                site_->rd[0].off == s.rd[0].off;
    if (!same) {
      put();
      if (op.scale_d)
        read_d_fragment(exec(op.frame), s.rd.data(), s.n, s.d, d_, s.n);
    }
    if (!op.scale_d)
      std::memset(d_, 0, sizeof(float) * 16 * s.n);
    site_ = &s;
    frame_ = op.frame;
    return d_;
  }
  static Exec exec(const Frame *f) {
    Exec x;
    x.base[0] = f->registers;
    x.base[1] = f->constants;
    return x;
  }

private:
  void put() {
    if (site_)
      write_d_fragment(exec(frame_), site_->rd.data(), site_->n, site_->d, d_, site_->n);
    site_ = nullptr;
  }
  const WgmmaSite *site_ = nullptr;
  const Frame *frame_ = nullptr;
  alignas(64) float d_[16 * 256];
};

void perform(Warp &w, const WgmmaOp &op, Accumulator &acc) {
  const auto &s = *static_cast<const WgmmaSite *>(op.inst->extra);
  alignas(64) static thread_local float a[16 * 32], b[32 * 256];
  if (s.ra.empty())
    read_a(w, s, op.a, a);
  else
    read_a_fragment(Accumulator::exec(op.frame), s.ra.data(), static_cast<unsigned>(s.ra.size()), s.a, a, s.k);
  read_b(w, s, op.b, b);
  if (s.negate_a != s.negate_b)
    for (unsigned i = 0; i < 16 * s.k; ++i)
      a[i] = -a[i];
  float *d = acc.get(s, op);
  if (s.d == Type::s32)
    return multiply_integer(s, a, b, d);
  matrix_product()(d, s.n, a, s.k, b, s.n, 16, s.n, s.k);
}

void lock_registers(Warp &w) {
  auto &locked = w.wgmma.locked;
  locked.assign(w.frame->function->wgmma_registers.size(), 0);
  for (const WgmmaOp &op : w.wgmma.ops) {
    const auto &s = *static_cast<const WgmmaSite *>(op.inst->extra);
    for (Slot r : s.rd)
      locked[r.off >> 6] = 1;
    for (Slot r : s.ra)
      if (!(r.off & kConstantBit))
        locked[r.off >> 6] = 1;
  }
}

/// Calls f for every 16 bytes of shared memory that the warp's share of a product reads.
template <class F> void each_operand_chunk(const Warp &w, const WgmmaOp &op, F f) {
  const auto &s = *static_cast<const WgmmaSite *>(op.inst->extra);
  if (s.ra.empty())
    each_chunk(SharedMatrix(op.a, s.transpose_a), w.index % 4 * 16, 16, s.k, element_bytes(s.a), f);
  each_chunk(SharedMatrix(op.b, s.transpose_b), 0, s.n, s.k, element_bytes(s.b), f);
}

void check_operands(Warp &w, const WgmmaSite &s, const WgmmaOp &op) {
  auto &dirty = w.wgmma.dirty;
  const Function &f = *w.frame->function;
  for (const auto *list : {&s.rd, &s.ra})
    for (Slot r : *list)
      if (!(r.off & kConstantBit) && r.off >> 6 < dirty.size() && dirty[r.off >> 6]) {
        auto name = f.register_names.find(r.off);
        w.report(FindingKind::wgmma_fence,
                 "register " + (name == f.register_names.end() ? std::string("of an operand") : name->second) +
                     " of this wgmma was written after the last wgmma.fence");
        dirty.assign(dirty.size(), 0);
      }
  if (!w.cta->proxy.on())
    return;
  uint64_t fence = 0;
  for (unsigned l = 0; l < kLanes; ++l)
    fence = std::max(
        fence, w.cta->proxy.fence_of(std::min(w.thread_index(l), static_cast<uint32_t>(w.launch->block.count()) - 1)));
  bool reported = false;
  each_operand_chunk(w, op, [&](uint32_t at, unsigned, unsigned) {
    auto miss = reported ? ProxyShadow::Miss{} : w.cta->proxy.read(at, 16, fence);
    if (!miss.found)
      return;
    reported = true;
    w.report(FindingKind::proxy_fence, "wgmma reads shared offset " + std::to_string(miss.offset) + ", which thread " +
                                           std::to_string(miss.thread) + " wrote at PTX line " +
                                           std::to_string(miss.line) + " with no fence.proxy.async since");
  });
}

void issue(Exec &x, const Inst &i, uint32_t mask) {
  auto &w = static_cast<Warp &>(x);
  const auto &s = *static_cast<const WgmmaSite *>(i.extra);
  auto lane = static_cast<unsigned>(std::countr_zero(mask));
  WgmmaOp op;
  op.inst = &i;
  op.frame = w.frame;
  op.group = w.wgmma.open_group;
  if (s.ra.empty())
    op.a = x.reg<uint64_t>(s.desc_a)[lane];
  op.b = x.reg<uint64_t>(s.desc_b)[lane];
  op.scale_d = x.pred(s.scale_d) >> lane & 1;
  if (w.launch->options.checks)
    check_operands(w, s, op);
  w.wgmma.ops.push_back(op);
  if (w.launch->options.checks)
    lock_registers(w);
}

void fence(Exec &x, const Inst &, uint32_t) {
  auto &w = static_cast<Warp &>(x);
  w.wgmma.dirty.assign(w.wgmma.dirty.size(), 0);
}

void commit(Exec &x, const Inst &, uint32_t) {
  auto &w = static_cast<Warp &>(x);
  ++w.wgmma.open_group;
  // Other seeds than 0 let some groups finish early.
  if (w.launch->options.seed && w.cluster->random() % 3 == 0)
    wgmma_finish(w, static_cast<uint32_t>(w.cluster->random() % 2));
}

void wait(Exec &x, const Inst &i, uint32_t) { wgmma_finish(static_cast<Warp &>(x), i.target); }

void decode_product(Decoder &d) {
  if (d.take(".sp"))
    d.refuse("sparse wgmma is not emulated");
  (void)d.take(".sync");
  (void)d.take(".aligned");
  std::string_view shape;
  if (!d.take_prefix(".m64n", shape))
    d.refuse("it has no shape");
  size_t k_at = shape.find('k');
  WgmmaSite s;
  for (char c : shape.substr(0, k_at))
    s.n = s.n * 10 + static_cast<unsigned>(c - '0');
  for (char c : shape.substr(k_at + 1))
    s.k = s.k * 10 + static_cast<unsigned>(c - '0');
  s.saturate = d.take(".satfinite");
  s.d = d.take_type();
  s.a = d.take_type();
  s.b = d.take_type();
  bool known = s.a == Type::f16 || s.a == Type::bf16 || s.a == Type::tf32 || s.a == Type::e4m3 || s.a == Type::e5m2 ||
               s.a == Type::s8 || s.a == Type::u8;
  if (!known || s.n < 8 || s.n > 256 || s.n % 8 || s.k * element_bytes(s.a) != 32)
    d.refuse("this shape with these types is not emulated");
  s.rd = d.def_vector(d.operand(0), Type::b32);
  if (s.rd.size() != (s.d == Type::f16 ? s.n / 4 : s.n / 2))
    d.refuse("D has " + std::to_string(s.rd.size()) + " registers");
  bool in_registers = d.operand(1).kind == OperandKind::vector;
  if (in_registers) {
    s.ra = d.use_vector(d.operand(1), Type::b32);
    if (s.ra.size() != 4)
      d.refuse("A has " + std::to_string(s.ra.size()) + " registers, not 4");
  } else {
    s.desc_a = d.use(1, Type::b64);
  }
  s.desc_b = d.use(2, Type::b64);
  s.scale_d = d.use_pred(d.operand(3));
  if (s.d != Type::s32) {
    s.negate_a = d.literal(d.operand(4)) < 0;
    s.negate_b = d.literal(d.operand(5)) < 0;
  }
  bool halves = s.a == Type::f16 || s.a == Type::bf16;
  if (halves && !in_registers)
    s.transpose_a = d.literal(d.operand(6)) != 0;
  if (halves)
    s.transpose_b = d.literal(d.operand(in_registers ? 6 : 7)) != 0;
  auto &regs = d.into().wgmma_registers;
  regs.resize(std::max<size_t>(regs.size(), d.into().register_bytes / 64 + 1));
  for (const auto *list : {&s.rd, &s.ra})
    for (Slot r : *list)
      if (!(r.off & kConstantBit))
        regs[r.off >> 6] = true;
  Inst i;
  i.run = &issue;
  i.converge = Converge::aligned;
  i.extra = d.keep_extra(std::move(s));
  d.emit(i);
}

} // namespace

void wgmma_finish(Warp &w, uint32_t keep) {
  auto &ops = w.wgmma.ops;
  if (ops.empty())
    return;
  {
    Accumulator acc;
    while (!ops.empty() && ops.front().group + keep < w.wgmma.open_group) {
      perform(w, ops.front(), acc);
      ops.pop_front();
    }
  }
  if (w.launch->options.checks)
    lock_registers(w);
}

const Inst *wgmma_reader(const Warp &w, uint32_t offset, uint32_t bytes) {
  for (const WgmmaOp &op : w.wgmma.ops) {
    bool reads = false;
    each_operand_chunk(
        w, op, [&](uint32_t at, unsigned, unsigned) { reads = reads || (at < offset + bytes && offset < at + 16); });
    if (reads)
      return op.inst;
  }
  return nullptr;
}

void wgmma_watch(Warp &w, const Inst &i) {
  if (i.run == &issue)
    return;
  const Function &f = *w.frame->function;
  bool in_flight = !w.wgmma.ops.empty();
  for (unsigned n = 0; n < i.touched_count; ++n) {
    uint32_t at = i.touched[n].off >> 6;
    if (i.touched[n].off & kConstantBit || at >= f.wgmma_registers.size() || !f.wgmma_registers[at])
      continue;
    if (n < i.written_count) {
      w.wgmma.dirty.resize(f.wgmma_registers.size());
      w.wgmma.dirty[at] = 1;
    }
    if (in_flight && at < w.wgmma.locked.size() && w.wgmma.locked[at]) {
      auto name = f.register_names.find(i.touched[n].off);
      w.report(FindingKind::wgmma_register,
               "register " + (name == f.register_names.end() ? std::string("?") : name->second) + " is " +
                   (n < i.written_count ? "written" : "read") + " while a wgmma of PTX line " +
                   std::to_string(w.wgmma.ops.front().inst->line) +
                   " that owns it may still run; wgmma.wait_group is missing");
    }
  }
}

void decode_wgmma(Decoder &d) {
  Inst i;
  i.converge = Converge::aligned;
  if (d.take(".mma_async"))
    return decode_product(d);
  int op = d.take_any({".fence", ".commit_group", ".wait_group"});
  (void)d.take(".sync");
  (void)d.take(".aligned");
  if (op < 0)
    d.refuse("this form is not emulated");
  i.run = op == 0 ? &fence : op == 1 ? &commit : &wait;
  if (op == 2)
    i.target = static_cast<uint32_t>(d.literal(d.operand(0)));
  d.emit(i);
}

} // namespace tegula::emulator
