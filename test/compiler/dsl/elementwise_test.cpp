// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arithmetic on tiles, scalars and indices: which op, and which operands go together.
#include <cmath>

#include "test/compiler/dsl/said.h"

using namespace tegula;
using namespace tegula::dsl;
using Catch::Matchers::Contains;

namespace {

/// A kernel that stores one tile.
struct Formula {
  KernelBuilder k{"t", Target::sm_90a};
  Index M = k.dim("M"), N = k.dim("N");
  Global X = k.global("X", f32, {M, N}), V = k.global("V", f32, {N});
  Global I = k.global("I", s32, {M, N}), U = k.global("U", u32, {M, N});
  Scalar alpha = k.scalar("alpha", f32), n = k.scalar("n", s32);
  Tile x = load(X.tile(0, 0), {64, 128}), i = load(I.tile(0, 0), {64, 128}), u = load(U.tile(0, 0), {64, 128});
  Tile row = load(V.tile(0), {128}), column = load(V.tile(0), {64});

  std::string text(const Tile &result) {
    store(result, X.tile(0, 0));
    return ir_of(k);
  }
  std::string text_of_integers(const Tile &result) {
    store(result, I.tile(0, 0));
    return ir_of(k);
  }
};

} // namespace

TEST_CASE("numbers take the tile's dtype") {
  Formula f;
  CHECK_THAT(f.text(2 * f.x + 0.5), Contains("arith.constant dense<5.000000e-01> : tensor<64x128xf32>"));
}

TEST_CASE("a scalar meets every element") {
  Formula f;
  CHECK_THAT(f.text(f.alpha * f.x), Contains("tile.splat %alpha : f32 to tensor<64x128xf32>"));
}

TEST_CASE("an index meets an integer tile, cut to its width") {
  Formula f;
  CHECK_THAT(f.text_of_integers(f.i + f.N), Contains("arith.index_cast %N : index to i32"));
}

TEST_CASE("max and min let NaN win (shape-10)") {
  Formula f;
  std::string ir = f.text(max(min(f.x, 1), f.row));
  CHECK_THAT(ir, Contains("arith.maximumf"));
  CHECK_THAT(ir, Contains("arith.minimumf"));
}

TEST_CASE("integers are signed as their dtype says") {
  Formula f;
  std::string ir = f.text(select(f.u < 3, f.x, 0) + select(f.i < 3, f.x, 0));
  CHECK_THAT(ir, Contains("arith.cmpi ult"));
  CHECK_THAT(ir, Contains("arith.cmpi slt"));
}

TEST_CASE("a vector goes along the one dim that has its length") {
  Formula f;
  CHECK_THAT(f.text(f.x + f.row - f.column), Contains("dim 0 : tensor<128xf32> to tensor<64x128xf32>") &&
                                                 Contains("dim 1 : tensor<64xf32> to tensor<64x128xf32>"));
}

TEST_CASE("a column and a row make a matrix") {
  Formula f;
  CHECK_THAT(f.text(per_row(f.column) * per_column(f.row)), Contains("tensor<64x128xf32>"));
}

TEST_CASE("masks come from comparisons and index tiles") {
  Formula f;
  Tile mask = iota(s32, {64, 128}, 1) + 128 < f.n && f.x != 0;
  CHECK_THAT(f.text(select(mask, f.x, -INFINITY)), Contains("arith.andi") && Contains("tile.iota dim 1") &&
                                                       Contains("arith.select") && Contains("dense<0xFF800000>"));
}

TEST_CASE("every function of floats is one op of math") {
  Formula f;
  std::string ir = f.text(exp(f.x) + exp2(f.x) + log(f.x) + log2(f.x) + sqrt(f.x) + rsqrt(f.x) + tanh(f.x) + erf(f.x) +
                          abs(f.x) + floor(f.x) + ceil(f.x) + sin(f.x) + cos(f.x) - -f.x);
  for (const char *op : {"math.exp ", "math.exp2", "math.log ", "math.log2", "math.sqrt", "math.rsqrt", "math.tanh",
                         "math.erf", "math.absf", "math.floor", "math.ceil", "math.sin", "math.cos", "arith.negf"})
    CHECK_THAT(ir, Contains(op));
}

TEST_CASE("casts go through whatever the pair needs") {
  Formula f;
  std::string ir = f.text(cast(cast(f.x, bf16), f32) + cast(f.i, f32) + cast(cast(f.x, e4m3), f32) +
                          cast(cast(cast(f.x, bf16), fp16), f32) + cast(f.u, f32));
  CHECK_THAT(ir, Contains(": tensor<64x128xf32> to tensor<64x128xbf16>"));
  CHECK_THAT(ir, Contains("arith.sitofp"));
  CHECK_THAT(ir, Contains("arith.uitofp"));
  CHECK_THAT(ir, Contains("to tensor<64x128xf8E4M3FN>"));
}

TEST_CASE("indices that are known are folded when the kernel is built") {
  KernelBuilder k("t", Target::sm_90a);
  Index N = k.dim("N");
  Index a = 7;
  (void)k.grid({(ceildiv(a, 2) + 3 * a - 1) % 9 + N * 0});
  CHECK_THAT(ir_of(k), Contains("arith.constant 6 : index")); // (4 + 21 - 1) % 9
}

TEST_CASE("indices have C++'s arithmetic") {
  KernelBuilder k("t", Target::sm_90a);
  Index N = k.dim("N");
  (void)k.grid({select(N > 3, max(N - 1, 2), min(N * 2, N / 3)), N % 5, ceildiv(N, 4)});
  std::string ir = ir_of(k);
  for (const char *op : {"arith.cmpi sgt", "arith.subi", "arith.maxsi", "arith.muli", "arith.divsi", "arith.minsi",
                         "arith.select", "arith.remsi", "arith.ceildivsi"})
    CHECK_THAT(ir, Contains(op));
}

TEST_CASE("scalars have the arithmetic of tiles, and meet numbers and indices") {
  Formula f;
  Scalar s = max(sqrt(f.alpha * 2 - 1), f.alpha);
  Scalar t = f.n * 2 + f.N;
  CHECK_THAT(f.text(f.x * s + cast(t, f32)),
             Contains("math.sqrt %") && Contains("arith.muli %n") && Contains("arith.sitofp"));
}

TEST_CASE("reductions drop their dim") {
  Formula f;
  CHECK_THAT(f.text(f.x - per_row(reduce_sum(f.x, 1)) + per_column(reduce_min(f.x, 0))),
             Contains("add dim 1 : tensor<64x128xf32> to tensor<64xf32>") &&
                 Contains("min dim 0 : tensor<64x128xf32> to tensor<128xf32>"));
}

TEST_CASE("an operation names the line that it stands on") {
  Formula f;
  const int line = __LINE__ + 2;
  Tile y = f.x + f.i;
  CHECK(first_said(f.k) == at(line - 1, "error: operands are f32 and s32; cast one: cast(x, f32)"));
}

TEST_CASE("misuse: shapes that do not agree") {
  Formula f;
  const int line = __LINE__ + 1;
  Tile y = f.x + zeros(f32, {64, 64});
  CHECK(said(f.k) == at(line, "error: operands are 64x128 and 64x64; shapes must be equal, or one a vector along a dim "
                              "of the other"));
}

TEST_CASE("misuse: a vector that could go either way") {
  KernelBuilder k("t", Target::sm_90a);
  Tile x = zeros(f32, {64, 64}), v = zeros(f32, {64});
  const int line = __LINE__ + 1;
  Tile y = x + v;
  CHECK(said(k) == at(line,
                      "error: a vector of 64 meets a 64x64 tile, and could go along either dim; write per_row(v) or "
                      "per_column(v)"));
}

TEST_CASE("misuse: a vector of the wrong length") {
  KernelBuilder k("t", Target::sm_90a);
  Tile x = zeros(f32, {64, 64}), v = zeros(f32, {32});
  const int line = __LINE__ + 1;
  Tile y = x + per_column(v), z = x + v;
  CHECK(said(k) ==
        at(line, "error: a vector of 32 goes along the columns of a 64x64 tile; it must have 64 elements\n") +
            at(line, "error: a vector of 32 meets a 64x64 tile, which has no dim of that extent"));
}

TEST_CASE("misuse: a fraction meets integers") {
  Formula f;
  const int line = __LINE__ + 1;
  Tile y = f.i * 0.5;
  CHECK(said(f.k) == at(line, "error: 0.5 meets a value of s32, which cannot hold it; cast the other side to f32"));
}

TEST_CASE("misuse: operations that a dtype lacks") {
  Formula f;
  const int line = __LINE__ + 1;
  Tile a = f.x & f.x;
  Tile b = exp(f.i);
  Tile c = cast(f.x, e4m3) + cast(f.x, e4m3);
  Tile d = (f.x < 0) + (f.x < 0);
  Tile e = select(f.x, f.x, f.x);
  CHECK(
      said(f.k) ==
      at(line, "error: operands are f32: bits are combined of integers and masks only; compare first\n") +
          at(line + 1, "error: operands are s32: the function is one of floats; cast first\n") +
          at(line + 2, "error: operands are e4m3: the machine has no arithmetic on 8-bit floats; cast to f32 first\n") +
          at(line + 3, "error: operands are i1: masks have no arithmetic; use select()\n") +
          at(line + 4, "error: the condition is f32; compare it with something first"));
}

TEST_CASE("misuse: an index divided by zero") {
  Formula f;
  const int line = __LINE__ + 1;
  Index i = f.N / 0;
  CHECK(said(f.k) == at(line, "error: divides an index by 0"));
}

TEST_CASE("an error is told once, not again by everything that follows from it") {
  Formula f;
  Tile y = f.x + f.i;
  Tile z = exp(y * 2) - f.x;
  store(z, f.X.tile(0, 0));
  CHECK(count(said(f.k), "error:") == 1);
}
