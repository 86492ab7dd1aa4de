// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads what a product multiplies: A from shared or tensor memory, B from shared memory, metadata and scale factors.
#include "runtime/emulator/ops/float_format.h"
#include "runtime/emulator/tensor/matrix_descriptor.h"
#include "runtime/emulator/tensor/product.h"

#include <bit>
#include <cmath>
#include <cstring>

namespace tegula::emulator {
namespace {

constexpr unsigned kChunk = 16;

const std::byte *chunk(const TensorProduct &p, unsigned rank, uint32_t offset) {
  const Cta &cta = *p.pair->cta[rank];
  if (offset + kChunk > cta.shared_bytes)
    p.fault(FindingKind::out_of_bounds, "tcgen05.mma reads shared offset " + std::to_string(offset) +
                                            " of a CTA that has " + std::to_string(cta.shared_bytes) + " bytes");
  return cta.shared + offset;
}

/// Rows first.. of an operand in shared memory of one CTA, `k` elements each; element (row, q) goes to
/// to[row * row_step + q * k_step].
struct SharedOperand {
  MatrixDescriptor at;
  bool mn_major;
  TensorElement type;
  unsigned rank, first, rows, k;

  /// Calls f(shared offset) for each 16 bytes.
  template <class F> void each_chunk(F f) const {
    unsigned per = elements_in_16_bytes(type);
    for (unsigned q = 0; q < k; q += mn_major ? 1 : per)
      for (unsigned r = 0; r < rows; r += mn_major ? per : 1)
        f(mn_major ? at.mn_major(q, (first + r) / per * kChunk) : at.k_major(first + r, q / per * kChunk));
  }

  void read(const TensorProduct &p, float *to, size_t row_step, size_t k_step) const {
    unsigned per = elements_in_16_bytes(type);
    float v[32];
    if (mn_major) {
      for (unsigned q = 0; q < k; ++q)
        for (unsigned r = 0; r < rows; ++r) {
          unsigned mn = first + r;
          if (r == 0 || mn % per == 0)
            unpack_shared(chunk(p, rank, at.mn_major(q, mn / per * kChunk)), type, v);
          to[r * row_step + q * k_step] = v[mn % per];
        }
      return;
    }
    if (at.swizzle != TensorSwizzle::none && k / per * kChunk > at.span())
      p.fault(FindingKind::descriptor, "a K step of " + std::to_string(k / per * kChunk) +
                                           " bytes is wider than the swizzle's " + std::to_string(at.span()));
    for (unsigned r = 0; r < rows; ++r)
      for (unsigned q = 0; q < k; q += per) {
        unpack_shared(chunk(p, rank, at.k_major(first + r, q / per * kChunk)), type, v);
        for (unsigned e = 0; e < per; ++e)
          to[r * row_step + (q + e) * k_step] = v[e];
      }
  }
};

void need_copy_equal(const TensorProduct &p, TensorMemory &m, const TensorRows &r, unsigned column, unsigned columns,
                     const char *what) {
  if (!r.copy)
    return;
  for (unsigned l = 0; l < r.rows; ++l)
    if (std::memcmp(m.lane(l) + column, m.lane(r.lane + l) + column, columns * 4) != 0)
      return p.report(FindingKind::tensor_memory, std::string(what) + " differs between lane " + std::to_string(l) +
                                                      " and its copy in lane " + std::to_string(r.lane + l) +
                                                      "; both halves of the tensor core read their own");
}

void need_written(const TensorProduct &p, const TensorMemory &m, const TensorRange &r, const char *what) {
  TensorAddress at;
  if (m.first_unwritten(r, at))
    p.report(FindingKind::tensor_memory, std::string("tcgen05.mma reads ") + what + " from lane " +
                                             std::to_string(at.lane) + ", column " + std::to_string(at.column) +
                                             " of tensor memory, which nothing has written");
}

SharedOperand shared_a(const TensorProduct &p, unsigned cta) {
  return {
      MatrixDescriptor(p.a_descriptor), p.i.mn_major_a, p.i.a, p.first_rank() + cta, 0, p.i.m / p.ctas(), p.stored_k()};
}
SharedOperand shared_b(const TensorProduct &p, unsigned cta) {
  return {MatrixDescriptor(p.b_descriptor),
          p.i.mn_major_b,
          p.i.b,
          p.first_rank() + cta,
          column_shift(p),
          p.i.n / p.ctas(),
          p.i.k};
}

void read_a_from_tensor_memory(const TensorProduct &p, float *stored) {
  unsigned per = elements_in_16_bytes(p.i.a), k = p.stored_k(), columns = k / per * 4;
  for (const TensorRows &r : operand_rows(p, p.a)) {
    TensorMemory &m = p.pair->memory[r.rank];
    need_written(p, m, {r.lane, r.rows, p.a.column, columns}, "A");
    need_copy_equal(p, m, r, p.a.column, columns, "A in tensor memory");
    if (r.copy)
      continue;
    float v[32];
    for (unsigned l = 0; l < r.rows; ++l)
      for (unsigned q = 0; q < k; q += per) {
        unpack_tensor(reinterpret_cast<const std::byte *>(m.lane(r.lane + l) + p.a.column + q / per * 4), p.i.a, v);
        std::copy(v, v + per, stored + size_t{r.row + l} * k + q);
      }
  }
}

void read_stored_a(const TensorProduct &p, float *stored) {
  if (p.form.a_in_tensor_memory)
    return read_a_from_tensor_memory(p, stored);
  unsigned rows = p.i.m / p.ctas(), k = p.stored_k();
  for (unsigned r = 0; r < p.ctas(); ++r)
    shared_a(p, r).read(p, stored + size_t{r} * rows * k, k, 1);
}

/// The 32 or 64 bits that belong to each row. With 32, the row's halves lie in lanes 8 apart and share their words with
/// the row 8 further on.
std::vector<uint64_t> read_metadata(const TensorProduct &p) {
  std::vector<uint64_t> bits(p.i.m);
  unsigned columns = metadata_columns(p), column = p.metadata.column + p.i.sparsity_selector;
  for (const TensorRows &r : operand_rows(p, p.metadata)) {
    TensorMemory &m = p.pair->memory[r.rank];
    need_written(p, m, {r.lane, r.rows, column, columns}, "the sparsity metadata");
    need_copy_equal(p, m, r, column, columns, "the sparsity metadata");
    for (unsigned l = 0; l < r.rows && !r.copy; ++l) {
      if (columns == 2) {
        const uint32_t *w = m.lane(r.lane + l) + column;
        bits[r.row + l] = w[0] | uint64_t{w[1]} << 32;
        continue;
      }
      unsigned lane = r.lane + l / 16 * 16 + l % 8, shift = l / 8 % 2 * 16;
      bits[r.row + l] = (m.lane(lane)[column] >> shift & 0xffff) | (m.lane(lane + 8)[column] >> shift & 0xffff) << 16;
    }
  }
  return bits;
}

float scale_value(unsigned bits, bool ue8m0) {
  if (ue8m0)
    return bits == 0xff ? std::nanf("") : std::ldexp(1.0f, static_cast<int>(bits) - 127);
  return static_cast<float>(decode(bits & 0x7f, kE4m3));
}

} // namespace

void check_shared_proxy(const TensorProduct &p) {
  for (unsigned cta = 0; cta < p.ctas(); ++cta) {
    for (int operand = p.form.a_in_tensor_memory ? 1 : 0; operand < 2; ++operand) {
      SharedOperand o = operand ? shared_b(p, cta) : shared_a(p, cta);
      o.each_chunk([&](uint32_t at) { check_async_read(*p.warp, p.lane, *p.pair->cta[o.rank], at, kChunk); });
    }
  }
}

void expand_sparse(const TensorProduct &p, const float *stored, float *a) {
  std::vector<uint64_t> bits = read_metadata(p);
  bool tf32 = p.form.kind == MmaKind::tf32, pairs = p.i.a == TensorElement::e2m1_packed;
  unsigned chunk = pairs ? 8 : tf32 ? 2 : 4, half = chunk / 2; // elements that 4 bits of metadata tell about
  std::memset(a, 0, sizeof(float) * p.i.m * p.i.k);
  for (unsigned r = 0; r < p.i.m; ++r)
    for (unsigned c = 0; c < p.i.k / chunk; ++c) {
      unsigned code = bits[r] >> (4 * c) & 15, lo = code & 3, hi = code >> 2;
      if (lo >= hi || (tf32 && code != 0b0100 && code != 0b1110))
        return p.report(FindingKind::descriptor, "sparsity metadata " + std::to_string(code) + " of row " +
                                                     std::to_string(r) + ", chunk " + std::to_string(c) +
                                                     "; the second index must be above the first" +
                                                     (tf32 ? ", and tf32 has 4 and 14 only" : ""));
      const float *from = stored + size_t{r} * p.stored_k() + c * half;
      float *to = a + size_t{r} * p.i.k + c * chunk;
      if (tf32)
        to[lo / 2] = from[0];
      else
        for (unsigned e = 0; e < half; ++e)
          to[pairs ? (e < 2 ? lo : hi) * 2 + e % 2 : e == 0 ? lo : hi] = from[e];
    }
}

void read_operand_a(const TensorProduct &p, float *a) {
  if (!p.form.sparse) {
    read_stored_a(p, a);
  } else {
    std::vector<float> stored(size_t{p.i.m} * p.stored_k());
    read_stored_a(p, stored.data());
    expand_sparse(p, stored.data(), a);
  }
  if (p.i.negate_a != p.i.negate_b)
    for (size_t n = 0; n < size_t{p.i.m} * p.i.k; ++n)
      a[n] = -a[n];
}

void read_operand_b(const TensorProduct &p, float *b) {
  unsigned columns = p.i.n / p.ctas();
  for (unsigned r = 0; r < p.ctas(); ++r)
    shared_b(p, r).read(p, b + size_t{r} * columns, 1, p.i.n);
  for (unsigned n = 0; n < p.i.n; ++n)
    for (unsigned q = 0; q < p.i.k && is_zero_column(p, n); ++q)
      b[size_t{q} * p.i.n + n] = 0;
}

void read_scales(const TensorProduct &p, bool of_a, float *scales) {
  bool halves = !of_a && p.ctas() == 2 && p.i.m == 128;
  unsigned rows = of_a ? p.i.m / p.ctas() : halves ? p.i.n / 2 : p.i.n;
  unsigned id = of_a ? p.i.scale_a_id : p.i.scale_b_id, column = (of_a ? p.scale_a : p.scale_b).column;
  const char *what = of_a ? "scale factors of A" : "scale factors of B";
  for (unsigned cta = 0; cta < p.ctas(); ++cta)
    for (unsigned quarter = 0; quarter < 4; ++quarter) { // each reads its own copy
      TensorMemory &m = p.pair->memory[p.first_rank() + cta];
      unsigned offset = of_a ? cta * rows : halves ? quarter / 2 * rows : 0;
      for (unsigned r = 0; r < rows; ++r) {
        unsigned lane = 32 * quarter + r % 32, at = column + r / 32;
        if (!m.written(lane, at))
          return need_written(p, m, {lane, 1, at, 1}, what);
        for (unsigned s = 0; s < p.form.scales; ++s) {
          float v = scale_value(m.lane(lane)[at] >> (8 * (id + s)) & 0xff, p.i.scale_ue8m0);
          float &to = scales[size_t{offset + r} * p.form.scales + s];
          bool first = of_a ? quarter == 0 : halves ? cta == 0 && quarter % 2 == 0 : cta == 0 && quarter == 0;
          if (!first && std::bit_cast<uint32_t>(v) != std::bit_cast<uint32_t>(to))
            return p.report(FindingKind::tensor_memory,
                            std::string("the ") + what + " differ in lane " + std::to_string(lane) + ", column " +
                                std::to_string(at) + " of CTA " + std::to_string(cta) +
                                " of the pair from those that another quarter of the tensor core reads: each quarter "
                                "needs its copy");
          to = v;
        }
      }
    }
}

} // namespace tegula::emulator
