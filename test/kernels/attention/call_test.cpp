// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is refused before anything runs, word by word.
#include <catch2/catch.hpp>

#include <cmath>

#include "kernels/attention/call.h"

using namespace tegula;

namespace {

AttentionArgs good() {
  AttentionArgs args{
      .batch = 2, .heads = 4, .heads_kv = 2, .seq_q = 10, .seq_kv = 20, .head_dim = 64, .head_dim_v = 64};
  args.q = bhsd(0x1000, 4, 10, 64), args.k = bhsd(0x2000, 2, 20, 64), args.v = bshd(0x3000, 2, 20, 64);
  args.o = bshd(0x4000, 4, 10, 64);
  return args;
}

std::string said(const AttentionArgs &args) {
  const Result<void> result = validate(args);
  return result.ok() ? "fine" : std::string(result.error().message());
}

} // namespace

TEST_CASE("a good call is fine") { CHECK(said(good()) == "fine"); }

TEST_CASE("a dtype that attention lacks") {
  AttentionArgs args = good();
  args.dtype = DType::f32;
  CHECK(said(args) == "cannot run attention: Q, K and V are f32; they must be bf16 or fp16");
}

TEST_CASE("head dims out of range or no multiple of 8") {
  AttentionArgs args = good();
  args.head_dim = 264;
  CHECK(said(args) == "cannot run attention: head_dim is 264; it must be a multiple of 8 from 8 to 256");
  args = good();
  args.head_dim_v = 60;
  CHECK(said(args) == "cannot run attention: head_dim_v is 60; it must be a multiple of 8 from 8 to 256");
}

TEST_CASE("heads that do not share out") {
  AttentionArgs args = good();
  args.heads_kv = 3;
  CHECK(said(args) == "cannot run attention: heads is 4 and heads_kv 3; heads must be a multiple of heads_kv");
}

TEST_CASE("negative extents, scales that are none") {
  AttentionArgs args = good();
  args.seq_q = -1;
  CHECK(said(args) == "cannot run attention: seq_q is -1; it must be from 0 to 2147483391");
  args = good();
  args.scale = NAN;
  CHECK(said(args) == "cannot run attention: scale is nan; it must be finite and at least 0");
}

TEST_CASE("addresses and strides, all that is wrong at once") {
  AttentionArgs args = good();
  args.q.address = 0;
  args.k.address += 8;
  args.v.row_stride = 100;
  args.o.row_stride = 32;
  CHECK(said(args) == "cannot run attention, for 4 reasons:\n"
                      "  - Q is null\n"
                      "  - O's row stride is 32, so that its elements overlap; it must be at least 64\n"
                      "  - K is at 0x2008; it must be a multiple of 16 bytes\n"
                      "  - V's row stride is 100; it must be a multiple of 8 and at least 0");
}

TEST_CASE("limit-03: a stride that no tensor map holds") {
  AttentionArgs args = good();
  args.k.row_stride = int64_t{1} << 39;
  CHECK(said(args) == "cannot run attention: K's row stride is 549755813888; it must be below 549755813888");
  args.k.row_stride -= 8;
  CHECK(said(args) == "fine");
}

TEST_CASE("without queries or keys their tensors may be null") {
  AttentionArgs args = good();
  args.seq_kv = 0;
  args.k.address = args.v.address = 0;
  CHECK(said(args) == "fine");
  args.seq_q = 0;
  args.q.address = args.o.address = 0;
  CHECK(said(args) == "fine");
}
