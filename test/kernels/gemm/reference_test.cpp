// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The reference check itself: it accepts a right product and finds wrong elements, wrong tiles and damaged guards.
#include <catch2/catch.hpp>

#include "kernels/check/small_float.h"
#include "kernels/gemm/check/gemm_reference.h"

using namespace tegula;

namespace {

// A product as the device would give it: sums in f32, rounded once.
void multiply(const GemmCase &test, GemmImages &images) {
  const StridedShape &d = images.d.shape();
  for (int64_t b = 0; b < test.batch; ++b)
    for (int64_t i = 0; i < test.m; ++i)
      for (int64_t j = 0; j < test.n; ++j) {
        float sum = 0;
        for (int64_t kk = 0; kk < test.k; ++kk)
          sum += static_cast<float>(images.a.at(b, i, kk)) * static_cast<float>(images.b.at(b, kk, j));
        double value = test.alpha * sum;
        if (test.beta != 0)
          value += test.beta * images.c.at(b, i, j);
        if (test.bias != BiasAxis::none)
          value += images.bias.at(0, 0, test.bias == BiasAxis::row ? i : j);
        if (test.activation == Activation::relu)
          value = std::max(value, 0.0);
        write_element(test.out, images.d.bytes().data() + images.d.origin(), d.index(b, i, j), value);
      }
}

} // namespace

TEST_CASE("random cases: a right product passes") {
  int run = 0;
  for (uint64_t seed = 1; run < 12; ++seed) {
    GemmCase test = random_gemm_case(seed);
    if (test.activation > Activation::relu || test.m * test.n * test.k * test.batch > 6'000'000)
      continue;
    ++run;
    GemmImages images = make_images(test);
    multiply(test, images);
    const GemmVerdict verdict = verify_gemm(test, images);
    INFO(to_string(test) << ": " << verdict.fault);
    CHECK(verdict.passed());
    CHECK(verdict.worst <= 1);
  }
}

TEST_CASE("an element that was never written, a wrong one and a damaged guard are found") {
  const GemmCase test{.m = 33, .n = 40, .k = 64, .ldd = 48};
  GemmImages images = make_images(test);
  multiply(test, images);
  REQUIRE(verify_gemm(test, images).passed());
  std::byte *d = images.d.bytes().data() + images.d.origin();
  const double right = images.d.at(0, 7, 9);
  write_element(DType::bf16, d, 7 * 48 + 9, right + 0.5);
  CHECK(verify_gemm(test, images).fault.starts_with("D[7,9] is"));
  write_element(DType::bf16, d, 7 * 48 + 9, right);
  write_element(DType::bf16, d, 7 * 48 + 40, 0);
  CHECK(verify_gemm(test, images).fault.starts_with("a guard byte was overwritten, 752 bytes from"));
}

TEST_CASE("of a large product, one wrong tile that the sample misses is found") {
  const GemmCase test{.in = DType::fp16, .out = DType::f32, .m = 700, .n = 601, .k = 360};
  GemmImages images = make_images(test);
  multiply(test, images);
  CHECK(verify_gemm(test, images).passed());
  std::byte *d = images.d.bytes().data() + images.d.origin();
  for (int64_t j = 0; j < 8; ++j) // eight elements of one row, exchanged with those beside them
    write_element(DType::f32, d, 311 * 601 + 301 + j, images.d.at(0, 311, 401 + j));
  CHECK_FALSE(verify_gemm(test, images).passed());
}

TEST_CASE("a case survives its text form") {
  for (uint64_t seed = 0; seed < 200; ++seed) {
    const GemmCase test = random_gemm_case(seed);
    std::vector<std::string> words;
    std::string text = to_string(test);
    for (size_t at = 0; at < text.size();) {
      const size_t end = std::min(text.find(' ', at), text.size());
      words.push_back(text.substr(at, end - at));
      at = end + 1;
    }
    const Result<ParameterValues> values = read_parameters("gemm", gemm_parameters(), words);
    REQUIRE(values.ok());
    const Result<GemmCase> read = read_gemm_case(*values);
    INFO(text << (read.ok() ? "" : read.error().message()));
    REQUIRE(read.ok());
    CHECK(to_string(*read) == text);
  }
}
