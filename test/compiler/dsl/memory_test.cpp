// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tiles in memory: their shapes, the iteration of a slot, copies, and what is told of each misuse.
#include "test/compiler/dsl/said.h"

using namespace tegula;
using namespace tegula::dsl;
using Catch::Matchers::Contains;

namespace {

struct Matrices {
  KernelBuilder k{"t", Target::sm_90a};
  Index M = k.dim("M"), N = k.dim("N"), B = k.dim("B");
  Global X = k.global("X", f32, {M, N}), S = k.global("S", f32, {B, M, N}), L = k.global("L", s32, {B});
};

} // namespace

TEST_CASE("a tile of a tensor takes its shape from the other side") {
  Matrices m;
  View tile = m.k.shared(f32, {32, 64});
  copy(m.X.tile(1, 2), tile);
  std::string ir = ir_of(m.k);
  CHECK_THAT(ir, Contains("tile.slice %X[%c32, %c128]")); // 1 · 32, 2 · 64
}

TEST_CASE("the leading dims of a tensor of higher rank have extent 1") {
  Matrices m;
  store(zeros(f32, {32, 64}), m.S.tile(m.B, 1, 2));
  CHECK_THAT(ir_of(m.k), Contains("to !tile.view<32x64xf32, global>") && Contains("tile.slice %S[%"));
}

TEST_CASE("a slice is named by elements") {
  Matrices m;
  store(zeros(f32, {32, 64}), m.X.slice({32, 64}, {5, m.N - 64}));
  CHECK_THAT(ir_of(m.k), Contains("tile.slice %X[%c5, %"));
}

TEST_CASE("an element is read as a scalar, and makes a loop bound (hang-09)") {
  Matrices m;
  m.k.grid({m.B}).each([&](Index b) {
    Index length = to_index(m.L.at({b}));
    m.k.loop(length, [&](Index i) { store(zeros(f32, {32, 64}), m.X.tile(i, b)); });
  });
  CHECK_THAT(ir_of(m.k), Contains("tile.read %L[%i]") && Contains("arith.index_cast %"));
}

TEST_CASE("part and rows narrow a tile") {
  KernelBuilder k("t", Target::sm_90a);
  View tile = k.shared(f32, {128, 64});
  k.role("math", warpgroups(2), [&](Role &wg) {
    Tile own = load(wg.rows(tile));
    CHECK(own.shape() == Shape{64, 64});
    store(load(tile.part({64, 32}, {0, 32})).T(), tile.part({32, 64}, {0, 0}));
  });
  CHECK_THAT(ir_of(k), Contains("tile.subview %0[%1, %c0]"));
}

TEST_CASE("a transposed tile of a tensor is cut before it is turned") {
  Matrices m;
  View tile = m.k.shared(f32, {32, 64});
  copy(m.X.tile(1, 2).T(), tile);
  CHECK_THAT(ir_of(m.k), Contains("to !tile.view<64x32xf32, global>") && Contains("tile.slice %X[%c64, %c64]"));
}

TEST_CASE("hints and accumulation reach the ops") {
  Matrices m;
  View tile = m.k.shared(f32, {32, 64});
  copy(m.X.tile(0, 0), tile, {.cache = Cache::evict_last});
  copy(tile, m.X.tile(0, 0), {.accumulate = true});
  CHECK_THAT(ir_of(m.k), Contains("cache evict_last") && Contains("{accumulate}"));
}

TEST_CASE("misuse: a copy between different shapes") {
  Matrices m;
  const int line = __LINE__ + 1;
  View tile = m.k.shared(f32, {128, 32});
  copy(m.X.tile(0, 0).sized({128, 64}), tile);
  CHECK(said(m.k) == at(line + 1, "error: copy: source is 128x64, destination is 128x32; shapes must be equal\n") +
                         at(line, "note: the tile got its shape here; give it {128, 64} or narrow the other side"));
}

TEST_CASE("misuse: a copy into a slot of another shape points at the slot") {
  Matrices m;
  const int line = __LINE__ + 1;
  SlotSpec narrow = shared(f32, {128, 32});
  Pipeline ring = m.k.pipeline(2, {shared(f32, {64, 64}), narrow});
  m.k.role("load", warps(1), [&] {
    auto [a, b] = ring.produce();
    copy(m.X.tile(0, 0).sized({128, 64}), b);
  });
  CHECK_THAT(said(m.k),
             Contains(at(line, "note: the slot got its shape here; give it {128, 64} or narrow the other side")));
}

TEST_CASE("misuse: dtypes of a copy and of a store differ") {
  Matrices m;
  View tile = m.k.shared(bf16, {32, 64});
  const int line = __LINE__ + 1;
  copy(m.X.tile(0, 0), tile);
  store(zeros(bf16, {32, 64}), m.X.tile(0, 0));
  CHECK(said(m.k) == at(line, "error: copy: source is f32, destination is bf16; dtypes must be equal\n") +
                         at(line + 1, "error: store: source is bf16, destination is f32; dtypes must be equal; write "
                                      "cast(x, f32)"));
}

TEST_CASE("misuse: both ends of a copy in global memory") {
  Matrices m;
  const int line = __LINE__ + 1;
  copy(m.X.tile(0, 0).sized({32, 64}), m.X.tile(1, 0));
  CHECK(said(m.k) == at(line,
                        "error: copy: both sides are in global memory; go through a register tile: store(load(a), "
                        "b)"));
}

TEST_CASE("misuse: a tile without a shape") {
  Matrices m;
  const int line = __LINE__ + 1;
  Tile x = load(m.X.tile(0, 0));
  CHECK(said(m.k) ==
        at(line, "error: a tile of 'X' has no shape here; write .sized({m, n}) or give the shape to load()\n") +
            at(line, "note: the tile is named here"));
}

TEST_CASE("misuse: a slot outside its iteration") {
  KernelBuilder k("t", Target::sm_90a);
  Pipeline ring = k.pipeline(2, {shared(f32, {64, 64})});
  k.role("load", warps(1), [&] { auto [a] = ring.produce(); });
  const int line = __LINE__ + 4;
  k.role("math", warps(4), [&] {
    View kept;
    k.loop(4, [&] {
      auto [a] = ring.consume();
      kept = a;
    });
    Tile x = load(kept);
  });
  CHECK(said(k) == at(line + 3,
                      "error: a slot is used outside the iteration that took it; take it where it is used, or "
                      "load() it into a register tile first\n") +
                       at(line, "note: it was taken here\n") + at(line - 3, "note: in role 'math', which begins here"));
}

TEST_CASE("misuse: coordinates that are not as many as the dims") {
  Matrices m;
  const int line = __LINE__ + 1;
  store(zeros(f32, {32}), m.X.tile(0));
  (void)m.L.at({0, 1});
  CHECK(said(m.k) == at(line, "error: a tile of 'X' is named by 1 coordinate; the tensor has 2 dims\n") +
                         at(line + 1, "error: 'L' is indexed by 2 values; the tensor has 1 dim"));
}

TEST_CASE("misuse: a window along a dim that the tensor lacks") {
  Matrices m;
  const int line = __LINE__ + 1;
  (void)m.L.window(1, 0, 5);
  CHECK(said(m.k) == at(line, "error: a window of 'L' is to be along dim 1; the tensor has dims 0 to 0"));
}

TEST_CASE("misuse: a window of a window") {
  Matrices m;
  const int line = __LINE__ + 1;
  (void)m.X.window(0, 0, 5).window(0, 1, 2);
  CHECK(said(m.k) == at(line, "error: 'X' is a window already; take one window of the argument"));
}

TEST_CASE("misuse: a tile of higher rank than its tensor") {
  Matrices m;
  const int line = __LINE__ + 1;
  store(zeros(f32, {2, 32, 64}), m.X.tile(0, 0));
  CHECK(said(m.k) == at(line, "error: a tile of 'X' is to be 2x32x64; the tensor has 2 dims"));
}

TEST_CASE("misuse: rows that the instances cannot share") {
  KernelBuilder k("t", Target::sm_90a);
  View tile = k.shared(f32, {65, 64});
  const int line = __LINE__ + 1;
  k.role("math", warpgroups(2), [&](Role &wg) { (void)wg.rows(tile); });
  CHECK(first_said(k) == at(line, "error: 65 rows are not to be shared by 2 instances; make them a multiple"));
}

TEST_CASE("misuse: rows where instances take tiles in turn") {
  KernelBuilder k("t", Target::sm_90a);
  Index N = k.dim("N");
  View tile = k.shared(f32, {64, 64});
  Tiles tiles = k.persistent({N});
  k.role("math", warpgroups(2), [&](Role &wg) { tiles.alternate([&](Index) { (void)wg.rows(tile); }); });
  CHECK_THAT(said(k),
             Contains("error: rows() shares a tile between instances, but here they take tiles in turn; use the "
                      "whole tile"));
}

TEST_CASE("misuse: a part that is larger than the whole") {
  KernelBuilder k("t", Target::sm_90a);
  const int line = __LINE__ + 1;
  (void)k.shared(f32, {64, 64}).part({128, 64}, {0, 0});
  CHECK(said(k) == at(line, "error: a part of 128x64 with 2 offsets does not fit a tile of 64x64; ranks must be equal, "
                            "extents not larger"));
}

TEST_CASE("misuse: shared memory accumulates") {
  KernelBuilder k("t", Target::sm_90a);
  View tile = k.shared(f32, {64, 64});
  const int line = __LINE__ + 1;
  store(zeros(f32, {64, 64}), tile, {.accumulate = true});
  CHECK(said(k) == at(line, "error: only global memory accumulates; the destination is in shared memory"));
}

TEST_CASE("misuse: a pipeline inside a loop") {
  KernelBuilder k("t", Target::sm_90a);
  const int line = __LINE__ + 1;
  k.loop(4, [&] { (void)k.pipeline(2, {shared(f32, {64})}); });
  CHECK(first_said(k) ==
        at(line, "error: a pipeline is declared inside a loop; declare it in the kernel, before the roles"));
}

TEST_CASE("misuse: a ring that nobody consumes") {
  KernelBuilder k("t", Target::sm_90a);
  const int line = __LINE__ + 1;
  Pipeline ring = k.pipeline(2, {shared(f32, {64})});
  k.role("load", warps(1), [&] { auto [a] = ring.produce(); });
  CHECK(said(k) ==
        at(line, "error: 'tile.ring' op K8: the ring is produced but never consumed; the kernel would hang"));
}

TEST_CASE("hang-04: a producer that skips what the consumer waits for") {
  KernelBuilder k("t", Target::sm_90a);
  Index N = k.dim("N");
  Pipeline ring = k.pipeline(2, {shared(f32, {64})});
  const int line = __LINE__ + 1;
  k.role("load", warps(1), [&] { k.when(N > 1, [&] { auto [a] = ring.produce(); }); });
  k.role("math", warps(4), [&] { auto [a] = ring.consume(); });
  CHECK(first_said(k) == at(line,
                            "error: 'tile.produce' op K9: stands under a condition, its counterpart does not; one "
                            "would wait for what the other skips"));
}
