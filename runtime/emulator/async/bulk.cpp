// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs bulk copies: boxes of tensors and plain ranges, with swizzle, fill, multicast and reduction. A store first reads
// shared memory and later writes global memory, so that the two waits differ.
#include "runtime/emulator/async/bulk.h"

#include "runtime/emulator/async/mbarrier.h"
#include "runtime/emulator/ops/float_format.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

namespace tegula::emulator {
namespace {

[[noreturn]] void fault(const BulkCopy &c, FindingKind kind, const std::string &message) {
  c.warp->frame = c.warp->frames.front().get();
  throw Fault{kind, message + "\n  at " + c.warp->where(c.inst, static_cast<int>(c.lane))};
}

void check_global(const BulkCopy &c, uint64_t address, uint64_t bytes, bool write) {
  GlobalMemory &m = *c.warp->launch->memory;
  if (bytes == 0 || m.valid(address, bytes))
    return;
  auto a = m.find(address);
  fault(c, a && !a->live ? FindingKind::use_after_free : FindingKind::out_of_bounds,
        std::string("bulk copy ") + (write ? "writes " : "reads ") + std::to_string(bytes) +
            " bytes of global memory, " + m.describe(a && a->live ? address + bytes - 1 : address));
}

uint32_t round_tf32(uint32_t b) { // nearest even to 10 bits, as measured on an H200
  if ((b & 0x7f800000u) == 0x7f800000u)
    return b & 0x7fffff ? 0x7fffe000u : b;
  return (b + 0xfff + (b >> 13 & 1)) & ~0x1fffu;
}

/// The bytes of one row of the box as they lie in global memory, outside elements filled.
void gather_row(const BulkCopy &c, const BoxRow &at, std::byte *row) {
  const TensorMap &m = c.map;
  int64_t lo = c.coordinate[0], hi = lo + m.box[0];
  int64_t from = std::max<int64_t>(lo, 0), to = std::min<int64_t>(hi, static_cast<int64_t>(m.extent(0)));
  if (!at.inside || from >= to)
    from = to = hi;
  if (from > lo || to < hi) {
    if (m.nan_fill)
      for (unsigned b = 0; b + 1 < m.transfer_bytes(); b += 2) {
        uint16_t nan = 0x7ff7;
        std::memcpy(row + b, &nan, 2);
      }
    else
      std::memset(row, 0, m.transfer_bytes());
  }
  if (from < to) {
    uint64_t begin = at.address + static_cast<uint64_t>(m.global_bytes(from));
    auto bytes = static_cast<uint64_t>(m.global_bytes(to - from));
    check_global(c, begin, bytes, false);
    std::memcpy(row + m.global_bytes(from - lo), reinterpret_cast<const void *>(begin), bytes);
  }
  if (m.type == MapType::tf32 || m.type == MapType::tf32_ftz)
    for (unsigned i = 0; i < m.box[0]; ++i) {
      uint32_t v;
      std::memcpy(&v, row + i * 4, 4);
      v = round_tf32(v);
      std::memcpy(row + i * 4, &v, 4);
    }
}

template <class F> void each_destination(const BulkCopy &c, F f) {
  if (!c.multicast)
    return f(*c.shared_cta);
  auto &ctas = c.warp->cluster->ctas;
  for (unsigned rank = 0; rank < 16; ++rank)
    if (c.multicast >> rank & 1) {
      if (rank >= ctas.size())
        fault(c, FindingKind::cluster_peer,
              "multicast to CTA " + std::to_string(rank) + " of a cluster of " + std::to_string(ctas.size()));
      f(*ctas[rank]);
    }
}

void check_shared(const BulkCopy &c, const Cta &cta, uint32_t offset, uint32_t bytes) {
  if (offset < kSharedReserved || offset + uint64_t{bytes} > cta.shared_bytes)
    fault(c, FindingKind::out_of_bounds,
          "bulk copy of " + std::to_string(bytes) + " bytes at shared offset " + std::to_string(offset) +
              " is outside the CTA's " + std::to_string(cta.shared_bytes));
}

/// What a product in flight reads may not be overwritten: its slot was released too early.
void check_readers(const BulkCopy &c, const Cta &cta, uint32_t bytes) {
  for (const auto &warp : cta.warps)
    if (const Inst *reader = wgmma_reader(*warp, c.shared_offset, bytes))
      fault(c, FindingKind::race,
            "bulk copy writes " + std::to_string(bytes) + " bytes at shared offset " + std::to_string(c.shared_offset) +
                ", which a wgmma of warp " + std::to_string(warp->index) + " at PTX line " +
                std::to_string(reader->line) + " may still read; release the slot after wgmma.wait_group");
}

/// Calls f(16 bytes of shared memory, bytes of the row, how many) for each 16 bytes of row r. Of a padded type, the 16
/// bytes begin with 8 or 12 of the row.
template <class F> void each_chunk(const BulkCopy &c, Cta &cta, unsigned r, std::byte *row, F f) {
  const TensorMap &m = c.map;
  uint32_t base = c.shared_offset + r * m.row_pitch();
  unsigned share = m.type == MapType::u4_padded ? 8 : m.type == MapType::u6_padded ? 12 : 16;
  for (unsigned b = 0, from = 0; b < m.row_bytes(); b += 16, from += share)
    f(cta.shared + swizzled(base + b, m.swizzle), row + from, std::min(share, m.transfer_bytes() - from), base + b);
}

void swap_halves(std::byte *chunk) { std::swap_ranges(chunk, chunk + 8, chunk + 8); }

void put_row(const BulkCopy &c, Cta &cta, unsigned r, std::byte *row) {
  constexpr int kPadding = 0xa5; // undefined on hardware
  each_chunk(c, cta, r, row, [&](std::byte *to, const std::byte *from, unsigned n, uint32_t address) {
    if (c.map.padded())
      std::memset(to, kPadding, 16);
    std::memcpy(to, from, n);
    if (c.map.swizzle == MapSwizzle::b128_atom32_flip8 && (address >> 7 & 1))
      swap_halves(to);
  });
}

void run_load(const BulkCopy &c) {
  uint32_t footprint = c.footprint();
  each_destination(c, [&](Cta &cta) {
    check_shared(c, cta, c.shared_offset, footprint);
    if (cta.live_warps == 0)
      fault(c, FindingKind::cluster_peer, "bulk copy into the shared memory of a CTA that has exited");
    if (cta.proxy.on()) {
      check_readers(c, cta, footprint);
      cta.proxy.overwritten(c.shared_offset, footprint);
    }
  });
  if (c.tensor) {
    alignas(16) std::byte row[256 * 8];
    std::vector<BoxRow> rows = box_rows(c);
    for (unsigned r = 0; r < rows.size(); ++r) {
      gather_row(c, rows[r], row);
      each_destination(c, [&](Cta &cta) { put_row(c, cta, r, row); });
    }
  } else {
    check_global(c, c.global, c.bytes, false);
    each_destination(c, [&](Cta &cta) {
      std::memcpy(cta.shared + c.shared_offset, reinterpret_cast<const void *>(c.global), c.bytes);
    });
  }
  auto bytes = static_cast<int32_t>(c.transfer_bytes());
  if (!c.multicast)
    return mbarrier_complete_tx(*c.barrier_cta, c.barrier_offset, bytes);
  // Of a pair, the CTA that has the parity of the barrier's CTA hears of both halves.
  each_destination(c, [&](Cta &cta) {
    uint32_t rank = c.pair ? (cta.rank & ~1u) | (c.barrier_cta->rank & 1) : cta.rank;
    mbarrier_complete_tx(*cta.cluster->ctas[rank], c.barrier_offset, bytes);
  });
}

ptx::Type element_type(MapType t) {
  using ptx::Type;
  constexpr Type kTypes[] = {Type::u8,  Type::u16,  Type::u32, Type::s32, Type::u64, Type::s64, Type::f16, Type::f32,
                             Type::f64, Type::bf16, Type::f32, Type::f32, Type::f32, Type::u8,  Type::u8,  Type::u8};
  return kTypes[static_cast<unsigned>(t)];
}

void write_or_reduce(const BulkCopy &c, uint64_t address, const std::byte *from, uint64_t bytes, ptx::Type type) {
  check_global(c, address, bytes, true);
  auto *to = reinterpret_cast<std::byte *>(address);
  if (c.reduction == Reduction::none) {
    std::memcpy(to, from, bytes);
    return;
  }
  unsigned e = ptx::bits_of(type) / 8;
  for (uint64_t b = 0; b + e <= bytes; b += e)
    reduce_element(to + b, from + b, c.reduction, type);
}

void store_masked(const BulkCopy &c, const std::byte *from) {
  check_global(c, c.global, c.bytes, true);
  auto *to = reinterpret_cast<std::byte *>(c.global);
  for (uint32_t b = 0; b < c.bytes; ++b)
    if (c.byte_mask >> (b % 16) & 1)
      to[b] = from[b];
}

void run_store(const BulkCopy &c, const std::vector<std::byte> &data) {
  if (!c.tensor)
    return c.byte_mask != 0xffff ? store_masked(c, data.data())
                                 : write_or_reduce(c, c.global, data.data(), c.bytes, c.type);
  const TensorMap &m = c.map;
  std::vector<BoxRow> rows = box_rows(c);
  for (unsigned r = 0; r < rows.size(); ++r) {
    int64_t begin = c.coordinate[0], bytes = m.global_bytes(static_cast<int64_t>(m.extent(0)) - begin);
    // Hardware clips the innermost dimension in steps of 16 bytes (measured on an H200).
    bytes = std::min<int64_t>((bytes + 15) / 16 * 16, m.transfer_bytes());
    if (rows[r].inside && bytes > 0)
      write_or_reduce(c, rows[r].address + static_cast<uint64_t>(m.global_bytes(begin)),
                      data.data() + size_t{r} * m.transfer_bytes(), static_cast<uint64_t>(bytes), element_type(m.type));
  }
}

std::vector<std::byte> read_shared(const BulkCopy &c) {
  std::vector<std::byte> data;
  Cta &cta = *c.shared_cta;
  if (!c.tensor) {
    data.assign(cta.shared + c.shared_offset, cta.shared + c.shared_offset + c.bytes);
    return data;
  }
  data.resize(c.transfer_bytes());
  for (unsigned r = 0; r < c.rows(); ++r)
    each_chunk(c, cta, r, &data[size_t{r} * c.map.transfer_bytes()],
               [](const std::byte *from, std::byte *to, unsigned n, uint32_t) { std::memcpy(to, from, n); });
  return data;
}

void check_tensor(const BulkCopy &c, bool store) {
  const TensorMap &m = c.map;
  if (c.shared_offset % 128)
    fault(c, FindingKind::misaligned,
          "tensor copy at shared offset " + std::to_string(c.shared_offset) + ", which is no multiple of 128");
  if (m.global_bytes(c.coordinate[0]) % 16 || (m.padded() && c.coordinate[0] % 128))
    fault(c, FindingKind::illegal_instruction,
          "tensor copy whose innermost coordinate " + std::to_string(c.coordinate[0]) + " is not at a multiple of " +
              (m.padded() ? "128 elements" : "16 bytes"));
  if (c.mode == TensorMode::rows4 && (m.rank != 2 || m.box[1] != 1))
    fault(c, FindingKind::descriptor,
          "gather4 and scatter4 need a map of rank 2 whose box has one row; it has rank " + std::to_string(m.rank) +
              " and " + std::to_string(m.box[1]) + " rows");
  if (m.im2col != (c.mode == TensorMode::im2col))
    fault(c, FindingKind::descriptor,
          m.im2col ? "the map is one of im2col, the copy is not" : "the copy is im2col, its map is not");
  if (store && (m.swizzle == MapSwizzle::b128_atom32_flip8 || m.type == MapType::u4_padded))
    fault(c, FindingKind::descriptor, "this swizzle or element type can be loaded only");
  for (unsigned d = 0; store && d < (c.mode == TensorMode::rows4 ? 5u : m.rank); ++d)
    if (c.coordinate[d] < 0)
      fault(c, FindingKind::illegal_instruction,
            "tensor store with the negative coordinate " + std::to_string(c.coordinate[d]) + " in dimension " +
                std::to_string(d));
}

void check_plain(const BulkCopy &c, uint64_t a, uint64_t b) {
  if ((a | b | c.bytes) & 15)
    fault(c, FindingKind::misaligned,
          "bulk copy of " + std::to_string(c.bytes) + " bytes: addresses and size must be multiples of 16");
}

void check_proxy(const BulkCopy &c, uint32_t footprint) {
  const Cta &cta = *c.shared_cta;
  if (!cta.proxy.on())
    return;
  auto miss = cta.proxy.read(c.shared_offset, footprint, cta.proxy.fence_of(c.warp->thread_index(c.lane)));
  if (miss.found)
    c.warp->report(FindingKind::proxy_fence,
                   "bulk copy reads shared offset " + std::to_string(miss.offset) + ", which thread " +
                       std::to_string(miss.thread) + " wrote at PTX line " + std::to_string(miss.line) +
                       " with no fence.proxy.async since",
                   static_cast<int>(c.lane));
}

} // namespace

void issue_load(BulkCopy c) {
  if (c.tensor)
    check_tensor(c, false);
  else
    check_plain(c, c.global, c.shared_offset);
  c.warp->cluster->launch_async("bulk load", [c] { run_load(c); });
}

void issue_store(BulkCopy c) {
  if (c.tensor)
    check_tensor(c, true);
  else
    check_plain(c, c.global, c.shared_offset);
  uint32_t footprint = c.footprint();
  check_shared(c, *c.shared_cta, c.shared_offset, footprint);
  check_proxy(c, footprint);
  ++c.group->unread;
  ++c.group->pending;
  c.warp->cluster->launch_async("bulk store", [c] {
    auto data = std::make_shared<std::vector<std::byte>>(read_shared(c));
    --c.group->unread;
    c.warp->cluster->launch_async("bulk store", [c, data] {
      run_store(c, *data);
      --c.group->pending;
    });
  });
}

void issue_shared(BulkCopy c) {
  check_plain(c, c.source_offset, c.shared_offset);
  check_shared(c, *c.source_cta, c.source_offset, c.bytes);
  check_shared(c, *c.shared_cta, c.shared_offset, c.bytes);
  c.warp->cluster->launch_async("bulk copy", [c] {
    const std::byte *from = c.source_cta->shared + c.source_offset;
    std::byte *to = c.shared_cta->shared + c.shared_offset;
    if (c.reduction == Reduction::none)
      std::memcpy(to, from, c.bytes);
    else
      for (unsigned e = ptx::bits_of(c.type) / 8, b = 0; b + e <= c.bytes; b += e)
        reduce_element(to + b, from + b, c.reduction, c.type);
    mbarrier_complete_tx(*c.barrier_cta, c.barrier_offset, static_cast<int32_t>(c.bytes));
  });
}

} // namespace tegula::emulator
