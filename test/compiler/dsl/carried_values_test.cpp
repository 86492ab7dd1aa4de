// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Variables that loops, branches and turns assign.
#include <optional>

#include "test/compiler/dsl/said.h"

using namespace tegula;
using namespace tegula::dsl;
using Catch::Matchers::Contains;

namespace {

struct Vector {
  KernelBuilder k{"t", Target::sm_90a};
  Index N = k.dim("N");
  Global X = k.global("X", f32, {N});
  Scalar alpha = k.scalar("alpha", f32);
};

} // namespace

TEST_CASE("a loop carries the variables that it assigns and no others") {
  Vector v;
  Tile sum = zeros(f32, {128}), other = full(f32, {128}, 2);
  Index count = 0;
  v.k.loop(v.N, [&](Index i) {
    sum = sum + load(v.X.tile(i), {128}) * other;
    count += 2;
  });
  store(sum, v.X.tile(count));
  std::string ir = ir_of(v.k);
  CHECK_THAT(ir, Contains("-> (tensor<128xf32>, index)"));
  CHECK_THAT(ir, Contains("arith.muli %0#1, %c128"));
}

TEST_CASE("nested loops carry through both") {
  Vector v;
  Tile sum = zeros(f32, {128});
  v.k.loop(v.N, [&] { v.k.loop(4, [&](Index i) { sum = sum + load(v.X.tile(i), {128}); }); });
  store(sum, v.X.tile(0));
  CHECK(count(ir_of(v.k), "-> (tensor<128xf32>)") == 2);
}

TEST_CASE("variables that swap are carried crosswise") {
  Vector v;
  Tile a = zeros(f32, {128}), b = full(f32, {128}, 1);
  v.k.loop(v.N, [&] {
    Tile t = a;
    a = b;
    b = t;
  });
  store(a - b, v.X.tile(0));
  CHECK_THAT(ir_of(v.k), Contains("iter_args(%arg1 = %cst, %arg2 = %cst_0)"));
}

TEST_CASE("a variable may take the value of one that the loop leaves alone") {
  Vector v;
  Tile a = zeros(f32, {128}), b = full(f32, {128}, 1);
  v.k.loop(v.N, [&] { a = b; });
  store(a, v.X.tile(0));
  CHECK_THAT(ir_of(v.k), Contains("scf.yield %cst_0 : tensor<128xf32>"));
}

TEST_CASE("a copy made in a loop of a variable left alone is good after it") {
  Vector v;
  Tile a = zeros(f32, {128});
  std::optional<Tile> copy;
  v.k.loop(v.N, [&] { copy = a; });
  store(*copy, v.X.tile(0));
  CHECK(said(v.k) == "fine");
}

TEST_CASE("a variable in a structure or a vector is carried like any other") {
  Vector v;
  std::vector<Tile> sums(2, zeros(f32, {128}));
  v.k.loop(v.N, [&](Index i) {
    for (Tile &sum : sums)
      sum = sum + load(v.X.tile(i), {128});
  });
  store(sums[0] + sums[1], v.X.tile(0));
  CHECK_THAT(ir_of(v.k), Contains("-> (tensor<128xf32>, tensor<128xf32>)"));
}

TEST_CASE("a branch gives what either side assigned") {
  Vector v;
  Tile x = zeros(f32, {128}), y = full(f32, {128}, 1);
  v.k.when(v.N > 4, [&] { x = full(f32, {128}, 3); }, [&] { y = full(f32, {128}, 4); });
  store(x + y, v.X.tile(0));
  CHECK_THAT(ir_of(v.k), Contains("scf.if %0 -> (tensor<128xf32>, tensor<128xf32>)"));
}

TEST_CASE("a variable without a value gets one from a branch when both sides assign it") {
  Vector v;
  Tile x;
  v.k.when(v.N > 4, [&] { x = full(f32, {128}, 3); }, [&] { x = full(f32, {128}, 4); });
  store(x, v.X.tile(0));
  CHECK_THAT(ir_of(v.k), Contains("-> (tensor<128xf32>)"));
}

TEST_CASE("a branch that assigns nothing has no else") {
  Vector v;
  v.k.when(v.N > 4, [&] { store(zeros(f32, {128}), v.X.tile(0)); });
  CHECK(count(ir_of(v.k), "else") == 0);
}

TEST_CASE("a turn hands on what it assigned") {
  KernelBuilder k("t", Target::sm_90a);
  Index N = k.dim("N");
  Global X = k.global("X", f32, {N});
  k.role("math", warpgroups(2), [&](Role &wg) {
    Tile x = zeros(f32, {128});
    k.turn(wg, [&] { x = x + 1; });
    store(x, X.tile(wg.index()));
  });
  CHECK_THAT(ir_of(k), Contains("tile.turn %instance -> tensor<128xf32>"));
}

TEST_CASE("scalars are variables too") {
  Vector v;
  Scalar s = v.alpha;
  v.k.loop(v.N, [&] { s = s * s + 1; });
  store(s * load(v.X.tile(0), {128}), v.X.tile(0));
  CHECK_THAT(ir_of(v.k), Contains("iter_args(%arg1 = %alpha) -> (f32)"));
}

TEST_CASE("a variable that outlives its builder is empty") {
  Tile tile;
  {
    KernelBuilder k("t", Target::sm_90a);
    tile = zeros(f32, {128});
    CHECK(tile.shape() == Shape{128});
  }
  CHECK(tile.shape() == Shape{});
}

TEST_CASE("misuse: a loop changes the shape of a variable") {
  Vector v;
  Tile x = zeros(f32, {128});
  const int line = __LINE__ + 1;
  v.k.loop(v.N, [&] {
    x = zeros(f32, {64}); // a line of its own
  });
  store(x, v.X.tile(0));
  CHECK(said(v.k) == at(line, "error: the loop changes a variable from 128 f32 to 64 f32; it must keep its dtype and "
                              "shape\n") +
                         at(line + 1, "note: the new value is computed here"));
}

TEST_CASE("misuse: the branches of a condition differ in dtype") {
  Vector v;
  Tile x = zeros(f32, {128});
  const int line = __LINE__ + 1;
  v.k.when(v.N > 4, [&] { x = cast(x, bf16); });
  CHECK(first_said(v.k) ==
        at(line, "error: the branch changes a variable from 128 f32 to 128 bf16; it must keep its dtype and shape"));
}

TEST_CASE("misuse: a value from a loop's body is used after the loop") {
  Vector v;
  Tile x;
  const int line = __LINE__ + 1;
  v.k.loop(v.N, [&] { x = zeros(f32, {128}); });
  store(x, v.X.tile(0));
  CHECK(said(v.k) == at(line + 1,
                        "error: tile was computed in a loop's body and is used outside it; declare it, with a "
                        "value, outside and assign it inside\n") +
                         at(line, "note: it was computed here"));
}

TEST_CASE("misuse: a variable is carried from tile to tile") {
  Vector v;
  Tile x = zeros(f32, {128});
  const int line = __LINE__ + 1;
  v.k.grid({v.N}).each([&](Index) {
    x = x + 1; // a line of its own
  });
  CHECK(said(v.k) == at(line + 1, "error: a variable from outside is assigned in the work on one tile; values do not "
                                  "carry from tile to tile, so declare it inside\n") +
                         at(line, "note: it begins here"));
}

TEST_CASE("misuse: a variable leaves its role") {
  Vector v;
  Tile x = zeros(f32, {128});
  v.k.role("a", warps(4), [&] { x = x + 1; });
  CHECK_THAT(said(v.k), Contains("error: a variable from outside the role is assigned in it; values do not leave a "
                                 "role, so declare it inside"));
}

TEST_CASE("misuse: a tile is used before it has a value") {
  Vector v;
  Tile x;
  const int line = __LINE__ + 1;
  store(x + 1, v.X.tile(0));
  CHECK(said(v.k) == at(line, "error: tile is used before it was given a value"));
}

TEST_CASE("misuse: a tile of another kernel") {
  KernelBuilder first("first", Target::sm_90a);
  Tile x = zeros(f32, {128});
  KernelBuilder k("t", Target::sm_90a);
  Index N = k.dim("N");
  Global X = k.global("X", f32, {N});
  const int line = __LINE__ + 1;
  store(zeros(f32, {128}) + x, X.tile(0));
  CHECK(said(k) == at(line, "error: tile belongs to another kernel"));
}
