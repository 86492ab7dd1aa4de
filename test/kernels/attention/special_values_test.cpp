// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scores that are -inf, far below 0, or NaN: each row by itself, with inputs that make the answer plain.
#include <catch2/catch.hpp>

#include <cmath>

#include "kernels/attention/attention.h"
#include "tegula/dsl.h"
#include "test/kernels/cases/on_emulator.h"

using namespace tegula;
using tegula::test::bf16_of;
using tegula::test::need;
using tegula::test::OnEmulator;

namespace {

constexpr int64_t kDim = 64;

// One head; V of key j is j + 1 in every column.
struct Run {
  std::vector<float> o, lse; // [queries, dim], [queries]
};
Run run(OnEmulator &device, const std::vector<float> &q, const std::vector<float> &k, int64_t queries, int64_t keys,
        AttentionArgs args) {
  std::vector<float> v;
  for (int64_t j = 0; j < keys; ++j)
    v.insert(v.end(), kDim, static_cast<float>(j % 200 + 1));
  args.seq_q = queries, args.seq_kv = keys, args.head_dim = args.head_dim_v = kDim;
  args.q = bhsd(device.upload(bf16_of(q)), 1, queries, kDim), args.k = bhsd(device.upload(bf16_of(k)), 1, keys, kDim);
  args.v = bhsd(device.upload(bf16_of(v)), 1, keys, kDim);
  const size_t size = static_cast<size_t>(queries * kDim);
  DevicePtr o = device.upload(std::vector<uint16_t>(size, 0x7fff));
  args.o = bhsd(o, 1, queries, kDim);
  args.lse = device.upload(std::vector<float>(static_cast<size_t>(queries), 7));
  Attention attention(device.context, device.jit);
  need(attention.run(args, device.stream));
  need(device.stream.synchronize());
  Run result;
  for (uint16_t word : device.download<uint16_t>(o, size))
    result.o.push_back(bf16_to_float(word));
  result.lse = device.download<float>(args.lse, static_cast<size_t>(queries));
  return result;
}

// Row `row` of a matrix [rows, dim] is `value` in column 0, all else 0.
std::vector<float> column(std::initializer_list<float> values) {
  std::vector<float> matrix;
  for (float value : values) {
    matrix.push_back(value);
    matrix.insert(matrix.end(), kDim - 1, 0);
  }
  return matrix;
}

ScoreModifier only_key(int64_t key) {
  return {"only_key_" + std::to_string(key),
          [=](const ScoreTile &s) { return dsl::select(s.k == key, s.scores, -INFINITY); }};
}

} // namespace

TEST_CASE("attention-01: a row whose keys are all hidden is 0 with an LSE of -inf") {
  OnEmulator device;
  const ScoreModifier hide_row_1{"hide_row_1",
                                 [](const ScoreTile &s) { return dsl::select(s.q == 1, -INFINITY, s.scores); }};
  for (Mask mask : {Mask::none, Mask::causal}) {
    const Run got =
        run(device, column({0, 0, 0, 0}), column({0, 0, 0, 0}), 4, 4, {.mask = mask, .modifier = hide_row_1});
    for (int64_t row = 0; row < 4; ++row) {
      const double seen = mask == Mask::none ? 4 : static_cast<double>(row + 1);
      const float o = got.o[static_cast<size_t>(row * kDim)], lse = got.lse[static_cast<size_t>(row)];
      if (row == 1) {
        CHECK(o == 0);
        CHECK(lse == -INFINITY);
      } else {
        CHECK(o == Approx((seen + 1) / 2).epsilon(0.01));
        CHECK(lse == Approx(std::log(seen)).margin(1e-3));
      }
    }
  }
}

TEST_CASE("attention-02: scores far below 0 are scores") {
  OnEmulator device;
  const Run one = run(device, column({-1024}), column({97.5}), 1, 1, {.scale = 1});
  CHECK(one.o[0] == 1);
  CHECK(one.lse[0] == Approx(-99840).epsilon(1e-6));
  const Run two = run(device, column({-1}), column({99840, 100352}), 1, 2, {.scale = 1.0f / 512});
  CHECK(two.o[0] == Approx(0.731 * 1 + 0.269 * 2).epsilon(0.01));
}

TEST_CASE("attention-03: the only key that is seen lies far from the first") {
  OnEmulator device;
  const int64_t keys = 700, key = 451;
  std::vector<float> k(static_cast<size_t>(keys * kDim), 0);
  k[static_cast<size_t>(key * kDim)] = 2;
  const Run got = run(device, column({3}), k, 1, keys, {.scale = 0.5f, .modifier = only_key(key)});
  CHECK(got.o[0] == static_cast<float>(key % 200 + 1));
  CHECK(got.lse[0] == Approx(3));
}

TEST_CASE("NaN in a query stays in its row") {
  OnEmulator device;
  const Run got = run(device, column({1, NAN, 1}), column({1, 2}), 3, 2, {});
  CHECK(std::isnan(got.o[kDim]));
  CHECK(std::isnan(got.lse[1]));
  CHECK_FALSE(std::isnan(got.o[0]));
  CHECK_FALSE(std::isnan(got.o[2 * kDim]));
}
