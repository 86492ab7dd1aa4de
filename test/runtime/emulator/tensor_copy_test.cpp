// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tensor copies beyond the plain tile: single rows, im2col, swizzles with wider atoms, packed types, byte masks, and
// maps that the kernel edits. Expected places are worked out here; what Hopper has too was not compared with it.
#include "test/runtime/emulator/emulated.h"

#include <catch2/catch.hpp>

using namespace tegula::emulator::test;

namespace {

constexpr auto kBytes = CU_TENSOR_MAP_DATA_TYPE_UINT8;
constexpr auto kAtom32 = static_cast<CUtensorMapSwizzle>(4), kFlip8 = static_cast<CUtensorMapSwizzle>(5),
               kAtom64 = static_cast<CUtensorMapSwizzle>(6);

extern "C" CUresult cuTensorMapEncodeIm2col(CUtensorMap *, CUtensorMapDataType, uint32_t, void *, const uint64_t *,
                                            const uint64_t *, const int *, const int *, uint32_t, uint32_t,
                                            const uint32_t *, CUtensorMapInterleave, CUtensorMapSwizzle,
                                            CUtensorMapL2promotion, CUtensorMapFloatOOBfill);

/// One thread runs `copy`: %rd1 map, %r1 shared address (a multiple of 1024), %r2 mbarrier that expects BYTES, %rd3 a
/// second buffer, %r10 to %r16 the integers. Shared memory is 0x11 before, and is dumped after.
std::string kernel(const std::string &copy, bool waits) {
  return std::string(
             ".version 9.0\n.target sm_100a\n.address_size 64\n.extern .shared .align 1024 .b8 smem[];\n"
             ".shared .align 8 .b8 bar[8]; .shared .align 128 .b8 edit[128];\n"
             ".visible .entry k(.param .align 64 .b8 map[128], .param .u64 out, .param .u64 extra, "
             ".param .u32 words, .param .align 4 .b8 n[32])\n"
             "{\n.reg .pred %p<8>; .reg .b16 %rs<8>; .reg .b32 %r<40>; .reg .b64 %rd<20>;\n"
             "mov.b64 %rd1, map; cvta.param.u64 %rd1, %rd1; ld.param.u64 %rd2, [out]; ld.param.u64 %rd3, [extra];"
             "\nld.param.u32 %r3, [words]; mov.u32 %r1, smem; mov.u32 %r2, bar; mov.u32 %r4, %tid.x;\n"
             "mov.u32 %r5, %r4; FILL: setp.ge.u32 %p1, %r5, %r3; @%p1 bra FILLED;\n"
             "mad.lo.u32 %r6, %r5, 4, %r1; mov.u32 %r7, 0x11111111; st.shared.b32 [%r6], %r7; "
             "add.u32 %r5, %r5, 32; bra FILL;\nFILLED: fence.proxy.async.shared::cta;\n") +
         "ld.param.u32 %r10, [n]; ld.param.u32 %r11, [n+4]; ld.param.u32 %r12, [n+8]; ld.param.u32 %r13, [n+12]; "
         "ld.param.u32 %r14, [n+16]; ld.param.u32 %r15, [n+20]; ld.param.u32 %r16, [n+24]; ld.param.u32 %r17, [n+28];\n"
         "cvt.u16.u32 %rs1, %r15; cvt.u16.u32 %rs2, %r16;\n"
         "setp.ne.u32 %p2, %r4, 0; @%p2 bra ISSUED; mbarrier.init.shared::cta.b64 [%r2], 1; "
         "fence.mbarrier_init.release.cluster;\n" +
         (waits ? "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r2], %r17;\n" : "") + copy + "\n" +
         (waits ? "" : "cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;\n") + "ISSUED: bar.sync 0;\n" +
         (waits ? "WAIT: mbarrier.try_wait.parity.shared::cta.b64 %p3, [%r2], 0; @!%p3 bra WAIT;\n" : "") +
         "mov.u32 %r5, %r4; DUMP: setp.ge.u32 %p1, %r5, %r3; @%p1 bra DUMPED;\n"
         "mad.lo.u32 %r6, %r5, 4, %r1; ld.shared.b32 %r7, [%r6]; mul.wide.u32 %rd5, %r5, 4; add.u64 %rd5, %rd5, %rd2; "
         "st.global.b32 [%rd5], %r7; add.u32 %r5, %r5, 32; bra DUMP;\nDUMPED: ret;\n}\n";
}

struct Copy {
  std::vector<uint8_t> source, shared, extra = std::vector<uint8_t>(256, 0);
  std::array<int32_t, 8> n{}; // coordinates, offsets in 5 and 6, bytes expected in 7
  std::string log;

  /// `encode` makes the map of the buffer that holds `source`.
  template <class Encode>
  CUresult run(const std::string &copy, Encode encode, unsigned shared_bytes, bool waits = true) {
    Emulated device(1);
    CUresult r = device.load(kernel(copy, waits));
    log = device.log;
    if (r != CUDA_SUCCESS)
      return r;
    CUdeviceptr from = device.upload(source), out = device.allocate(shared_bytes), other = device.upload(extra);
    CUtensorMap map;
    REQUIRE(encode(&map, reinterpret_cast<void *>(from)) == CUDA_SUCCESS);
    r = device.run("k", {1}, {32}, shared_bytes, Dim{}, map, out, other, shared_bytes / 4, n);
    shared = device.download<uint8_t>(out, shared_bytes);
    source = device.download<uint8_t>(from, source.size());
    return r;
  }
};

/// A map of rank 2 over rows of bytes.
auto rows_map(uint64_t width, uint64_t height, uint32_t box_width, uint32_t box_height,
              CUtensorMapSwizzle swizzle = CU_TENSOR_MAP_SWIZZLE_NONE, CUtensorMapDataType type = kBytes,
              uint64_t pitch = 0) {
  return [=](CUtensorMap *map, void *base) {
    uint64_t dims[] = {width, height}, strides[] = {pitch ? pitch : width};
    uint32_t box[] = {box_width, box_height}, steps[] = {1, 1};
    return cuTensorMapEncodeTiled(map, type, 2, base, dims, strides, box, steps, CU_TENSOR_MAP_INTERLEAVE_NONE, swizzle,
                                  CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  };
}

std::vector<uint8_t> counting(size_t n) {
  std::vector<uint8_t> v(n);
  for (size_t i = 0; i < n; ++i)
    v[i] = static_cast<uint8_t>(i * 7 + i / 256);
  return v;
}

const std::string kTile = "cp.async.bulk.tensor.2d.shared::cta.global.tile.mbarrier::complete_tx::bytes [%r1], "
                          "[%rd1, {%r10, %r11}], [%r2];";

} // namespace

TEST_CASE("gather4 loads four rows, those outside as zeros") {
  Copy c;
  c.source = counting(64 * 16);
  const auto source = c.source;
  c.n = {16, 3, 15, 99, -1, 0, 0, 4 * 32};
  REQUIRE(c.run("cp.async.bulk.tensor.2d.shared::cta.global.tile::gather4.mbarrier::complete_tx::bytes [%r1], "
                "[%rd1, {%r10, %r11, %r12, %r13, %r14}], [%r2];",
                rows_map(64, 16, 32, 1), 128) == CUDA_SUCCESS);
  for (unsigned r = 0; r < 4; ++r)
    for (unsigned b = 0; b < 32; ++b)
      CHECK(c.shared[r * 32 + b] == (r < 2 ? source[(r == 0 ? 3 : 15) * 64 + 16 + b] : 0));
}
TEST_CASE("gather4 through a map whose box has more rows is named") {
  Copy c;
  c.source = counting(64 * 16);
  c.n = {0, 0, 1, 2, 3, 0, 0, 4 * 32};
  CHECK(c.run("cp.async.bulk.tensor.2d.shared::cta.global.tile::gather4.mbarrier::complete_tx::bytes [%r1], "
              "[%rd1, {%r10, %r11, %r12, %r13, %r14}], [%r2];",
              rows_map(64, 16, 32, 4), 128) == CUDA_ERROR_LAUNCH_FAILED);
}
TEST_CASE("scatter4 stores four rows") {
  Copy c;
  c.source.assign(64 * 16, 0);
  c.n = {32, 5, 2, 15, 0};
  REQUIRE(c.run("cp.async.bulk.tensor.2d.global.shared::cta.tile::scatter4.bulk_group [%rd1, {%r10, %r11, %r12, %r13, "
                "%r14}], [%r1];",
                rows_map(64, 16, 32, 1), 128, false) == CUDA_SUCCESS);
  for (unsigned y = 0; y < 16; ++y)
    for (unsigned x = 0; x < 64; ++x)
      CHECK(c.source[y * 64 + x] == (x >= 32 && (y == 5 || y == 2 || y == 15 || y == 0) ? 0x11 : 0));
}

TEST_CASE("tensor copies: 128-byte swizzles with atoms of 32 and 64 bytes") {
  for (CUtensorMapSwizzle swizzle : {kAtom32, kFlip8, kAtom64}) {
    Copy c;
    c.source = counting(128 * 8);
    const auto source = c.source;
    c.n = {0, 0, 0, 0, 0, 0, 0, 1024};
    REQUIRE(c.run(kTile, rows_map(128, 8, 128, 8, swizzle), 1024) == CUDA_SUCCESS);
    unsigned atom = swizzle == kAtom64 ? 64 : 32;
    for (unsigned r = 0; r < 8; ++r)
      for (unsigned b = 0; b < 128; ++b) {
        unsigned to = (b / atom ^ r % (128 / atom)) * atom + b % atom;
        if (swizzle == kFlip8 && r % 2)
          to ^= 8;
        CHECK(c.shared[r * 128 + to] == source[r * 128 + b]);
      }
  }
}
TEST_CASE("tensor copies: packed types are padded to 16 bytes; what completes has no padding") {
  for (unsigned bits : {4u, 6u}) {
    unsigned row = 128 * bits / 8, share = 16 * bits / 8;
    Copy c;
    c.source = counting(size_t{row} * 4);
    const auto source = c.source;
    c.n = {0, 1, 0, 0, 0, 0, 0, static_cast<int32_t>(row * 2)};
    auto type = bits == 4 ? CU_TENSOR_MAP_DATA_TYPE_16U4_ALIGN16B : CU_TENSOR_MAP_DATA_TYPE_16U6_ALIGN16B;
    REQUIRE(c.run(kTile, rows_map(128, 4, 128, 2, CU_TENSOR_MAP_SWIZZLE_NONE, type, row), 256) == CUDA_SUCCESS);
    for (unsigned r = 0; r < 2; ++r)
      for (unsigned b = 0; b < row; ++b)
        CHECK(c.shared[r * 128 + b / share * 16 + b % share] == source[(r + 1) * row + b]);
  }
}
TEST_CASE("tensor copies: a map survives the bit that CuTe clears in its second word") {
  Copy c;
  c.source = counting(64 * 4);
  const auto source = c.source;
  c.n = {0, 1, 0, 0, 0, 0, 0, 64};
  auto changed = [](CUtensorMap *map, void *base) {
    CUresult r = rows_map(64, 4, 64, 1)(map, base);
    map->opaque[1] ^= uint64_t{1} << 21;
    return r;
  };
  REQUIRE(c.run(kTile, changed, 64) == CUDA_SUCCESS);
  CHECK(std::equal(c.shared.begin(), c.shared.end(), source.begin() + 64));
}
TEST_CASE("tensor copies: dense 4-bit elements count as half bytes") {
  Copy c;
  c.source = counting(64 * 4);
  const auto source = c.source;
  c.n = {64, 2, 0, 0, 0, 0, 0, 32 * 2};
  REQUIRE(c.run(kTile, rows_map(128, 4, 64, 2, CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_DATA_TYPE_16U4_ALIGN8B, 64),
                64) == CUDA_SUCCESS);
  for (unsigned r = 0; r < 2; ++r)
    for (unsigned b = 0; b < 32; ++b)
      CHECK(c.shared[r * 32 + b] == source[(r + 2) * 64 + 32 + b]);
}

namespace {
/// A 3 by 3 filter over N 2, H 5, W 6, C 16 with a padding of 1: pixels' corners -1 and -1.
constexpr int kW = 6, kH = 5, kN = 2, kC = 16, kPixels = 20;
auto im2col_map(uint32_t stride) {
  return [=](CUtensorMap *map, void *base) {
    uint64_t dims[] = {kC, kW, kH, kN}, strides[] = {kC, kC * kW, kC * kW * kH};
    int lower[] = {-1, -1}, upper[] = {-1, -1};
    uint32_t steps[] = {1, stride, stride, 1};
    return cuTensorMapEncodeIm2col(map, kBytes, 4, base, dims, strides, lower, upper, kC, kPixels, steps,
                                   CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
                                   CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  };
}
} // namespace

TEST_CASE("im2col loads the pixels under one tap of a filter, row after row and image after image") {
  for (unsigned stride : {1u, 2u})
    for (int tap : {0, 4, 8}) {
      CAPTURE(stride, tap);
      Copy c;
      c.source = counting(kC * kW * kH * kN);
      const auto source = c.source;
      int first_q = 1, first_p = 1, r = tap / 3, s = tap % 3, step = static_cast<int>(stride);
      c.n = {0, first_q * step - 1, first_p * step - 1, 0, 0, s, r, kC * kPixels};
      REQUIRE(c.run("cp.async.bulk.tensor.4d.shared::cta.global.im2col.mbarrier::complete_tx::bytes [%r1], "
                    "[%rd1, {%r10, %r11, %r12, %r13}], [%r2], {%rs1, %rs2};",
                    im2col_map(stride), kC * kPixels) == CUDA_SUCCESS);
      // Output pixel (p, q) of a convolution: input row p * stride - 1 + r, column q * stride - 1 + s.
      int outputs_w = (kW + 2 - 3) / step + 1, outputs_h = (kH + 2 - 3) / step + 1, n = 0, p = first_p, q = first_q;
      for (int i = 0; i < kPixels; ++i) {
        int y = p * step - 1 + r, x = q * step - 1 + s;
        for (int ch = 0; ch < kC; ++ch) {
          bool inside = y >= 0 && y < kH && x >= 0 && x < kW && n < kN;
          int expected = inside ? source[static_cast<size_t>(((n * kH + y) * kW + x) * kC + ch)] : 0;
          CHECK(c.shared[static_cast<size_t>(i * kC + ch)] == expected);
        }
        if (++q == outputs_w) {
          q = 0;
          if (++p == outputs_h) {
            p = 0;
            ++n;
          }
        }
      }
    }
}
TEST_CASE("im2col through a tiled map is named, and its wide modes are refused") {
  Copy c;
  c.source = counting(1024);
  CHECK(c.run("cp.async.bulk.tensor.3d.shared::cta.global.im2col::w.mbarrier::complete_tx::bytes [%r1], "
              "[%rd1, {%r10, %r11, %r12}], [%r2], {%rs1, %rs2};",
              rows_map(64, 16, 32, 1), 128) == CUDA_ERROR_INVALID_PTX);
  CHECK(c.log.find("im2col::w") != std::string::npos);
}
namespace {
/// Four CTAs; rank 1 copies to all of them through a barrier of the CTA that BARRIER names. Each CTA whose barrier is to
/// hear of `bytes` waits for them and reports.
std::vector<uint32_t> heard(const std::string &group, unsigned barrier_rank, std::array<uint32_t, 4> bytes) {
  Emulated device(1);
  CUresult r = device.load(
      ".version 9.0\n.target sm_100a\n.address_size 64\n.extern .shared .align 1024 .b8 smem[];\n.shared .align 8 .b8 "
      "bar[8];\n.visible .entry k(.param .align 64 .b8 map[128], .param .u64 out, .param .align 4 .b8 bytes[16])\n{\n"
      ".reg .pred %p<8>; .reg .b16 %rs<4>; .reg .b32 %r<20>; .reg .b64 %rd<8>;\nmov.b64 %rd1, map; cvta.param.u64 "
      "%rd1, "
      "%rd1; ld.param.u64 %rd2, [out]; mov.u32 %r1, smem; mov.u32 %r2, bar; mov.u32 %r3, %cluster_ctarank;\n"
      "mov.b64 %rd3, bytes; cvta.param.u64 %rd3, %rd3; mul.wide.u32 %rd4, %r3, 4; add.u64 %rd3, %rd3, %rd4; "
      "ld.b32 %r4, [%rd3];\nmbarrier.init.shared::cta.b64 [%r2], 1; fence.mbarrier_init.release.cluster;\n"
      "barrier.cluster.arrive; barrier.cluster.wait; mov.u32 %r10, 0; mov.b16 %rs1, 15;\n"
      "setp.eq.u32 %p1, %r3, 1; mov.u32 %r5, " +
      std::to_string(barrier_rank) +
      "; mapa.shared::cluster.u32 %r6, %r2, %r5;\n"
      "@%p1 cp.async.bulk.tensor.2d" +
      group +
      ".shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster [%r1], [%rd1, {%r10, %r10}], "
      "[%r6], "
      "%rs1;\n"
      "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r2], %r4;\n"
      "WAIT: mbarrier.try_wait.parity.shared::cta.b64 %p2, [%r2], 0; @!%p2 bra WAIT;\n"
      "barrier.cluster.arrive; barrier.cluster.wait; ld.shared.b32 %r7, [%r1]; add.u64 %rd2, %rd2, %rd4; "
      "st.global.b32 [%rd2], %r7; barrier.cluster.arrive; barrier.cluster.wait; ret;\n}\n");
  UNSCOPED_INFO(device.log);
  REQUIRE(r == CUDA_SUCCESS);
  CUdeviceptr from = device.upload(std::vector<uint32_t>(16, 77)), out = device.allocate(16);
  CUtensorMap map;
  REQUIRE(rows_map(64, 1, 64, 1)(&map, reinterpret_cast<void *>(from)) == CUDA_SUCCESS);
  REQUIRE(device.run("k", {4}, {1}, 64u, Dim{4}, map, out, bytes) == CUDA_SUCCESS);
  return device.download<uint32_t>(out, 4);
}
} // namespace

TEST_CASE("a multicast signals the barrier of every CTA; with .cta_group::2 that of one CTA of each pair, for both") {
  const std::vector<uint32_t> all(4, 77);
  CHECK(heard("", 1, {64, 64, 64, 64}) == all);
  CHECK(heard(".cta_group::2", 0, {128, 0, 128, 0}) == all);
  CHECK(heard(".cta_group::2", 1, {0, 128, 0, 128}) == all);
}

TEST_CASE("a bulk store under a byte mask") {
  Copy c;
  c.source.assign(64, 0);
  c.n = {0, 0, 0, 0, 0, 0x8003};
  REQUIRE(c.run("mov.u32 %r20, 32;\n"
                "cp.async.bulk.global.shared::cta.bulk_group.cp_mask [%rd3], [%r1], %r20, %rs1;\n"
                "cp.async.bulk.commit_group; cp.async.bulk.wait_group 0; ld.global.b32 %r21, [%rd3]; "
                "st.shared.b32 [%r1], %r21; ld.global.b32 %r21, [%rd3+28]; st.shared.b32 [%r1+4], %r21;",
                rows_map(64, 1, 64, 1), 64, false) == CUDA_SUCCESS);
  CHECK(std::vector<uint8_t>(c.shared.begin(), c.shared.begin() + 8) ==
        std::vector<uint8_t>{0x11, 0x11, 0, 0, 0, 0, 0, 0x11});
}

namespace {
/// The map is copied to shared memory, aimed 64 bytes further, and put into the extra buffer, whose address is %rd6.
std::string edited(const std::string &acquire, const std::string &publish) {
  std::string s = "mov.u32 %r20, edit; add.u64 %rd6, %rd3, 127; and.b64 %rd6, %rd6, -128;\n";
  for (int i = 0; i < 128; i += 8)
    s += "ld.b64 %rd7, [%rd1+" + std::to_string(i) + "]; st.shared.b64 [%r20+" + std::to_string(i) + "], %rd7;\n";
  return s +
         "ld.global.b64 %rd9, [%rd3+248];\n" // address of the tensor
         "tensormap.replace.tile.global_dim.shared::cta.b1024.b32 [%r20], 1, 3;\n" +
         publish + acquire +
         "cp.async.bulk.tensor.2d.shared::cta.global.tile.mbarrier::complete_tx::bytes [%r1], [%rd6, {%r10, %r11}], "
         "[%r2];";
}
const std::string kPublish = "ISSUED2: tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync."
                             "aligned [%rd6], [%r20], 128;\n";
const std::string kAcquire = "fence.proxy.tensormap::generic.acquire.gpu [%rd6], 128;\n";

/// All lanes take part, since cp_fenceproxy is one of a warp; the copy is issued by one.
std::string by_the_warp(const std::string &body) {
  std::string s = kernel(body, true);
  auto cut = [&](const std::string &what, const std::string &with) {
    size_t at = s.find(what);
    REQUIRE(at != std::string::npos);
    s.replace(at, what.size(), with);
  };
  cut("setp.ne.u32 %p2, %r4, 0; @%p2 bra ISSUED; mbarrier.init", "setp.eq.u32 %p2, %r4, 0; @%p2 mbarrier.init");
  cut("fence.mbarrier_init.release.cluster;\nmbarrier.arrive",
      "fence.mbarrier_init.release.cluster;\n@%p2 mbarrier.arrive");
  cut("cp.async.bulk.tensor.2d", "@%p2 cp.async.bulk.tensor.2d");
  return s;
}

CUresult run_edited(const std::string &acquire, std::vector<uint8_t> &shared) {
  Emulated device(1);
  CUresult r = device.load(by_the_warp(edited(acquire, kPublish)));
  UNSCOPED_INFO(device.log);
  REQUIRE(r == CUDA_SUCCESS);
  CUdeviceptr from = device.upload(counting(64 * 16)), out = device.allocate(256),
              extra = device.upload(std::vector<uint64_t>(32, from));
  CUtensorMap map;
  REQUIRE(rows_map(64, 16, 64, 4)(&map, reinterpret_cast<void *>(from)) == CUDA_SUCCESS);
  r = device.run("k", {1}, {32}, 256u, Dim{}, map, out, extra, 64u, std::array<int32_t, 8>{0, 0, 0, 0, 0, 0, 0, 256});
  shared = device.download<uint8_t>(out, 256);
  return r;
}
} // namespace

TEST_CASE("tensormap.replace edits a map, which is published and acquired before its use") {
  std::vector<uint8_t> shared;
  REQUIRE(run_edited(kAcquire, shared) == CUDA_SUCCESS);
  auto source = counting(64 * 16);
  for (unsigned i = 0; i < 256; ++i) // the tensor has 3 rows now
    CHECK(shared[i] == (i < 192 ? source[i] : 0));
}
TEST_CASE("launch-08: a map that was rewritten on the device needs the acquiring proxy fence") {
  std::vector<uint8_t> shared;
  CHECK(run_edited("", shared) == CUDA_ERROR_LAUNCH_FAILED);
}
TEST_CASE("tensormap.replace changes every field that it names") {
  // Each row of the table is a field, its value, and what a copy of the 2-by-16 box gives then.
  struct Row {
    const char *replace;
    unsigned first, second, zeros_from; // index of the first byte of both rows; where zeros begin in the box
  };
  const Row kRows[] = {
      {"global_stride.shared::cta.b1024.b64 [%r20], 0, 128", 0, 128, 32},
      {"global_dim.shared::cta.b1024.b32 [%r20], 1, 1", 0, 0, 16},
      {"global_address.shared::cta.b1024.b64 [%r20], %rd9", 32, 96, 32},
  };
  for (const Row &row : kRows) {
    CAPTURE(row.replace);
    std::string body = edited(kAcquire, kPublish);
    size_t at = body.find("global_dim.shared::cta.b1024.b32 [%r20], 1, 3");
    body.replace(at, 45, row.replace);
    at = body.find("tensormap.replace");
    body.insert(at, "add.u64 %rd9, %rd9, 32;\n");
    Emulated device(1);
    REQUIRE(device.load(by_the_warp(body)) == CUDA_SUCCESS);
    auto source = counting(64 * 16);
    CUdeviceptr from = device.upload(source), out = device.allocate(32),
                extra = device.upload(std::vector<uint64_t>(32, from));
    CUtensorMap map;
    REQUIRE(rows_map(64, 16, 16, 2)(&map, reinterpret_cast<void *>(from)) == CUDA_SUCCESS);
    REQUIRE(device.run("k", {1}, {32}, 32u, Dim{}, map, out, extra, 8u,
                       std::array<int32_t, 8>{0, 0, 0, 0, 0, 0, 0, 32}) == CUDA_SUCCESS);
    auto shared = device.download<uint8_t>(out, 32);
    for (unsigned i = 0; i < 32; ++i)
      CHECK(shared[i] == (i >= row.zeros_from ? 0 : source[(i < 16 ? row.first : row.second) + i % 16]));
  }
}
