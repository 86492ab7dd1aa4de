// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Descriptors against a model of how the hardware follows them from core matrix to core matrix.
#include "compiler/layout/matrix_descriptor.h"

#include <catch2/catch.hpp>

using namespace tegula::layout;

namespace {

/// The fields of a descriptor, taken from its bits.
struct Fields {
  int64_t start, lbo, sbo, width;

  explicit Fields(uint64_t bits)
      : start((bits & 0x3fff) << 4), lbo((bits >> 16 & 0x3fff) << 4), sbo((bits >> 32 & 0x3fff) << 4) {
    constexpr int64_t widths[] = {0, 128, 64, 32};
    width = widths[bits >> 62];
  }
};

// Byte address at which the hardware reads byte `byte` of element (mn, k) of one instruction's operand.
int64_t hardware_address(const Fields &d, Major major, int64_t element_bytes, int64_t mn, int64_t k) {
  int64_t address = d.start;
  if (major == Major::k) {
    const int64_t b = k * element_bytes;
    if (d.width == 0)
      address += mn / 8 * d.sbo + mn % 8 * 16 + b / 16 * d.lbo + b % 16;
    else
      address += mn / 8 * d.sbo + mn % 8 * d.width + b;
  } else {
    const int64_t b = mn * element_bytes;
    if (d.width == 0)
      address += b / 16 * d.sbo + k / 8 * d.lbo + k % 8 * 16 + b % 16;
    else
      address += b / d.width * d.lbo + k / 8 * d.sbo + k % 8 * d.width + b % d.width;
  }
  const int64_t mask = d.width == 0 ? 0 : d.width / 16 - 1;
  return address ^ (((address >> 7) & mask) << 4);
}

// Reads the operand by descriptors, one for each block of `mn_block` and slice of k, and compares with the layout.
void check_reads_layout(const SharedLayout &layout, int k_dim, int64_t mn_block) {
  INFO(to_string(layout) << ", k dim " << k_dim);
  const Outcome<DescriptorPlan> plan = plan_descriptor(layout, k_dim);
  INFO(plan.reason());
  REQUIRE(plan);
  REQUIRE(mn_block % plan->mn_granule == 0);
  const int64_t base = 3 * 1024, mn = layout.shape[1 - k_dim], k_step = kSliceBytes / layout.element_bytes;
  REQUIRE(plan->k_slices == layout.shape[k_dim] / k_step);
  for (int64_t block = 0; block < mn; block += mn_block)
    for (int64_t slice = 0; slice < plan->k_slices; ++slice) {
      const Fields d(plan->at(base + plan->mn_step_bytes(block) + plan->step_bytes(slice)));
      for (int64_t i = 0; i < mn_block; ++i)
        for (int64_t k = 0; k < k_step; ++k) {
          Coordinates at(2);
          at[1 - k_dim] = block + i;
          at[k_dim] = slice * k_step + k;
          REQUIRE(hardware_address(d, plan->major, layout.element_bytes, i, k) == base + layout.offset(at));
        }
    }
}

SharedLayout operand(Shape shape, int unit, int64_t element_bytes, Swizzle swizzle) {
  return swizzle == Swizzle::none ? SharedLayout::core_matrices(shape, unit, element_bytes)
                                  : SharedLayout::swizzled(shape, unit, element_bytes, swizzle);
}

const Swizzle kAll[] = {Swizzle::none, Swizzle::b32, Swizzle::b64, Swizzle::b128};

} // namespace

TEST_CASE("K-major operands read as laid out, every swizzle and width, k in several panels") {
  for (Swizzle swizzle : kAll)
    for (int64_t element_bytes : {1, 2, 4})
      for (int64_t mn : {64, 128, 192}) {
        check_reads_layout(operand({mn, 256 / element_bytes}, 1, element_bytes, swizzle), 1, 64);
        check_reads_layout(operand({256 / element_bytes, mn}, 0, element_bytes, swizzle), 0, 64);
      }
}

TEST_CASE("K-major operands read whole, as B does") {
  for (Swizzle swizzle : kAll)
    for (int64_t n : {8, 24, 176, 256})
      check_reads_layout(operand({n, 64}, 1, 2, swizzle), 1, n);
}

TEST_CASE("MN-major operands of 16 bits read as laid out, every swizzle") {
  for (Swizzle swizzle : kAll)
    for (int64_t mn : {64, 128, 256}) {
      check_reads_layout(operand({64, mn}, 1, 2, swizzle), 0, 64);
      check_reads_layout(operand({mn, 64}, 0, 2, swizzle), 1, 64);
      check_reads_layout(operand({64, mn}, 1, 2, swizzle), 0, mn);
    }
}

TEST_CASE("a view of some rows of a taller tile reads as laid out") {
  const SharedLayout tile = SharedLayout::best({128, 128}, 1, 2);
  const Outcome<SharedView> half = tile.view({64, 128}, {64, 0});
  REQUIRE(half);
  check_reads_layout(half->layout, 1, 64);
}

TEST_CASE("a descriptor's bits, by hand") {
  // 128 x 64 bf16, K-major, 128-byte swizzle: SBO 1024 -> 64 at bit 32, LBO 16 -> 1 at bit 16, mode 1 at bit 62.
  const auto k_major = plan_descriptor(SharedLayout::best({128, 64}, 1, 2), 1);
  REQUIRE(k_major);
  CHECK(k_major->constant_bits == (uint64_t{1} << 62 | uint64_t{64} << 32 | uint64_t{1} << 16));
  // 64 x 128 bf16, MN-major: panels of 64 mn are 64 * 128 bytes apart -> LBO 512, SBO 64.
  const auto mn_major = plan_descriptor(SharedLayout::best({64, 128}, 1, 2), 0);
  REQUIRE(mn_major);
  CHECK(mn_major->constant_bits == (uint64_t{1} << 62 | uint64_t{64} << 32 | uint64_t{512} << 16));
  CHECK(k_major->at(0x12340) == (k_major->constant_bits | 0x1234));
}

TEST_CASE("steps along k, by hand") {
  const auto k_major = plan_descriptor(SharedLayout::best({128, 128}, 1, 2), 1);
  CHECK(k_major->step_bytes(3) == 96);
  CHECK(k_major->step_bytes(4) == 128 * 128); // the next panel
  CHECK(k_major->step_bytes(5) == 128 * 128 + 32);
  const auto mn_major = plan_descriptor(SharedLayout::best({64, 128}, 1, 2), 0);
  CHECK(mn_major->step_bytes(1) == 2048); // 2 * SBO
}

TEST_CASE("LBO and SBO swap between swizzled and plain MN-major") {
  const auto swizzled = plan_descriptor(SharedLayout::swizzled({64, 128}, 1, 2, Swizzle::b64), 0);
  const auto plain = plan_descriptor(SharedLayout::core_matrices({64, 128}, 1, 2), 0);
  CHECK(swizzled->lbo == 64 * 64);
  CHECK(swizzled->sbo == 8 * 64);
  CHECK(plain->lbo == 128);
  CHECK(plain->sbo == 64 * 16);
}

TEST_CASE("tcgen05 differs by its constant bit alone") {
  const SharedLayout tile = SharedLayout::best({128, 64}, 1, 2);
  const uint64_t wgmma = plan_descriptor(tile, 1)->constant_bits;
  CHECK(plan_descriptor(tile, 1, MatrixUnit::tcgen05)->constant_bits == (wgmma | uint64_t{1} << 46));
  CHECK(wgmma >> 61 == 2); // the swizzle code of tcgen05 for 128 B
}

TEST_CASE("what no descriptor can say is refused with the reason") {
  auto reason = [](const SharedLayout &layout, int k_dim) { return plan_descriptor(layout, k_dim).reason(); };
  CHECK(reason(SharedLayout::plain({64, 64}, 1, 2), 1) ==
        "unswizzled rows of 128 bytes are not core matrices, whose rows are 16 bytes; swizzle the tile or lay it out "
        "in panels of 16 bytes");
  CHECK(reason(SharedLayout::best({64, 128}, 1, 1), 0) ==
        "MN-major operands have elements of 16 bits, not of 8; lay k out contiguously");
  CHECK(reason(SharedLayout::best({60, 64}, 1, 2), 1) == "the kept dimension of 60 is no multiple of 8");
  CHECK(reason(SharedLayout::best({24, 64}, 1, 2), 0) == "k of 24 is no multiple of the 16 that one instruction takes");
  CHECK(reason(SharedLayout::best({2, 64, 64}, 2, 2), 1) == "a matrix operand has rank 2, this tile has rank 3");
  CHECK(reason(SharedLayout::best({2048, 256}, 1, 2), 0) ==
        "panels 262144 bytes apart are beyond a descriptor's 262128 bytes");
}
