// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Results hand values and errors up, and errors remember their way.
#include <memory>
#include <string>

#include <catch2/catch.hpp>

#include "runtime/result/complaints.h"
#include "runtime/result/result.h"

namespace tegula {
namespace {

Result<int> half(int value) {
  if (value % 2 != 0)
    return Error(ErrorCode::bad_argument, "odd");
  return value / 2;
}

Result<int> quarter(int value) {
  TEGULA_TRY(int first, half(value));
  TEGULA_TRY(int second, half(first));
  return second;
}

Result<void> check_quarter(int value) {
  TEGULA_CHECK(quarter(value));
  return {};
}

TEST_CASE("result: a value passes through TEGULA_TRY") { CHECK(*quarter(8) == 2); }

TEST_CASE("result: an error passes through TEGULA_TRY with each place that it came through") {
  auto result = check_quarter(6);
  REQUIRE_FALSE(result);
  CHECK(result.error().code() == ErrorCode::bad_argument);
  CHECK(result.error().message() == "odd");
  CHECK(result.error().origin().size() == 3);
  CHECK(result.error().describe().find("result_test.cpp:16 in ") != std::string::npos);
}

TEST_CASE("result: move-only values move out") {
  Result<std::unique_ptr<int>> result(std::make_unique<int>(3));
  std::unique_ptr<int> value = std::move(result).value();
  CHECK(*value == 3);
}

TEST_CASE("result: while_doing puts the deed before the message and keeps the code") {
  Error error = Error(ErrorCode::not_found, "no such file").while_doing("cannot open the cache");
  CHECK(error.message() == "cannot open the cache: no such file");
  CHECK(error.code() == ErrorCode::not_found);
}

TEST_CASE("result: a copied error is independent") {
  Error first(ErrorCode::internal, "fault");
  Error second = first;
  second = std::move(second).while_doing("x");
  CHECK(first.message() == "fault");
}

TEST_CASE("complaints: none is success") { CHECK(Complaints().verdict("cannot").ok()); }

TEST_CASE("complaints: one is a line, several are a list, and the first gives the code") {
  Complaints wrong;
  wrong.add("a is 1", ErrorCode::unsupported);
  CHECK(wrong.verdict("cannot launch").error().message() == "cannot launch: a is 1");
  wrong.add("b is 2");
  CHECK(wrong.verdict("cannot launch").error().message() == "cannot launch, for 2 reasons:\n  - a is 1\n  - b is 2");
  CHECK(wrong.verdict("cannot launch").error().code() == ErrorCode::unsupported);
}

} // namespace
} // namespace tegula
