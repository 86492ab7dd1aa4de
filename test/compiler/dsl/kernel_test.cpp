// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arguments, roles, index spaces, the schedule; helpers and their callers; what is told of each misuse.
#include "test/compiler/dsl/said.h"

using namespace tegula;
using namespace tegula::dsl;
using Catch::Matchers::Contains;

TEST_CASE("arguments stand in the kernel's order, whatever the author's") {
  KernelBuilder k("t", Target::sm_90a);
  Scalar alpha = k.scalar("alpha", f32);
  Index N = k.dim("N", {.multiple = 8});
  (void)k.global("X", u8, {4, N}, {.unit = 0, .align = 16});
  Index M = k.dim("M");
  CHECK_THAT(ir_of(k), Contains(R"(@t(%X: !tile.global<4x?xi8, unit = 0> as "u8" dims [4, "N"] align 16, )"
                                R"(%N: index multiple 8, %M: index, %alpha: f32))"));
}

TEST_CASE("cluster, registers and notes reach the kernel") {
  KernelBuilder k("t", Target::sm_90a);
  k.cluster(2);
  k.note("stages", 4);
  k.note("why", "measured");
  k.role("load", warpgroups(1).registers(40), [&] {});
  k.role("math", warpgroups(2).registers(232), [&] {});
  CHECK_THAT(ir_of(k), Contains(R"(cluster [2, 1, 1] schedule {stages = 4 : i64, why = "measured"})") &&
                           Contains("instances 2 warps 4 registers 232"));
}

TEST_CASE("waits for and releases dependent launches") {
  KernelBuilder k("t", Target::sm_90a);
  k.wait_for_prior();
  k.allow_next();
  CHECK_THAT(ir_of(k), Contains("tile.griddep.wait") && Contains("tile.griddep.launch"));
}

TEST_CASE("tiles of three dims, taken in turn by the instances") {
  KernelBuilder k("t", Target::sm_90a);
  Index N = k.dim("N");
  Tiles tiles = k.persistent({N, N, N}, 4);
  k.role("math", warpgroups(2), [&] { tiles.alternate([&](Index, Index, Index) {}); });
  CHECK_THAT(ir_of(k), Contains("tile.tiles (%N, %N, %N) raster 4 {persistent} : !tile.tiles<3>") &&
                           Contains("tile.for_tiles %tiles (%i, %j, %b) alternate {"));
}

TEST_CASE("tiles that are walked there and back") {
  KernelBuilder k("t", Target::sm_90a);
  Index N = k.dim("N");
  Tiles tiles = k.persistent({N}, 1, Walk::serpentine);
  tiles.each([&](Index) {});
  CHECK_THAT(ir_of(k), Contains("tile.tiles (%N) raster 1 {persistent, serpentine} : !tile.tiles<1>"));
}

TEST_CASE("an empty kernel is a kernel (verifier-01)") {
  KernelBuilder k("t", Target::sm_90a);
  CHECK(said(k) == "fine");
}

TEST_CASE("verifier-04: one role that copies and multiplies") {
  KernelBuilder k("t", Target::sm_90a);
  Index N = k.dim("N");
  Global A = k.global("A", bf16, {N, N}), B = k.global("B", bf16, {N, N}), C = k.global("C", f32, {N, N});
  Pipeline ring = k.pipeline(2, {shared(bf16, {64, 64}), shared(bf16, {64, 64})});
  k.grid({ceildiv(N, 64), ceildiv(N, 64)}).each([&](Index i, Index j) {
    Tile acc = zeros(f32, {64, 64});
    k.loop(ceildiv(N, 64), [&](Index kk) {
      auto [a, b] = ring.produce();
      copy(A.tile(i, kk), a);
      copy(B.tile(j, kk), b);
      auto [x, y] = ring.consume();
      acc = mma(x, y.T(), acc);
    });
    store(acc, C.tile(i, j));
  });
  CHECK_THAT(ir_of(k), Contains(R"(tile.role "all" (%instance) instances 1 warps 4 {)"));
}

TEST_CASE("builders of one thread may overlap") {
  KernelBuilder outer("outer", Target::sm_90a);
  {
    KernelBuilder inner("inner", Target::sm_90a);
    CHECK(said(inner) == "fine");
  }
  Index N = outer.dim("N");
  Global X = outer.global("X", f32, {N});
  store(zeros(f32, {64}), X.tile(0));
  CHECK(said(outer) == "fine");
}

TEST_CASE("what is computed before the roles is computed in each that uses it") {
  KernelBuilder k("t", Target::sm_90a);
  Index N = k.dim("N");
  Global X = k.global("X", f32, {N});
  Tile one = full(f32, {64}, 1) + 1;
  View first = X.tile(0).sized({64});
  k.role("a", warps(1), [&] { store(one, first); });
  k.role("b", warps(1), [&] { store(one * 2, first); });
  std::string ir = ir_of(k);
  std::string before_roles = ir.substr(0, ir.find("tile.role"));
  CHECK(count(before_roles, "tensor<") == 0);
  CHECK(count(before_roles, "tile.slice") == 0);
  CHECK(count(ir, "tile.slice") == 2);
}

//===--- helpers ---===//

constexpr int kWrongProduct = __LINE__ + 3;
static Tile wrong_product(KernelBuilder &k, const View &a, const View &b, Where here = Where::current()) {
  auto scope = k.called_from(here);
  return mma(a, b, zeros(f32, {64, 32}));
}

TEST_CASE("message-05: an error in a helper names the helper's line, then its caller's") {
  KernelBuilder k("t", Target::sm_90a);
  View a = k.shared(bf16, {64, 32});
  const int line = __LINE__ + 2;
  k.role("math", warpgroups(1), [&] {
    (void)wrong_product(k, a, a); // a line of its own
  });
  const char *error =
      "error: mma: a is 64x32, b is 64x32: k is 32 in a and 64 in b; they must be equal (b.T() gives them)\n";
  CHECK(said(k) == at(kWrongProduct, error) + at(line - 3, "note: a got its shape here\n") +
                       at(line - 3, "note: b got its shape here\n") + at(line, "note: called from here\n") +
                       at(line - 1, "note: in role 'math', which begins here"));
}

TEST_CASE("message-05: an error in a lambda names its line, then the construct around it") {
  KernelBuilder k("t", Target::sm_90a);
  View a = k.shared(bf16, {64, 32});
  const int line = __LINE__ + 1;
  auto product = [&] { return mma(a, a, zeros(f32, {64, 32})); };
  k.role("math", warpgroups(1), [&] { (void)product(); });
  std::string all = said(k);
  CHECK_THAT(all, Catch::Matchers::StartsWith(at(line, "error: mma: a is 64x32, b is 64x32")));
  CHECK_THAT(all, Contains(at(line + 1, "note: in role 'math', which begins here")));
}

TEST_CASE("code of a helper is located at both lines") {
  KernelBuilder k("t", Target::sm_90a);
  Index N = k.dim("N");
  Global X = k.global("X", f32, {N});
  {
    auto scope = k.called_from(Where::current());
    store(zeros(f32, {64}), X.tile(0));
  }
  CHECK(said(k) == "fine");
}

//===--- limits ---===//

TEST_CASE("compile-03: too much shared memory, told with the number, the limit and what to do") {
  KernelBuilder k("t", Target::sm_90a);
  const int line = __LINE__ + 1;
  (void)k.pipeline(8, {shared(bf16, {256, 128}), shared(bf16, {256, 128})});
  // A stage is 2 · 256 · 128 · 2 = 131072 bytes and two barriers of 8.
  CHECK(said(k) == at(line, "error: too much shared memory: 8 stages of 131072 bytes make 1048704 bytes; a block has "
                            "232448; use at most 1 stage, or smaller tiles"));
}

TEST_CASE("message-01: what was declared before counts") {
  KernelBuilder k("t", Target::sm_90a);
  (void)k.pipeline(4, {shared(bf16, {128, 64}), shared(bf16, {256, 64})}); // 4 · (49152 + 16) = 196672
  const int line = __LINE__ + 1;
  View tile = k.shared(bf16, {128, 256}); // 65536
  CHECK(said(k) == at(line,
                      "error: too much shared memory: a tile of 65536 bytes, with the 196672 bytes declared before "
                      "make 262208 bytes; a block has 232448; use smaller tiles"));
}

TEST_CASE("message-04: a tile of too many elements") {
  KernelBuilder k("t", Target::sm_90a);
  const int line = __LINE__ + 1;
  Tile x = zeros(f32, {2048, 1024});
  CHECK(said(k) == at(line,
                      "error: a tile of 2048x1024 f32 has 2097152 elements, 16384 a thread of 4 warps; at most 32768 "
                      "fit (256 registers a thread); use a smaller tile, or more warps"));
}

TEST_CASE("compile-01: a giant reduction is refused before it is built") {
  KernelBuilder k("t", Target::sm_90a);
  Index N = k.dim("N");
  Global X = k.global("X", f32, {N, N});
  (void)reduce_sum(load(X.tile(0, 0), {4, 65536}), 1);
  CHECK_THAT(said(k), Contains("has 262144 elements, 2048 a thread of 4 warps"));
}

TEST_CASE("register budgets that a block does not have (hopper.md 2.7)") {
  KernelBuilder k("t", Target::sm_90a);
  k.role("load", warpgroups(1).registers(80), [&] {});
  k.role("math", warpgroups(2).registers(224), [&] {});
  // 128 · (80 + 2 · 224) = 67584; 384 threads start with 168: 64512.
  CHECK_THAT(said(k),
             Contains("error: the roles ask for 67584 registers; 384 threads start with 168 each, 64512 in all; "
                      "lower a budget"));
}

//===--- misuse ---===//

TEST_CASE("misuse: roles without warps, of one name, too many, inside others") {
  KernelBuilder k("t", Target::sm_90a);
  const int line = __LINE__ + 1;
  k.role("a", warps(0), [&] {});
  k.role("a", warps(1), [&] {});
  k.role("b", warpgroups(8), [&] {});
  k.role("c", warps(1), [&] { k.role("d", warps(1), [&] {}); });
  CHECK(said(k) ==
        at(line, "error: role 'a' has 1 instance of 0 warps; give it warps(n) or warpgroups(n), n at least 1\n") +
            at(line + 1, "error: there is a role 'a' already; give each its own name\n") +
            at(line + 2, "error: role 'b' brings the block to 34 warps; it has at most 32 (1024 threads)\n") +
            at(line + 3, "error: role 'd' stands inside role 'c'; roles stand side by side in the kernel\n") +
            at(line + 3, "note: in role 'c', which begins here"));
}

TEST_CASE("misuse: budgets of registers") {
  KernelBuilder k("t", Target::sm_90a);
  const int line = __LINE__ + 1;
  k.role("a", warpgroups(1).registers(100), [&] {});
  k.role("b", warps(1).registers(40), [&] {});
  CHECK(said(k) == at(line, "error: role 'a' asks for 100 registers; a budget is a multiple of 8 in 24..256\n") +
                       at(line + 1, "error: role 'b' has 1 warps and a budget of registers, which is given to whole "
                                    "warpgroups, 4 warps each"));
}

TEST_CASE("misuse: a walk over tiles takes other coordinates than there are, or stands in another") {
  KernelBuilder k("t", Target::sm_90a);
  Index N = k.dim("N");
  const int line = __LINE__ + 1;
  Tiles tiles = k.grid({N, N});
  tiles.each([&](Index) {});
  tiles.each([&](Index, Index) { tiles.each([&](Index, Index) {}); });
  CHECK(said(k) == at(line + 1, "error: the body takes 1 coordinate; the index space has 2\n") +
                       at(line, "note: it is declared here\n") +
                       at(line + 2, "error: a walk over tiles stands inside another; use a loop for the inner one\n") +
                       at(line + 2, "note: the outer walk begins here\n") +
                       at(line + 2, "note: in the walk over tiles, which begins here"));
}

TEST_CASE("misuse: work outside the roles") {
  KernelBuilder k("t", Target::sm_90a);
  Index N = k.dim("N");
  Global X = k.global("X", f32, {N});
  k.role("a", warps(1), [&] {});
  const int line = __LINE__ + 1;
  store(zeros(f32, {64}), X.tile(0));
  CHECK(said(k) == at(line, "error: 'tile.store' op K7: stands outside the roles; a kernel with roles does its work in "
                            "them"));
}

TEST_CASE("misuse: arguments") {
  KernelBuilder k("t", Target::sm_90a);
  Index N = k.dim("N");
  const int line = __LINE__ + 1;
  (void)k.dim("N");
  (void)k.dim("a-b");
  (void)k.dim("K", {.multiple = 0});
  (void)k.global("A", f32, {N + 1});
  (void)k.global("B", f32, {N}, {.align = 24});
  (void)k.global("C", e2m1, {N});
  (void)k.global("D", f32, {N}, {.unit = 1});
  (void)k.scalar("s", i1);
  CHECK(
      said(k) ==
      at(line, "error: there is an argument 'N' already; give each its own name\n") +
          at(line + 1, "error: 'a-b' is no name for an argument; use letters, digits and '_'\n") +
          at(line + 2, "error: 'K' is promised to be a multiple of 0; it must be at least 1\n") +
          at(line + 3, "error: an extent of 'A' is computed; declare it by dim() and pass its value at launch\n") +
          at(line + 4, "error: alignment of 'B' is 24; it must be a power of two from the element's 4 bytes to 256\n") +
          at(line + 5, "error: 'C' is to hold e2m1, which no tile can hold yet; use a type of at least a byte\n") +
          at(line + 6, "error: the unit dim of 'D' is 1; it must be 0 to 0, or kNone\n") +
          at(line + 7, "error: no argument can be a number of i1; use f32 or s32"));
}

TEST_CASE("misuse: numbers of the schedule") {
  KernelBuilder k("t", Target::sm_90a);
  Index N = k.dim("N");
  const int line = __LINE__ + 1;
  k.cluster(3);
  k.warps(33);
  (void)k.grid({N}, 0);
  (void)k.pipeline(0, {shared(f32, {64})});
  k.loop(0, N, 0, [&] {});
  CHECK(said(k) == at(line, "error: the cluster has 3 blocks; it must have 1, 2, 4, 8 or 16\n") +
                       at(line + 1, "error: the kernel is given 33 warps; a block has 1 to 32\n") +
                       at(line + 2, "error: raster is 0; it must be at least 1\n") +
                       at(line + 3, "error: the pipeline has 0 stages; it must have 1 to 32\n") +
                       at(line + 4, "error: the loop's step is 0; it must be at least 1"));
}

TEST_CASE("misuse: dims of reductions and index tiles") {
  KernelBuilder k("t", Target::sm_90a);
  Tile x = zeros(f32, {64, 32});
  const int line = __LINE__ + 1;
  (void)reduce_sum(x, 2);
  (void)iota(s32, {64}, 1);
  (void)iota(f32, {64}, 0);
  (void)reduce_sum(reduce_sum(x, 0), 0);
  CHECK(said(k) ==
        at(line, "error: dim is 2; the tile has 2 dims\n") + at(line + 1, "error: dim is 1; the tile has 1 dim\n") +
            at(line + 2, "error: index tiles are s32 or s64, not f32; cast the result\n") +
            at(line + 3, "error: a vector of 32 would be reduced to a scalar; reduce a tile of rank 2, such as "
                         "1x32"));
}

TEST_CASE("misuse: a builder is used after its end") {
  KernelBuilder k("t", Target::sm_90a);
  Index N = k.dim("N");
  Global X = k.global("X", f32, {N});
  Tile x = zeros(f32, {64});
  Result<Kernel> kernel = k.finish();
  REQUIRE(kernel.ok());
  std::string before = kernel->ir();
  store(x + 1, X.tile(k.dim("M") + N));
  k.role("a", warps(1), [&] { k.loop(N, [&] { x = x + x; }); });
  CHECK(kernel->ir() == before);
}

TEST_CASE("misuse: a kernel is finished twice") {
  KernelBuilder k("t", Target::sm_90a);
  CHECK(said(k) == "fine");
  CHECK_THAT(said(k), Contains("error: finish() was called before"));
}
