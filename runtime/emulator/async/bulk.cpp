// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs bulk copies: boxes of tensors and plain ranges, with swizzle, fill, multicast and reduction. A store first reads
// shared memory and later writes global memory, so that the two waits differ.
#include "runtime/emulator/async/bulk.h"

#include "runtime/emulator/async/mbarrier.h"
#include "runtime/emulator/ops/float_format.h"

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

/// Calls f(row index, global address of coordinate 0 of the row, row lies inside) for each row of the box.
template <class F> void each_row(const BulkCopy &c, F f) {
  const TensorMap &m = c.map;
  unsigned n = m.rows();
  for (unsigned r = 0; r < n; ++r) {
    unsigned rest = r;
    uint64_t address = m.address;
    bool inside = true;
    for (unsigned d = 1; d < m.rank; ++d) {
      int64_t at = int64_t{c.coordinate[d]} + int64_t{rest % m.count(d)} * m.step[d];
      rest /= m.count(d);
      inside &= at >= 0 && static_cast<uint64_t>(at) < m.extent(d);
      address += static_cast<uint64_t>(at) * m.stride[d - 1];
    }
    f(r, address, inside);
  }
}

uint32_t round_tf32(uint32_t b) { // nearest even to 10 bits, as measured on an H200
  if ((b & 0x7f800000u) == 0x7f800000u)
    return b & 0x7fffff ? 0x7fffe000u : b;
  return (b + 0xfff + (b >> 13 & 1)) & ~0x1fffu;
}

/// The bytes of one row of the box, outside elements filled.
void gather_row(const BulkCopy &c, uint64_t address, bool inside, std::byte *row) {
  const TensorMap &m = c.map;
  unsigned e = m.element_bytes();
  int64_t lo = c.coordinate[0], hi = lo + m.box[0];
  int64_t from = std::max<int64_t>(lo, 0), to = std::min<int64_t>(hi, static_cast<int64_t>(m.extent(0)));
  if (!inside || from >= to)
    from = to = hi;
  if (from > lo || to < hi) {
    if (m.nan_fill)
      for (unsigned b = 0; b + 1 < m.row_bytes(); b += 2) {
        uint16_t nan = 0x7ff7;
        std::memcpy(row + b, &nan, 2);
      }
    else
      std::memset(row, 0, m.row_bytes());
  }
  if (from < to) {
    uint64_t begin = address + static_cast<uint64_t>(from) * e, bytes = static_cast<uint64_t>(to - from) * e;
    check_global(c, begin, bytes, false);
    std::memcpy(row + static_cast<uint64_t>(from - lo) * e, reinterpret_cast<const void *>(begin), bytes);
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

void put_row(const BulkCopy &c, Cta &cta, unsigned r, const std::byte *row) {
  uint32_t base = c.shared_offset + r * c.map.row_pitch();
  unsigned bytes = c.map.row_bytes(), mode = static_cast<unsigned>(c.map.swizzle);
  for (unsigned b = 0; b < bytes; b += 16)
    std::memcpy(cta.shared + swizzled(base + b, mode), row + b, std::min(16u, bytes - b));
}

void run_load(const BulkCopy &c) {
  uint32_t footprint = c.tensor ? c.map.rows() * c.map.row_pitch() : c.bytes;
  each_destination(c, [&](Cta &cta) {
    check_shared(c, cta, c.shared_offset, footprint);
    if (cta.live_warps == 0)
      fault(c, FindingKind::cluster_peer, "bulk copy into the shared memory of a CTA that has exited");
    if (cta.proxy.on())
      cta.proxy.overwritten(c.shared_offset, footprint);
  });
  if (c.tensor) {
    alignas(16) std::byte row[256 * 8];
    each_row(c, [&](unsigned r, uint64_t address, bool inside) {
      gather_row(c, address, inside, row);
      each_destination(c, [&](Cta &cta) { put_row(c, cta, r, row); });
    });
  } else {
    check_global(c, c.global, c.bytes, false);
    each_destination(c, [&](Cta &cta) {
      std::memcpy(cta.shared + c.shared_offset, reinterpret_cast<const void *>(c.global), c.bytes);
    });
  }
  auto bytes = static_cast<int32_t>(c.tensor ? c.map.rows() * c.map.row_bytes() : c.bytes);
  if (!c.multicast)
    return mbarrier_complete_tx(*c.barrier_cta, c.barrier_offset, bytes);
  each_destination(c, [&](Cta &cta) { mbarrier_complete_tx(cta, c.barrier_offset, bytes); });
}

ptx::Type element_type(MapType t) {
  using ptx::Type;
  constexpr Type kTypes[] = {Type::u8,  Type::u16, Type::u32,  Type::s32, Type::u64, Type::s64, Type::f16,
                             Type::f32, Type::f64, Type::bf16, Type::f32, Type::f32, Type::f32};
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

void run_store(const BulkCopy &c, const std::vector<std::byte> &data) {
  if (!c.tensor) {
    write_or_reduce(c, c.global, data.data(), c.bytes, c.type);
    return;
  }
  const TensorMap &m = c.map;
  unsigned e = m.element_bytes();
  each_row(c, [&](unsigned r, uint64_t address, bool inside) {
    int64_t begin = c.coordinate[0], bytes = (static_cast<int64_t>(m.extent(0)) - begin) * e;
    // Hardware clips the innermost dimension in steps of 16 bytes (measured on an H200).
    bytes = std::min<int64_t>((bytes + 15) / 16 * 16, m.row_bytes());
    if (inside && bytes > 0)
      write_or_reduce(c, address + static_cast<uint64_t>(begin) * e, data.data() + size_t{r} * m.row_bytes(),
                      static_cast<uint64_t>(bytes), element_type(m.type));
  });
}

std::vector<std::byte> read_shared(const BulkCopy &c) {
  std::vector<std::byte> data;
  const Cta &cta = *c.shared_cta;
  if (!c.tensor) {
    data.assign(cta.shared + c.shared_offset, cta.shared + c.shared_offset + c.bytes);
    return data;
  }
  unsigned bytes = c.map.row_bytes(), rows = c.map.rows(), mode = static_cast<unsigned>(c.map.swizzle);
  data.resize(size_t{bytes} * rows);
  for (unsigned r = 0; r < rows; ++r)
    for (unsigned b = 0; b < bytes; b += 16)
      std::memcpy(&data[size_t{r} * bytes + b],
                  cta.shared + swizzled(c.shared_offset + r * c.map.row_pitch() + b, mode), std::min(16u, bytes - b));
  return data;
}

void check_tensor(const BulkCopy &c, bool store) {
  const TensorMap &m = c.map;
  if (c.shared_offset % 128)
    fault(c, FindingKind::misaligned,
          "tensor copy at shared offset " + std::to_string(c.shared_offset) + ", which is no multiple of 128");
  if (int64_t{c.coordinate[0]} * m.element_bytes() % 16)
    fault(c, FindingKind::illegal_instruction,
          "tensor copy whose innermost coordinate " + std::to_string(c.coordinate[0]) +
              " is not at a multiple of 16 bytes");
  for (unsigned d = 0; store && d < m.rank; ++d)
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
  uint32_t footprint = c.tensor ? c.map.rows() * c.map.row_pitch() : c.bytes;
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
