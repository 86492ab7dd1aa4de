// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tensors that kernels look into at run time: elements that steer what else is read.
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

} // namespace

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
