// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products that the tensor cores do not make, and what the author is told.
#include "test/compiler/dsl/said.h"

using namespace tegula;
using namespace tegula::dsl;

namespace {

/// Tiles of a product that is right: 64x64 by (128x64) transposed.
struct Product {
  explicit Product(DType a_type = bf16, DType b_type = bf16, int64_t m = 64, int64_t n = 128, int64_t k_a = 64,
                   int64_t k_b = 64)
      : a(k.shared(a_type, {m, k_a})), b(k.shared(b_type, {n, k_b})), m(m), n(n) {}

  KernelBuilder k{"t", Target::sm_90a};
  View a, b;
  int64_t m, n;

  std::string multiply(DType sum = f32) {
    k.role("math", warpgroups(1), [&] { (void)mma(a, b.T(), zeros(sum, {m, n})); });
    return said(k);
  }
  static std::string error(const std::string &said) {
    size_t from = said.find("mma: ");
    return from == std::string::npos ? said : said.substr(from, said.find('\n') - from);
  }
};

} // namespace

TEST_CASE("products of 16-bit floats, tf32, fp8 and s8 are made") {
  CHECK(Product(bf16, bf16).multiply() == "fine");
  CHECK(Product(fp16, fp16).multiply(fp16) == "fine");
  CHECK(Product(tf32, tf32).multiply() == "fine");
  CHECK(Product(e4m3, e5m2).multiply() == "fine");
  CHECK(Product(s8, s8).multiply(s32) == "fine");
}

TEST_CASE("message-06: k of a and b differ") {
  CHECK(Product::error(Product(bf16, bf16, 64, 128, 64, 32).multiply()) ==
        "mma: a is 64x64, b is 32x128: k is 64 in a and 32 in b; they must be equal");
}

TEST_CASE("message-06: a wrong pair of dtypes") {
  CHECK(
      Product::error(Product(bf16, fp16).multiply()) ==
      "mma: the tensor cores do not multiply bf16 by fp16; they take fp16, bf16, tf32 and s8 with themselves, and e4m3 "
      "and e5m2 in any pair; cast one of them");
}

TEST_CASE("message-06: a wrong dtype of the sum") {
  CHECK(Product::error(Product(bf16, bf16).multiply(bf16)) == "mma: products of bf16 are summed in f32, not in bf16");
  CHECK(Product::error(Product(s8, s8).multiply(f32)) == "mma: products of s8 are summed in s32, not in f32");
}

TEST_CASE("f32 is not multiplied behind the author's back") {
  CHECK(Product::error(Product(f32, f32).multiply()) == "mma: no tensor core multiplies f32; declare the tiles as "
                                                        "tf32, which keeps 10 bits of the fraction, or cast them "
                                                        "to bf16");
}

TEST_CASE("sizes that wgmma lacks") {
  CHECK(Product::error(Product(bf16, bf16, 96).multiply()) ==
        "mma: m is 96; for 1 warpgroup an instance it must be a multiple of 64");
  CHECK(Product::error(Product(bf16, bf16, 64, 100).multiply()) ==
        "mma: n is 100; it must be a multiple of 8 in 8..256");
  CHECK(Product::error(Product(bf16, bf16, 64, 264).multiply()) ==
        "mma: n is 264; it must be a multiple of 8 in 8..256");
  CHECK(Product::error(Product(s8, s8, 64, 40).multiply(s32)) ==
        "mma: n is 40; above 32 it must be a multiple of 16 for 8-bit integers");
  CHECK(Product::error(Product(bf16, bf16, 64, 128, 24, 24).multiply()) ==
        "mma: k is 24; for bf16 it must be a multiple of 16 (32 bytes)");
}

TEST_CASE("everything that is wrong with a product is said at once") {
  CHECK(count(Product(bf16, bf16, 96, 100, 24, 24).multiply(), "error:") == 3);
}

TEST_CASE("8-bit and tf32 operands must be contiguous along k") {
  KernelBuilder k("t", Target::sm_90a);
  View a = k.shared(e4m3, {64, 64}), b = k.shared(e4m3, {64, 128});
  k.role("math", warpgroups(1), [&] { (void)mma(a, b, zeros(f32, {64, 128})); });
  CHECK(Product::error(said(k)) == "mma: b of e4m3 must be contiguous along k; keep the tile as {n, k} and give b.T()");
}

TEST_CASE("misuse: a role without the warps that mma takes") {
  KernelBuilder k("t", Target::sm_90a);
  View a = k.shared(bf16, {64, 64}), b = k.shared(bf16, {64, 64});
  const int line = __LINE__ + 1;
  k.role("math", warps(1), [&] { (void)mma(a, b.T(), zeros(f32, {64, 64})); });
  CHECK(said(k) == at(line,
                      "error: mma: mma is issued by whole warpgroups, 4 warps each; the role has 1 warp an instance; "
                      "give it warpgroups(1)\n") +
                       at(line - 2, "note: a got its shape here\n") + at(line - 2, "note: b got its shape here\n") +
                       at(line, "note: in role 'math', which begins here"));
}

TEST_CASE("misuse: an operand in global memory") {
  KernelBuilder k("t", Target::sm_90a);
  Index N = k.dim("N");
  Global A = k.global("A", bf16, {N, N});
  View b = k.shared(bf16, {128, 64});
  k.role("math", warpgroups(1), [&] { (void)mma(A.tile(0, 0).sized({64, 64}), b.T(), zeros(f32, {64, 128})); });
  CHECK(count(said(k), "error: a of mma is in global memory; copy it into a shared tile first") == 1);
}

TEST_CASE("verifier-03: a target that lacks wgmma is refused at the line of the product") {
  KernelBuilder k("t", Target::sm_100a);
  View a = k.shared(bf16, {64, 64}), b = k.shared(bf16, {128, 64});
  k.role("math", warpgroups(1), [&] { (void)mma(a, b.T(), zeros(f32, {64, 128})); });
  CHECK(Product::error(said(k)) ==
        "mma: sm_100a has no wgmma, and its tcgen05 is not offered here yet; build for sm_90a");
}

TEST_CASE("a from registers") {
  KernelBuilder k("t", Target::sm_90a);
  View b = k.shared(bf16, {64, 128});
  k.role("math", warpgroups(1), [&] { (void)mma(zeros(bf16, {64, 64}), b, zeros(f32, {64, 128})); });
  CHECK(said(k) == "fine");
}
