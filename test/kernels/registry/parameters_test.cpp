// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Parameters from the command line: what is read, and what is refused in which words.
#include <catch2/catch.hpp>

#include "kernels/registry/parameters.h"

using namespace tegula;

namespace {

const std::vector<Parameter> kKnown = {{"m", "16", "rows"}, {"dtype", "bf16", "element"}};

Result<ParameterValues> read(std::vector<std::string> words) { return read_parameters("gemm", kKnown, words); }

} // namespace

TEST_CASE("what is not given has its initial value") {
  const Result<ParameterValues> values = read({"m=8"});
  REQUIRE(values.ok());
  CHECK(values->at("m") == "8");
  CHECK(values->at("dtype") == "bf16");
  CHECK(to_string(*values, kKnown) == "m=8");
}

TEST_CASE("unknown, malformed and repeated words are all named at once") {
  const Result<ParameterValues> values = read({"dtpe=fp16", "8", "m=1", "m=2"});
  REQUIRE_FALSE(values.ok());
  CHECK(values.error().code() == ErrorCode::bad_argument);
  CHECK(values.error().message() == "bad parameters, for 3 reasons:\n"
                                    "  - gemm has no parameter 'dtpe'; did you mean 'dtype'?; it has m, dtype\n"
                                    "  - '8' is not of the form name=value\n"
                                    "  - 'm' is given twice");
}

TEST_CASE("numbers out of range and choices that are none say what would do") {
  const Result<ParameterValues> values = read({"m=-1", "dtype=f8"});
  REQUIRE(values.ok());
  Complaints wrong;
  constexpr std::string_view kTypes[] = {"bf16", "fp16"};
  CHECK(read_integer(*values, "m", 0, 100, wrong) == 0);
  CHECK(read_choice(*values, "dtype", kTypes, wrong) == 0);
  CHECK(wrong.messages() == std::vector<std::string>{"m is '-1'; it must be a whole number from 0 to 100",
                                                     "dtype is 'f8'; it must be one of bf16, fp16"});
}
