// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Attention on the emulator beside the float64 reference: inputs on which peers broke, each by its id, and a sweep.
#include <catch2/catch.hpp>
#include <fmt/format.h>

#include "kernels/attention/check/attention_entry.h"
#include "kernels/attention/check/attention_reference.h"
#include "runtime/driver/devices.h"
#include "runtime/driver/graph.h"
#include "test/kernels/cases/on_emulator.h"

using namespace tegula;
using tegula::test::need;
using tegula::test::OnEmulator;

namespace {

AttentionCase small(int64_t seq_q, int64_t seq_kv, int64_t head_dim = 64) {
  AttentionCase test;
  test.heads_q = test.heads_kv = 1;
  test.seq_q = seq_q, test.seq_kv = seq_kv, test.head_dim = head_dim;
  return test;
}

void check_case(OnEmulator &device, const AttentionCase &test) {
  INFO(to_string(test));
  Session session{device.context, device.jit, device.stream};
  const CheckReport report = need(check_attention(session, test));
  CHECK(report.fault == "");
}

} // namespace

TEST_CASE("attention-04: causal with fewer queries than keys aligns to the last ones") {
  OnEmulator device;
  AttentionCase test = small(2, 5);
  test.causal = true;
  check_case(device, test);
}

TEST_CASE("attention-05: causal with more queries than keys leaves the first rows empty") {
  OnEmulator device;
  AttentionCase test = small(5, 2);
  test.causal = true;
  check_case(device, test);
}

TEST_CASE("attention-07: no keys at all give 0 and -inf, causal and not") {
  OnEmulator device;
  AttentionCase test = small(16, 0, 128);
  test.batch = 2, test.heads_q = test.heads_kv = 4;
  check_case(device, test);
  test.causal = true;
  check_case(device, test);
}

TEST_CASE("without sequences, heads or queries nothing runs") {
  OnEmulator device;
  for (auto field : {&AttentionCase::batch, &AttentionCase::seq_q, &AttentionCase::heads_q}) {
    AttentionCase test = small(4, 4);
    test.*field = 0;
    if (test.heads_q == 0)
      test.heads_kv = 0;
    test.schedule = "tile_n=64";
    check_case(device, test);
  }
}

TEST_CASE("attention-09: any number of query heads to a head of keys") {
  OnEmulator device;
  for (auto [q, kv] : {std::pair{28, 4}, {10, 2}, {6, 1}}) {
    AttentionCase test = small(1, 40, 128);
    test.heads_q = q, test.heads_kv = kv;
    check_case(device, test);
  }
}

TEST_CASE("attention-11: head dims between the powers of two") {
  OnEmulator device;
  for (int64_t head_dim : {40, 80, 96, 160, 8, 256}) {
    AttentionCase test = small(130, 130, head_dim);
    test.causal = true;
    check_case(device, test);
  }
}

TEST_CASE("attention-12: K and V of different head dims") {
  OnEmulator device;
  AttentionCase test = small(70, 90, 192);
  test.head_dim_v = 128;
  check_case(device, test);
  AttentionArgs args = call_of(test, {1 << 20, 1 << 20, 1 << 20, 1 << 20, 1 << 20});
  args.head_dim = 576, args.head_dim_v = 512;
  const std::string said(validate(args).error().message());
  CHECK(said.find("head_dim is 576; it must be a multiple of 8 from 8 to 256") != std::string::npos);
  CHECK(said.find("head_dim_v is 512; it must be a multiple of 8 from 8 to 256") != std::string::npos);
}

TEST_CASE("attention-19, hang-03: lengths that divide nothing, heads before and after the sequence") {
  OnEmulator device;
  for (int64_t length : {1, 63, 65, 250})
    for (bool inside : {false, true}) {
      AttentionCase test = small(length, length);
      test.heads_q = test.heads_kv = 2;
      test.heads_inside = inside;
      check_case(device, test);
    }
}

TEST_CASE("hang-10: causal attention waits for its products, and gives the same bits twice") {
  OnEmulator device;
  AttentionCase test = small(128, 128);
  test.causal = true;
  check_case(device, test); // runs twice and compares
}

TEST_CASE("attention-18: windows") {
  OnEmulator device;
  const int64_t s = 200;
  const auto bits = [&](bool causal, int64_t left, int64_t right) {
    AttentionCase test = small(s, s);
    test.causal = causal, test.windowed = !causal, test.window_left = left, test.window_right = right;
    check_case(device, test);
    const AttentionImages images = [&] {
      AttentionImages made = tegula::make_images(test);
      return made;
    }();
    DevicePtr q = device.upload(images.q.bytes()), k = device.upload(images.k.bytes()),
              v = device.upload(images.v.bytes());
    DevicePtr o = device.upload(std::vector<uint16_t>(static_cast<size_t>(s * 64)));
    Attention attention(device.context, device.jit);
    const auto at = [](DevicePtr base, const GuardedImage &image) {
      return base + static_cast<DevicePtr>(image.origin());
    };
    need(attention.run(call_of(test, {at(q, images.q), at(k, images.k), at(v, images.v), o, 0}), device.stream));
    need(device.stream.synchronize());
    return device.download<uint16_t>(o, static_cast<size_t>(s * 64));
  };
  const auto causal = bits(true, -1, -1);
  CHECK(bits(false, s - 1, 0) == causal);
  CHECK(bits(false, s, 0) == causal);
  CHECK(bits(false, -1, 0) == causal);
}

TEST_CASE("attention-20: more parts of keys than there are keys to fill them") {
  OnEmulator device;
  for (int64_t keys : {3, 130, 700}) {
    AttentionCase test = small(1, keys);
    test.heads_q = 4;
    check_case(device, test);
  }
  check_case(device, small(1, 0));
}

TEST_CASE("parts as many as a schedule asks for, with a second slot for Q") {
  OnEmulator device;
  for (int64_t splits : {2, 9, 17}) {
    AttentionCase test = small(1, 700);
    test.heads_q = 4, test.heads_kv = 2;
    test.schedule = fmt::format("tile_n=32,math=1,stages=3,q_stages=2,turns=0,splits={}", splits);
    check_case(device, test);
  }
}

TEST_CASE("hang-05: a part whose keys are all hidden ends, and has no share") {
  OnEmulator device;
  AttentionCase test = small(4, 900);
  test.windowed = true, test.window_left = 10, test.window_right = 0; // all parts but the last see nothing
  check_case(device, test);
}

TEST_CASE("a few queries of many heads, packed and not") {
  OnEmulator device;
  for (bool inside : {false, true}) {
    AttentionCase test = small(3, 300, 128);
    test.batch = 2, test.heads_q = 14, test.heads_kv = 2, test.causal = true, test.heads_inside = inside;
    check_case(device, test);
  }
}

TEST_CASE("launch-10: two streams do not meet in the workspace") {
  OnEmulator device;
  const Stream other = need(Stream::create(device.context));
  AttentionCase test = small(1, 700);
  const AttentionImages images = make_images(test);
  DevicePtr q = device.upload(images.q.bytes()), k = device.upload(images.k.bytes()),
            v = device.upload(images.v.bytes());
  const auto at = [](DevicePtr base, const GuardedImage &image) {
    return base + static_cast<DevicePtr>(image.origin());
  };
  DevicePtr first = device.upload(std::vector<uint16_t>(64)), second = device.upload(std::vector<uint16_t>(64));
  Attention attention(device.context, device.jit);
  const AttentionAddresses in{at(q, images.q), at(k, images.k), at(v, images.v)};
  AttentionArgs one = call_of(test, {in.q, in.k, in.v, first, 0}), two = call_of(test, {in.q, in.k, in.v, second, 0});
  for (int round = 0; round < 3; ++round) {
    need(attention.run(one, device.stream));
    need(attention.run(two, other));
  }
  need(device.stream.synchronize());
  need(other.synchronize());
  CHECK(device.download<uint16_t>(first, 64) == device.download<uint16_t>(second, 64));
}

TEST_CASE("a seeded sweep of attention") {
  OnEmulator device;
  for (uint64_t seed = 100; seed < 106; ++seed)
    check_case(device, random_attention_case(seed));
}

TEST_CASE("launch-03: an attention that is new in a capture is refused and leaves the capture usable") {
  OnEmulator device;
  AttentionCase test = small(8, 8);
  const AttentionImages images = make_images(test);
  DevicePtr in = device.upload(std::vector<uint16_t>(4096)), out = device.upload(std::vector<uint16_t>(4096));
  Attention attention(device.context, device.jit);
  const AttentionArgs args = call_of(test, {in, in, in, out, 0});
  std::string said;
  (void)need(Graph::capture(device.stream, [&]() -> Result<void> {
    const Result<void> result = attention.run(args, device.stream);
    said = result.ok() ? "" : std::string(result.error().message());
    return {};
  }));
  CHECK(said ==
        "no attention of 8 queries over 8 keys is prepared, and the stream is being captured: call prepare() with "
        "these extents before the capture");
  need(attention.prepare(args));
  (void)need(Graph::capture(device.stream, [&] { return attention.run(args, device.stream); }));
}
