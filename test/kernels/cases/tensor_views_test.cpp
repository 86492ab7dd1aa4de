// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tensors that kernels look into at run time: elements that steer what else is read.
#include <cmath>

#include "tegula/dsl.h"
#include "test/kernels/cases/on_emulator.h"

using namespace tegula;
using namespace tegula::dsl;
using tegula::test::counting;
using tegula::test::OnEmulator;

namespace {

// Y[i] = table[rows[i], columns[i]], one block each.
Result<dsl::Kernel> look_up() {
  KernelBuilder k("look_up", Target::sm_90a);
  Index N = k.dim("N"), R = k.dim("R"), C = k.dim("C");
  Global rows = k.global("rows", s32, {N}), columns = k.global("columns", s64, {N});
  Global table = k.global("table", f32, {R, C}), Y = k.global("Y", f32, {N});
  k.warps(1);
  k.grid({N}).each([&](Index i) {
    dsl::Scalar element = table.at({to_index(rows.at({i})), to_index(columns.at({i}))});
    store(full({1}, element), Y.tile(i));
  });
  return k.finish();
}

// Block b: rows starts[b] to ends[b] - 1 of X, times the identity, to the same rows of Y, in tiles of 64 rows of which
// `part` come at a time; and each tile's column sums. `align` decides between TMA and threads.
Result<dsl::Kernel> ragged_rows(int64_t align, int64_t part) {
  KernelBuilder k("ragged_rows", Target::sm_90a);
  Index B = k.dim("B"), M = k.dim("M");
  Global starts = k.global("starts", s32, {B}), ends = k.global("ends", s32, {B});
  Global X = k.global("X", bf16, {M, 64}, {.align = align}), one = k.global("one", bf16, {64, 64}, {.align = 16});
  Global Y = k.global("Y", bf16, {M, 64}, {.align = align}), sums = k.global("sums", f32, {B, 2, 64});
  Tiles tiles = k.persistent({B});
  Pipeline<1> x_ring = k.pipeline(2, {shared(bf16, {64, 64})}), one_ring = k.pipeline(1, {shared(bf16, {64, 64})});
  const auto mine = [&](const Global &tensor, const Index &b) {
    Index start = to_index(starts.at({b}));
    return tensor.window(0, start, to_index(ends.at({b})) - start);
  };
  k.role("load", warps(1), [&] {
    tiles.each([&](Index b) {
      Global x = mine(X, b);
      copy(one.tile(0, 0), one_ring.produce()[0]);
      k.loop(2, [&](Index tile) {
        View slot = x_ring.produce()[0];
        for (int64_t row = 0; row < 64; row += part)
          copy(x.slice({part, 64}, {tile * 64 + row, 0}), part == 64 ? slot : slot.part({part, 64}, {row, 0}));
      });
    });
  });
  k.role("math", warpgroups(1), [&](Role &) {
    tiles.each([&](Index b) {
      Global y = mine(Y, b);
      View unit = one_ring.consume()[0];
      k.loop(2, [&](Index tile) {
        Tile rows = mma(x_ring.consume()[0], unit, zeros(f32, {64, 64}));
        store(reduce_sum(rows, 0), sums.tile(b, tile, 0));
        copy(cast(rows, bf16), y.tile(tile, 0));
      });
    });
  });
  return k.finish();
}

struct RaggedRows {
  static constexpr int64_t kRows = 300;
  std::vector<int32_t> starts{0, 70, 70, 200, 205, 290}, ends{70, 70, 198, 205, 290, 400};
  std::vector<float> x = std::vector<float>(kRows * 64, NAN), y = std::vector<float>(kRows * 64, -7.0f);
  std::vector<float> sums = std::vector<float>(6 * 2 * 64, 0.0f);

  // What is in no sequence, rows 198 and 199, stays NaN in X and untouched in Y.
  RaggedRows() {
    for (size_t b = 0; b < starts.size(); ++b)
      for (int64_t row = starts[b]; row < std::min<int64_t>(ends[b], kRows); ++row)
        for (int64_t column = 0; column < 64; ++column)
          copy_element(b, row, column);
  }

  void copy_element(size_t b, int64_t row, int64_t column) {
    const auto at = static_cast<size_t>(row * 64 + column);
    x[at] = y[at] = static_cast<float>((row * 7 + column * 3) % 31 - 15);
    if (const int64_t tile = (row - starts[b]) / 64; tile < 2)
      sums[(b * 2 + static_cast<size_t>(tile)) * 64 + static_cast<size_t>(column)] += x[at];
  }

  void check(int64_t align, int64_t part) {
    INFO("align " << align << ", " << part << " rows at a time");
    OnEmulator device;
    std::vector<float> unit(64 * 64);
    for (size_t i = 0; i < 64; ++i)
      unit[i * 65] = 1;
    DevicePtr out = device.upload(test::bf16_of(std::vector<float>(y.size(), -7.0f)));
    DevicePtr out_sums = device.upload(std::vector<float>(sums.size(), NAN));
    const tegula::Kernel kernel = device.load([&] { return ragged_rows(align, part); });
    CHECK(kernel.manifest().schedule.at("path.X.load").starts_with(align == 16 ? "TMA" : "threads"));
    CHECK(kernel.manifest().schedule.at("path.Y.store").starts_with(align == 16 ? "TMA" : "threads"));
    device.run(kernel, ArgumentList()
                           .global("starts", device.upload(starts), DType::s32, {6})
                           .global("ends", device.upload(ends), DType::s32, {6})
                           .global("X", device.upload(test::bf16_of(x)), DType::bf16, {kRows, 64})
                           .global("one", device.upload(test::bf16_of(unit)), DType::bf16, {64, 64})
                           .global("Y", out, DType::bf16, {kRows, 64})
                           .global("sums", out_sums, DType::f32, {6, 2, 64}));
    CHECK(device.download<uint16_t>(out, y.size()) == test::bf16_of(y));
    CHECK(device.download<float>(out_sums, sums.size()) == sums);
  }
};

} // namespace

TEST_CASE("attention-10: a window of a tensor reads as 0 beyond its rows, and what lies there is not written") {
  RaggedRows rows;
  rows.check(16, 64);
  rows.check(2, 64);
}

TEST_CASE("a slot is filled in parts, each from a place of its own") {
  RaggedRows rows;
  rows.check(16, 16);
  rows.check(16, 8);
  rows.check(2, 16);
}

TEST_CASE("an element read by indices from memory is the tensor's, and 0 outside of it") {
  OnEmulator device;
  const std::vector<int32_t> rows{0, 2, 1, 3, -1, 0, 2};
  const std::vector<int64_t> columns{0, 4, 3, 0, 2, 5, int64_t{1} << 40};
  const std::vector<float> expected{1, 15, 9, 0, 0, 0, 0}; // table is [3, 5] and counts from 1
  const auto n = static_cast<int64_t>(rows.size());
  DevicePtr y = device.upload(std::vector<float>(rows.size(), -7.0f));
  device.run(device.load(look_up), ArgumentList()
                                       .global("rows", device.upload(rows), DType::s32, {n})
                                       .global("columns", device.upload(columns), DType::s64, {n})
                                       .global("table", device.upload(counting(15)), DType::f32, {3, 5})
                                       .global("Y", y, DType::f32, {n}));
  CHECK(device.download<float>(y, rows.size()) == expected);
}
