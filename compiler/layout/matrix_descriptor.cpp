// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads wgmma and tcgen05 descriptors off shared-memory layouts: the table of the header, one line of code a row.
#include "compiler/layout/matrix_descriptor.h"

namespace tegula::layout {
namespace {

constexpr int64_t kMaxOffset = (int64_t{1} << 18) - 16; // 14 bits of 16-byte units

uint64_t mode_bits(Swizzle swizzle) {
  switch (swizzle) {
  case Swizzle::b128: return 1;
  case Swizzle::b64: return 2;
  case Swizzle::b32: return 3;
  case Swizzle::none: break;
  }
  return 0;
}

std::string bytes(int64_t count) { return std::to_string(count) + " bytes"; }

std::optional<std::string> operand_problem(const SharedLayout &layout, int k_dim, MatrixUnit unit) {
  if (auto problem = layout.problem())
    return problem;
  if (layout.rank() != 2 || k_dim < 0 || k_dim > 1)
    return "a matrix operand has rank 2, this tile has rank " + std::to_string(layout.rank());
  if (layout.swizzle == Swizzle::none && (layout.panel_bytes != 16 || layout.padding_bytes != 0))
    return "unswizzled rows of " + bytes(layout.pitch_bytes()) + " are not core matrices, whose rows are 16 bytes; " +
           "swizzle the tile or lay it out in panels of 16 bytes";
  if (layout.element_bytes > 4)
    return "elements of " + bytes(layout.element_bytes) + " are wider than any operand's 4";
  const int64_t mn = layout.shape[1 - k_dim], k = layout.shape[k_dim];
  const int64_t k_step = kSliceBytes / layout.element_bytes;
  if (k % k_step != 0)
    return "k of " + std::to_string(k) + " is no multiple of the " + std::to_string(k_step) +
           " that one instruction takes";
  if (mn % 8 != 0)
    return "the kept dimension of " + std::to_string(mn) + " is no multiple of 8";
  if (layout.unit_dim == k_dim)
    return std::nullopt;
  // PTX ISA 9.0, wgmma.mma_async: only 16-bit types have transpose bits; tcgen05 has them for 8 bits, too.
  const bool can_transpose = layout.element_bytes == 2 || (unit == MatrixUnit::tcgen05 && layout.element_bytes == 1);
  if (!can_transpose)
    return "MN-major operands have elements of 16 bits, not of " + std::to_string(8 * layout.element_bytes) +
           "; lay k out contiguously";
  return std::nullopt;
}

} // namespace

int64_t DescriptorPlan::step_bytes(int64_t k_slice) const {
  if (major == Major::mn)
    return k_slice * (kSliceBytes / element_bytes) * panel_bytes;
  const int64_t b = k_slice * kSliceBytes;
  return b / panel_bytes * panel_stride + b % panel_bytes;
}

int64_t DescriptorPlan::mn_step_bytes(int64_t mn) const {
  return major == Major::k ? mn * panel_bytes : mn * element_bytes / panel_bytes * panel_stride;
}

Outcome<DescriptorPlan> plan_descriptor(const SharedLayout &layout, int k_dim, MatrixUnit unit) {
  if (auto problem = operand_problem(layout, k_dim, unit))
    return Misfit{*problem};
  DescriptorPlan plan;
  plan.major = layout.unit_dim == k_dim ? Major::k : Major::mn;
  plan.swizzle = layout.swizzle;
  plan.panel_bytes = layout.panel_bytes;
  plan.panel_stride = layout.panel_stride();
  plan.element_bytes = layout.element_bytes;
  plan.k_slices = layout.shape[k_dim] * layout.element_bytes / kSliceBytes;
  plan.mn_granule = plan.major == Major::k ? 8 : layout.panel_bytes / layout.element_bytes;

  const bool plain = layout.swizzle == Swizzle::none;
  const int64_t eight_rows = 8 * layout.panel_bytes;
  if (plan.major == Major::k) {
    plan.sbo = eight_rows;
    plan.lbo = plain ? plan.panel_stride : 16;
  } else {
    plan.sbo = plain ? plan.panel_stride : eight_rows;
    plan.lbo = plain ? eight_rows : plan.panel_stride;
  }
  if (plan.lbo > kMaxOffset || plan.sbo > kMaxOffset)
    return Misfit{"panels " + bytes(plan.panel_stride) + " apart are beyond a descriptor's " + bytes(kMaxOffset)};
  plan.constant_bits = static_cast<uint64_t>(plan.lbo >> 4) << 16 | static_cast<uint64_t>(plan.sbo >> 4) << 32 |
                       mode_bits(layout.swizzle) << 62;
  if (unit == MatrixUnit::tcgen05) {
    // Three bits from 61 on, even codes: 128 B = 2, 64 B = 4, 32 B = 6, the very bits of wgmma's. And a constant.
    plan.constant_bits |= uint64_t{1} << 46;
  }
  return plan;
}

} // namespace tegula::layout
