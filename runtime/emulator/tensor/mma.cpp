// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// tcgen05.mma: decoding, and what is checked when one is issued.
#include "runtime/emulator/machine/access.h"
#include "runtime/emulator/tensor/decoders.h"
#include "runtime/emulator/tensor/matrix_descriptor.h"
#include "runtime/emulator/tensor/product.h"

namespace tegula::emulator {
namespace {

struct MmaSite {
  MmaForm form;
  Address d, a, metadata, scale_a, scale_b;
  Slot a_descriptor, b_descriptor, idesc, accumulate, zero_columns;
  bool has_zero_columns = false;
  std::vector<Slot> off_lanes;
  unsigned scale_d = 0;
};

TensorAddress tensor_address(const Warp &w, const Address &a, unsigned lane) {
  return TensorAddress::of(static_cast<uint32_t>(address_of(w, a, lane)));
}

/// The two top bits of a scale factor's address may name the byte of the word (as CUTLASS's pointers do), which the
/// instruction descriptor names too.
TensorAddress scale_address(const Warp &w, const Address &a, unsigned lane, unsigned id) {
  auto bits = static_cast<uint32_t>(address_of(w, a, lane));
  if (unsigned byte = bits >> 30; byte != 0 && byte != id)
    w.fault(FindingKind::descriptor,
            "the address of the scale factors names byte " + std::to_string(byte) +
                " of their words, the instruction descriptor byte " + std::to_string(id),
            static_cast<int>(lane));
  return TensorAddress::of(bits & 0x3fffffff);
}

TensorProduct gather(Warp &w, const Inst &inst, unsigned l) {
  const auto &s = *static_cast<const MmaSite *>(inst.extra);
  TensorProduct p;
  p.form = s.form;
  p.warp = &w;
  p.inst = &inst;
  p.lane = l;
  p.rank = rank_in_pair(w);
  p.pair = &tensor_pair(*w.cta);
  p.d = tensor_address(w, s.d, l);
  if (s.form.a_in_tensor_memory)
    p.a = tensor_address(w, s.a, l);
  else
    p.a_descriptor = w.reg<uint64_t>(s.a_descriptor)[l];
  p.b_descriptor = w.reg<uint64_t>(s.b_descriptor)[l];
  if (s.form.sparse)
    p.metadata = tensor_address(w, s.metadata, l);
  p.accumulate = w.pred(s.accumulate) >> l & 1;
  p.scale_d = s.scale_d;
  for (size_t n = 0; n < s.off_lanes.size(); ++n)
    p.off_lanes[n] = w.reg<uint32_t>(s.off_lanes[n])[l];
  if (s.has_zero_columns)
    p.zero_columns = w.reg<uint64_t>(s.zero_columns)[l];
  std::string wrong;
  p.i = InstructionDescriptor::decode(w.reg<uint32_t>(s.idesc)[l], s.form, wrong);
  if (!wrong.empty())
    w.fault(FindingKind::descriptor, "instruction descriptor: " + wrong, static_cast<int>(l));
  if (s.form.scaled()) {
    p.scale_a = scale_address(w, s.scale_a, l, p.i.scale_a_id);
    p.scale_b = scale_address(w, s.scale_b, l, p.i.scale_b_id);
  }
  return p;
}

void check_descriptor(const TensorProduct &p, uint64_t bits, TensorElement type, bool mn_major, const char *which) {
  std::string wrong = MatrixDescriptor::complaint(bits);
  bool atom32 = MatrixDescriptor(bits).swizzle == TensorSwizzle::b128_atom32;
  if (mn_major && atom32 != (type == TensorElement::tf32))
    wrong += std::string(wrong.empty() ? "" : "; ") + "an MN-major operand of " + name_of(type) +
             (atom32 ? " cannot have" : " needs") + " the 128-byte swizzle with 32-byte atoms";
  if (!wrong.empty())
    p.warp->fault(FindingKind::descriptor, std::string("descriptor of ") + which + ": " + wrong,
                  static_cast<int>(p.lane));
}

void check_lanes(const TensorProduct &p) {
  auto fault = [&](const std::string &what) {
    p.warp->fault(FindingKind::tensor_memory, what, static_cast<int>(p.lane));
  };
  bool half =
      !p.form.weight_stationary && (p.ctas() == 1 ? p.i.m == 64 : p.i.m == 128 && p.form.sparse); // 16 lanes of each 32
  if (half ? p.d.lane != 0 && p.d.lane != 16 : p.d.lane != 0)
    fault("D at lane " + std::to_string(p.d.lane) + "; this shape begins at lane 0" + (half ? " or 16" : ""));
  if (p.form.a_in_tensor_memory && p.a.lane != p.d.lane)
    fault("A at lane " + std::to_string(p.a.lane) + " of tensor memory and D at lane " + std::to_string(p.d.lane) +
          "; they must begin at the same");
  if (p.form.sparse && p.metadata.lane != p.d.lane)
    fault("sparsity metadata at lane " + std::to_string(p.metadata.lane) + " and D at lane " +
          std::to_string(p.d.lane) + "; they must begin at the same");
  if (p.form.scaled() && (p.scale_a.lane != 0 || p.scale_b.lane != 0))
    fault("scale factors must begin at lane 0");
  unsigned shift = column_shift(p), most = p.i.m == 32 ? 16 : 32;
  if (shift > most || shift > p.i.max_shift)
    fault("the zero-column mask shifts B by " + std::to_string(shift) + " columns; the instruction descriptor allows " +
          std::to_string(p.i.max_shift) + ", M " + std::to_string(p.i.m) + " allows " + std::to_string(most));
}

/// Calls f(CTA of the pair, cells, whether they are written, what they are).
template <class F> void each_range(const TensorProduct &p, F f) {
  for (const TensorTile &t : result_tiles(p))
    f(t.at.rank, TensorRange{t.at.lane, t.at.rows, t.column, t.columns}, true, "tcgen05.mma writes");
  if (p.form.a_in_tensor_memory)
    for (const TensorRows &r : operand_rows(p, p.a))
      f(r.rank, TensorRange{r.lane, r.rows, p.a.column, p.stored_k() / elements_in_16_bytes(p.i.a) * 4}, false,
        "tcgen05.mma reads A from");
  if (p.form.sparse)
    for (const TensorRows &r : operand_rows(p, p.metadata))
      f(r.rank, TensorRange{r.lane, r.rows, p.metadata.column + p.i.sparsity_selector, metadata_columns(p)}, false,
        "tcgen05.mma reads its metadata from");
  for (unsigned r = 0; r < p.ctas() && p.form.scaled(); ++r)
    for (bool of_a : {true, false})
      f(p.first_rank() + r, scale_range(p, of_a), false, "tcgen05.mma reads scale factors from");
}

void issue_lane(Warp &w, const Inst &inst, unsigned l) {
  TensorProduct p = gather(w, inst, l);
  auto lane = static_cast<int>(l);
  if (p.ctas() == 2)
    need_peer(w, *p.pair, "tcgen05.mma", lane);
  if (!p.form.a_in_tensor_memory)
    check_descriptor(p, p.a_descriptor, p.i.a, p.i.mn_major_a, "A");
  check_descriptor(p, p.b_descriptor, p.i.b, p.i.mn_major_b, "B");
  check_lanes(p);
  each_range(p, [&](unsigned rank, const TensorRange &r, bool, const char *what) {
    need_allocated(w, *p.pair, rank, r, what, lane);
  });
  if (w.launch->options.checks) {
    uint64_t accumulator = uint64_t{p.d.lane} << 48 | uint64_t{p.d.column} << 32 | p.i.m << 16 | p.i.n;
    uint32_t id = p.pair->order.begin(w, l, TensorKind::mma, accumulator);
    each_range(p, [&](unsigned rank, const TensorRange &r, bool written, const char *) {
      if (!written)
        p.pair->order.reads(w, id, rank, r);
    });
    each_range(p, [&](unsigned rank, const TensorRange &r, bool written, const char *) {
      if (written)
        p.pair->order.writes(w, id, rank, r);
    });
    check_shared_proxy(p);
  }
  p.pair->submit(*w.cluster, "tcgen05.mma", [p] { run_product(p); });
}

void issue(Exec &x, const Inst &i, uint32_t mask) {
  need_one_thread(static_cast<Warp &>(x), mask, "tcgen05.mma");
  for (unsigned l = 0; l < kLanes; ++l)
    if (mask >> l & 1)
      issue_lane(static_cast<Warp &>(x), i, l);
}

MmaKind take_kind(Decoder &d) {
  int k = d.take_any(
      {".kind::f16", ".kind::tf32", ".kind::f8f6f4", ".kind::i8", ".kind::mxf8f6f4", ".kind::mxf4", ".kind::mxf4nvf4"});
  if (k < 0)
    d.refuse("it has no kind that is emulated");
  return static_cast<MmaKind>(k);
}

unsigned take_scales(Decoder &d, MmaKind kind) {
  if (!d.take(".block_scale"))
    d.refuse("the kind needs .block_scale");
  int v = d.take_any({".scale_vec::1X", ".scale_vec::2X", ".scale_vec::4X", ".block32", ".block16"});
  if (v < 0) {
    if (kind == MmaKind::mxf4nvf4)
      d.refuse("the kind needs .block16 or .block32");
    v = 3;
  }
  unsigned block32 = kind == MmaKind::mxf8f6f4 ? 1 : 2;
  unsigned scales = v < 3 ? 1u << v : v == 3 ? block32 : 4;
  bool known = kind == MmaKind::mxf8f6f4 ? scales == 1 : kind == MmaKind::mxf4 ? scales == 2 : scales != 1;
  if (!known)
    d.refuse("the kind has no such size of scale blocks");
  return scales;
}

/// .collector only hints; what it may not stand with is refused.
void take_collector(Decoder &d, bool weight_stationary) {
  std::string_view rest;
  if (!d.take_prefix(".collector::", rest))
    return;
  size_t at = rest.find("::");
  std::string_view buffer = rest.substr(0, at), op = at == std::string_view::npos ? "" : rest.substr(at + 2);
  bool known_buffer = weight_stationary ? buffer.size() == 2 && buffer[0] == 'b' && buffer[1] >= '0' && buffer[1] <= '3'
                                        : buffer == "a";
  if (!known_buffer || (op != "fill" && op != "use" && op != "lastuse" && op != "discard"))
    d.refuse("this use of the collector buffer does not exist");
}

MmaForm take_form(Decoder &d) {
  MmaForm f;
  f.weight_stationary = d.take(".ws");
  f.sparse = d.take(".sp");
  f.cta_group = take_cta_group(d);
  f.kind = take_kind(d);
  if (d.take(".ashift"))
    d.refuse("'.ashift' is not emulated: the direction of its shift is not documented");
  take_collector(d, f.weight_stationary);
  if (f.scaled())
    f.scales = take_scales(d, f.kind);
  if (f.weight_stationary && (f.scaled() || f.cta_group == 2))
    d.refuse("'.ws' has .cta_group::1 and no block scaling");
  return f;
}

/// What follows the instruction descriptor: lanes to leave alone, enable-input-d, and scale-input-d or the column mask.
void decode_tail(Decoder &d, MmaSite &s, size_t at) {
  const MmaForm &f = s.form;
  if (d.operand(at).kind == OperandKind::vector) {
    s.off_lanes = d.use_vector(d.operand(at++), Type::b32);
    if (f.weight_stationary || f.scaled() || s.off_lanes.size() != f.cta_group * 4)
      d.refuse("disable-output-lane has " + std::to_string(s.off_lanes.size()) +
               " registers; 4 with .cta_group::1, 8 with .cta_group::2, none with .ws or block scaling");
  }
  s.accumulate = d.use_pred(d.operand(at++));
  if (at == d.operands())
    return;
  if (f.weight_stationary) {
    s.zero_columns = d.use(at++, Type::b64);
    s.has_zero_columns = true;
  } else {
    int64_t v = d.literal(d.operand(at++));
    if (v < 0 || v > 15 || (f.kind != MmaKind::f16 && f.kind != MmaKind::tf32))
      d.refuse("scale-input-d must be 0 to 15, with .kind::f16 or .kind::tf32");
    s.scale_d = static_cast<unsigned>(v);
  }
  d.expect_operands(at, at);
}

} // namespace

void decode_tensor_mma(Decoder &d) {
  (void)d.take(".mma");
  MmaSite s;
  s.form = take_form(d);
  size_t at = 0;
  s.d = d.address(d.operand(at++));
  const Operand &a = d.operand(at++);
  s.form.a_in_tensor_memory = a.kind == OperandKind::address;
  if (s.form.a_in_tensor_memory)
    s.a = d.address(a);
  else
    s.a_descriptor = d.use(a, Type::b64);
  s.b_descriptor = d.use(at++, Type::b64);
  if (s.form.sparse)
    s.metadata = d.address(d.operand(at++));
  s.idesc = d.use(at++, Type::b32);
  if (s.form.scaled()) {
    s.scale_a = d.address(d.operand(at++));
    s.scale_b = d.address(d.operand(at++));
  }
  decode_tail(d, s, at);
  Inst i;
  i.run = &issue;
  i.extra = d.keep_extra(std::move(s));
  d.emit(i);
}

} // namespace tegula::emulator
