// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One small PTX program a fault, and its twin without it. What is printed on stderr is the report.
#include "test/runtime/emulator/emulated.h"

#include <catch2/catch.hpp>

#include <cstdio>
#include <unistd.h>

using namespace tegula::emulator::test;

namespace {

std::string kernel(const std::string &body, const std::string &declarations = "") {
  return ".version 8.7\n.target sm_90a\n.address_size 64\n" + declarations +
         ".visible .entry k(.param .u64 p, .param .u32 n)\n{\n.reg .pred %p<8>;\n.reg .b32 %r<20>;\n.reg .b64 "
         "%rd<20>;\n"
         "ld.param.u64 %rd1, [p];\nld.param.u32 %r1, [n];\nmov.u32 %r2, %tid.x;\n" +
         body + "\nret;\n}\n";
}

// Lane 0 leaves by a branch backwards from far below; all meet at an aligned instruction above it, lane 0 as the last.
const char *kMeetAgain = R"(
mov.u32 %r3, 0;
setp.eq.u32 %p1, %r2, 0;
TOP:
barrier.sync.aligned 0;
add.u32 %r3, %r3, 1;
setp.ge.u32 %p2, %r3, 4;
@%p2 bra DONE;
@%p1 bra FAR;
bra.uni TOP;
DONE:
mul.wide.u32 %rd2, %r2, 4;
add.s64 %rd3, %rd1, %rd2;
st.global.u32 [%rd3], %r3;
ret;
FAR:
nanosleep.u32 1;
bra.uni TOP;
)";

// Keeps what is printed on stderr while it lives.
class Stderr {
public:
  Stderr() : file_(std::tmpfile()), before_(dup(STDERR_FILENO)) { dup2(fileno(file_), STDERR_FILENO); }
  ~Stderr() {
    dup2(before_, STDERR_FILENO);
    close(before_);
    std::fclose(file_);
  }
  Stderr(const Stderr &) = delete;
  Stderr &operator=(const Stderr &) = delete;
  std::string text() {
    std::fflush(stderr);
    std::string all(static_cast<size_t>(lseek(fileno(file_), 0, SEEK_END)), '\0');
    all.resize(static_cast<size_t>(pread(fileno(file_), all.data(), all.size(), 0)));
    return all;
  }

private:
  std::FILE *file_;
  int before_;
};

struct Fault : Emulated {
  CUdeviceptr buffer = allocate(1024);

  CUresult outcome(const std::string &ptx, unsigned threads = 32, int n = 0, unsigned shared = 0) {
    CUresult r = load(ptx);
    UNSCOPED_INFO(log);
    if (r != CUDA_SUCCESS)
      return r;
    Stderr heard;
    r = run("k", {1}, {threads}, shared, Dim{}, buffer, n);
    report = heard.text();
    UNSCOPED_INFO(report);
    return r;
  }
  std::string report; // of the last launch
};

const char *kStore = "mul.wide.u32 %rd2, %r2, 4; add.s64 %rd3, %rd1, %rd2; st.global.u32 [%rd3+OFF], %r2;";
std::string store_at(const std::string &offset) {
  std::string s = kStore;
  return kernel(s.replace(s.find("OFF"), 3, offset));
}
const std::string kBarrier = ".shared .align 8 .b8 bar[8];\n";
const std::string kInit = "mov.u32 %r3, bar; setp.eq.u32 %p1, %r2, 0; @%p1 mbarrier.init.shared.b64 [%r3], COUNT; "
                          "bar.sync 0;\n";
std::string with_barrier(int count, const std::string &body) {
  std::string s = kInit;
  return kernel(s.replace(s.find("COUNT"), 5, std::to_string(count)) + body, kBarrier);
}
const std::string kWait = "W: mbarrier.try_wait.parity.shared.b64 %p2, [%r3], PARITY; @!%p2 bra W;\n";
std::string wait_for(const std::string &parity) {
  std::string s = kWait;
  return s.replace(s.find("PARITY"), 6, parity);
}

} // namespace

TEST_CASE_METHOD(Fault, "lanes that took different ways meet at an aligned instruction, whoever comes last") {
  CHECK(outcome(kernel(kMeetAgain)) == CUDA_SUCCESS);
  for (uint32_t rounds : download<uint32_t>(buffer, 32))
    CHECK(rounds == 4);
}

TEST_CASE_METHOD(Fault, "the last element may be written") { CHECK(outcome(store_at("896")) == CUDA_SUCCESS); }
TEST_CASE_METHOD(Fault, "a write past the end of a buffer") {
  CHECK(outcome(store_at("900")) == CUDA_ERROR_ILLEGAL_ADDRESS);
}
TEST_CASE_METHOD(Fault, "a write before a buffer") { CHECK(outcome(store_at("-4")) == CUDA_ERROR_ILLEGAL_ADDRESS); }
TEST_CASE_METHOD(Fault, "a misaligned write") { CHECK(outcome(store_at("2")) == CUDA_ERROR_MISALIGNED_ADDRESS); }
TEST_CASE_METHOD(Fault, "a use after free") {
  CUdeviceptr other = 0;
  REQUIRE(cuMemAlloc_v2(&other, 1024) == CUDA_SUCCESS);
  REQUIRE(cuMemFree_v2(other) == CUDA_SUCCESS);
  buffer = other;
  CHECK(outcome(store_at("0")) == CUDA_ERROR_ILLEGAL_ADDRESS);
}
TEST_CASE_METHOD(Fault, "a vector load at half its alignment") {
  CHECK(outcome(kernel("ld.global.v4.u32 {%r3, %r4, %r5, %r6}, [%rd1+8];")) == CUDA_ERROR_MISALIGNED_ADDRESS);
}
TEST_CASE_METHOD(Fault, "shared memory overrun") {
  std::string body = "mov.u32 %r3, s; st.shared.u32 [%r3+OFF], %r2;";
  auto at = [&](const char *offset) {
    std::string b = body;
    return kernel(b.replace(b.find("OFF"), 3, offset), ".shared .align 4 .b8 s[16];\n");
  };
  CHECK(outcome(at("12")) == CUDA_SUCCESS);
  CHECK(outcome(at("16")) == CUDA_ERROR_ILLEGAL_ADDRESS);
}
TEST_CASE_METHOD(Fault, "a write to constant memory") {
  CHECK(outcome(kernel("mov.u64 %rd2, c; st.global.u32 [%rd2], %r2;", ".const .align 4 .b32 c = 1;\n")) ==
        CUDA_ERROR_ILLEGAL_ADDRESS);
}

TEST_CASE_METHOD(Fault, "an mbarrier that gets its arrivals lets go") {
  CHECK(outcome(with_barrier(32, "mbarrier.arrive.shared.b64 _, [%r3];\n" + wait_for("0"))) == CUDA_SUCCESS);
}
TEST_CASE_METHOD(Fault, "an mbarrier that lacks an arrival is a deadlock") {
  CHECK(outcome(with_barrier(33, "mbarrier.arrive.shared.b64 _, [%r3];\n" + wait_for("0"))) ==
        CUDA_ERROR_LAUNCH_TIMEOUT);
}
TEST_CASE_METHOD(Fault, "parity 1 of a fresh mbarrier passes") {
  CHECK(outcome(with_barrier(1, wait_for("1"))) == CUDA_SUCCESS);
}
TEST_CASE_METHOD(Fault, "bytes that never come are a deadlock") {
  CHECK(outcome(with_barrier(32, "mbarrier.arrive.expect_tx.shared.b64 _, [%r3], 16;\n" + wait_for("0"))) ==
        CUDA_ERROR_LAUNCH_TIMEOUT);
}
TEST_CASE_METHOD(Fault, "more arrivals than the phase expects") {
  CHECK(outcome(with_barrier(33, "mbarrier.arrive.shared.b64 _, [%r3], 2;\n")) == CUDA_ERROR_LAUNCH_FAILED);
}
TEST_CASE_METHOD(Fault, "an mbarrier nobody initialised") {
  CHECK(outcome(kernel("mov.u32 %r3, bar;\n" + wait_for("0"), kBarrier)) == CUDA_ERROR_LAUNCH_FAILED);
}

TEST_CASE_METHOD(Fault, "hang-08: a wait one past the barriers that were initialised") {
  auto wait_on = [](const char *offset) {
    std::string init = kInit;
    return kernel(init.replace(init.find("COUNT"), 5, "1") + "add.u32 %r3, %r3, " + offset + ";\n" + wait_for("1"),
                  ".shared .align 8 .b8 bar[16];\n");
  };
  CHECK(outcome(wait_on("0")) == CUDA_SUCCESS);
  CHECK(outcome(wait_on("8")) == CUDA_ERROR_LAUNCH_FAILED);
  CHECK(report.find("where no mbarrier has been initialised") != std::string::npos);
}

TEST_CASE_METHOD(Fault, "a named barrier for more threads than come is a deadlock") {
  CHECK(outcome(kernel("bar.sync 1, 64;"), 64) == CUDA_SUCCESS);
  CHECK(outcome(kernel("bar.sync 1, 64;"), 32) == CUDA_ERROR_LAUNCH_TIMEOUT);
}
TEST_CASE_METHOD(Fault, "a named barrier with two counts") {
  CHECK(outcome(kernel("setp.lt.u32 %p1, %r2, 32; selp.b32 %r3, 64, 96, %p1; bar.sync 1, %r3;"), 64) != CUDA_SUCCESS);
}
TEST_CASE_METHOD(Fault, "threads that left are not waited for") {
  CHECK(outcome(kernel("setp.ge.u32 %p1, %r2, 40; @%p1 ret; bar.sync 0;"), 64) == CUDA_SUCCESS);
}
TEST_CASE_METHOD(Fault, "an aligned instruction that some lanes never reach") {
  std::string ld = "mov.u32 %r3, s; ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r4}, [%r3];";
  std::string decl = ".shared .align 16 .b8 s[128];\n";
  CHECK(outcome(kernel(ld, decl)) == CUDA_SUCCESS);
  CHECK(outcome(kernel("setp.lt.u32 %p1, %r2, 16; @%p1 bra SPIN; " + ld + " bra OUT;\nSPIN: bar.sync 3, 64;\nOUT:",
                       decl)) == CUDA_ERROR_LAUNCH_TIMEOUT);
}
TEST_CASE_METHOD(Fault, "setmaxnreg beyond the pool is a deadlock") {
  auto body = [](const char *n) { return kernel("setmaxnreg.inc.sync.aligned.u32 " + std::string(n) + ";"); };
  CHECK(outcome(body("160"), 384) == CUDA_SUCCESS);
  CHECK(outcome(body("240"), 384) == CUDA_ERROR_LAUNCH_TIMEOUT);
}
TEST_CASE_METHOD(Fault, "trap") { CHECK(outcome(kernel("trap;")) == CUDA_ERROR_LAUNCH_FAILED); }
TEST_CASE_METHOD(Fault, "an endless loop meets its budget") {
  tegula_emulator_set("budget", "100000");
  CHECK(outcome(kernel("L: add.s32 %r3, %r3, 1; bra L;")) == CUDA_ERROR_LAUNCH_TIMEOUT);
  tegula_emulator_set("budget", "1099511627776");
}

namespace {
const std::string kAccumulators =
    ".reg .f32 %f<4>; .reg .b64 %d<2>; mov.u64 %d0, 0x40000000400040; mov.u64 %d1, 0x40000000400040;\n";
const std::string kProduct =
    "wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {%f0,%f1,%f2,%f3}, %d0, %d1, 1, 1, 1, 0, 0;\n"
    "wgmma.commit_group.sync.aligned;\n";
const std::string kTiles = ".shared .align 1024 .b8 tiles[8192];\n";
std::string product(const std::string &before, const std::string &after) {
  return kernel(kAccumulators + before + kProduct + after + "mov.u32 %r9, tiles;", kTiles);
}
} // namespace

TEST_CASE_METHOD(Fault, "wgmma's accumulator read before the wait") {
  std::string read = "add.f32 %f0, %f0, 0f3F800000;\n", wait = "wgmma.wait_group.sync.aligned 0;\n";
  CHECK(outcome(product("wgmma.fence.sync.aligned;\n", wait + read), 128) == CUDA_SUCCESS);
  CHECK(outcome(product("wgmma.fence.sync.aligned;\n", read + wait), 128) == CUDA_ERROR_LAUNCH_FAILED);
}
TEST_CASE_METHOD(Fault, "wgmma's accumulator written without wgmma.fence") {
  std::string write = "mov.f32 %f0, 0f00000000;\n", wait = "wgmma.wait_group.sync.aligned 0;\n";
  CHECK(outcome(product(write + "wgmma.fence.sync.aligned;\n", wait), 128) == CUDA_SUCCESS);
  CHECK(outcome(product("wgmma.fence.sync.aligned;\n" + write, wait), 128) == CUDA_ERROR_LAUNCH_FAILED);
}
TEST_CASE_METHOD(Fault, "wgmma on shared memory without a proxy fence") {
  std::string store = "mov.u32 %r9, tiles; st.shared.u32 [%r9], %r2;\n", wait = "wgmma.wait_group.sync.aligned 0;\n";
  std::string fence = "fence.proxy.async.shared::cta;\n", rest = "bar.sync 0; wgmma.fence.sync.aligned;\n";
  CHECK(outcome(product(store + fence + rest, wait), 128) == CUDA_SUCCESS);
  CHECK(outcome(product(store + rest, wait), 128) == CUDA_ERROR_LAUNCH_FAILED);
}

namespace {
// A tile is filled, multiplied by the warpgroup and filled again; `release` stands between the product and the refill.
std::string refilled(const std::string &release) {
  const std::string fill = "mov.u32 %r9, tiles;\n@%p1 mbarrier.arrive.expect_tx.shared.b64 _, [%r3], 512;\n@%p1 "
                           "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r9], [%rd1], 512, "
                           "[%r3];\n";
  std::string again = wait_for("1");
  for (size_t at = 0; (at = again.find('W', at)) != std::string::npos;)
    again.replace(at, 1, "V");
  return kernel(kAccumulators + "mov.u32 %r3, bar; setp.eq.u32 %p1, %r2, 0; @%p1 mbarrier.init.shared.b64 [%r3], 1; " +
                    "bar.sync 0;\n" + fill + wait_for("0") +
                    "cvt.u64.u32 %d0, %r9; shr.u64 %d0, %d0, 4; or.b64 %d0, %d0, 0x40000000400000; mov.b64 %d1, %d0;\n"
                    "wgmma.fence.sync.aligned;\n" +
                    kProduct + release + fill + again + "wgmma.wait_group.sync.aligned 0;\n",
                kTiles + kBarrier);
}
} // namespace

TEST_CASE_METHOD(Fault, "hang-07: a copy over an operand that a wgmma in flight still reads") {
  const std::string wait = "wgmma.wait_group.sync.aligned 0;\n", all = "bar.sync 0;\n";
  CHECK(outcome(refilled(wait + all), 128) == CUDA_SUCCESS);
  CHECK(outcome(refilled(all), 128) == CUDA_ERROR_LAUNCH_FAILED);
  CHECK(report.find("bulk copy writes 512 bytes at shared offset") != std::string::npos);
  CHECK(report.find("which a wgmma of warp ") != std::string::npos);
  CHECK(report.find("may still read") != std::string::npos);
}

TEST_CASE_METHOD(Fault, "an unknown instruction is refused by name and line") {
  CHECK(outcome(kernel("frobnicate.b32 %r3, %r2;")) == CUDA_ERROR_INVALID_PTX);
  CHECK(log.find("frobnicate.b32") != std::string::npos);
  CHECK(log.find("line 12") != std::string::npos);
}
TEST_CASE_METHOD(Fault, "an unknown modifier is refused") {
  CHECK(outcome(kernel("add.shiny.s32 %r3, %r2, 1;")) == CUDA_ERROR_INVALID_PTX);
  CHECK(log.find(".shiny") != std::string::npos);
}
TEST_CASE_METHOD(Fault, "a cubin is refused with advice") {
  CHECK(load("\x7f"
             "ELF\x02\x01") == CUDA_ERROR_NO_BINARY_FOR_GPU);
  CHECK(log.find("PTX") != std::string::npos);
}
TEST_CASE("PTX for another architecture is refused") {
  Emulated blackwell(1);
  CHECK(blackwell.load(kernel("")) == CUDA_ERROR_NO_BINARY_FOR_GPU);
}
