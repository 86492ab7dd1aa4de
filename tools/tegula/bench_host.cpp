// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// tegula bench host: a launch beside the driver's bare call with the same arguments, a warm load, a cold compile and
// its memory, the start of the program.
#include <chrono>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <unistd.h>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "kernels/gemm/check/gemm_entry.h"
#include "tools/tegula/bench.h"
#include "tools/tegula/child.h"
#include "tools/tegula/launch_recorder.h"
#include "tools/tegula/session.h"
#include "tools/tegula/timing.h"

namespace tegula {
namespace {

using Json = nlohmann::ordered_json;
using Clock = std::chrono::steady_clock;

constexpr int64_t kBurst = 400; // launches in a row: fewer than the driver's queue holds
constexpr int64_t kRounds = 25;

double microseconds_since(Clock::time_point began) {
  return std::chrono::duration<double, std::micro>(Clock::now() - began).count();
}

GemmCase default_case() { return {.m = 4096, .n = 4096, .k = 4096}; }
GemmCase small_case() { return {.m = 128, .n = 256, .k = 64, .schedule = "cluster=2,stages=4,swap=0,split_k=1"}; }

// Median microseconds of a call on the host, over rounds that alternate between the two sides.
struct Launches {
  double ours_us = 0, moved_us = 0, bare_us = 0;
};

Result<double> burst_us(const Session &session, const std::function<Result<void>(int64_t)> &launch) {
  const auto began = Clock::now();
  for (int64_t i = 0; i < kBurst; ++i)
    TEGULA_CHECK(launch(i));
  const double us = microseconds_since(began) / kBurst;
  TEGULA_CHECK(session.stream.synchronize());
  return us;
}

Result<Launches> measure_launches(Session &session) {
  TEGULA_TRY(const auto forced, forced_schedule(small_case(), {}));
  Gemm gemm(session.context, session.jit, {.schedule = forced});
  TEGULA_TRY(const GemmOperands operands, GemmOperands::make(session, small_case()));
  TEGULA_CHECK(gemm.prepare(operands.call(0), session.stream));
  TEGULA_TRY(const RecordedLaunch bare,
             record_launch(session, [&] { return gemm.run(operands.call(0), session.stream); }));
  std::vector<double> ours, moved, plain;
  for (int64_t round = 0; round < kRounds; ++round) {
    TEGULA_TRY(const double a, burst_us(session, [&](int64_t) { return gemm.run(operands.call(0), session.stream); }));
    TEGULA_TRY(const double b, burst_us(session, [&](int64_t) { return bare.launch(session); }));
    TEGULA_TRY(const double c, burst_us(session, [&](int64_t i) {
                 return gemm.run(operands.call(i % operands.sets()), session.stream);
               }));
    ours.push_back(a), plain.push_back(b), moved.push_back(c);
  }
  return Launches{median(ours), median(moved), median(plain)};
}

Result<double> cold_compile_ms() {
  JitOptions options;
  options.cache_bytes = 0; // memory only: nothing is found
  Jit jit(options);
  TEGULA_TRY(const GemmPlan plan, plan_case(default_case()));
  const auto began = Clock::now();
  TEGULA_TRY(const JitKernel kernel, jit.compile(gemm_source(plan), "sm_90a"));
  if (!kernel.compiled)
    return Error(ErrorCode::internal, "the cold compile was found in a cache");
  return microseconds_since(began) / 1e3;
}

class TemporaryFolder {
public:
  TemporaryFolder() : path_(std::filesystem::temp_directory_path() / fmt::format("tegula-bench-{}", getpid())) {}
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  [[nodiscard]] std::string operator/(const char *name) const { return (path_ / name).string(); }

private:
  std::filesystem::path path_;
};

Result<double> start_ms() {
  std::vector<double> times;
  for (int i = 0; i < 11; ++i) {
    TEGULA_TRY(const ChildRun run, run_self({"--version"}));
    times.push_back(run.wall_us / 1e3);
  }
  return median(times);
}

void add(Json &figures, const char *name, double value, const char *unit, double limit) {
  figures.push_back({{"figure", name}, {"value", value}, {"unit", unit}, {"limit", limit}});
  fmt::print("{:<58} {:10.2f} {}{}\n", name, value, unit, limit > 0 ? fmt::format("  (limit {:g})", limit) : "");
}

} // namespace

Result<int> bench_warm_load(const Arguments &arguments) {
  TEGULA_TRY(const Context context, open_context(arguments));
  TEGULA_TRY(const GemmPlan plan, plan_case(default_case()));
  const auto began = Clock::now();
  Jit jit = make_jit(arguments);
  TEGULA_TRY(const Kernel kernel, jit.load(context, gemm_source(plan)));
  TEGULA_CHECK(kernel.function().load_now());
  fmt::print("{:.1f} {}\n", microseconds_since(began), jit.counts().compiles);
  return 0;
}

Result<int> bench_host(const Arguments &arguments) {
  Json figures = Json::array();
  TEGULA_TRY(const double cold, cold_compile_ms()); // first: nothing of LLVM is warm yet
  add(figures, "cold JIT of the GEMM", cold, "ms", 1000);
  TEGULA_TRY(const double start, start_ms());
  add(figures, "tegula --version", start, "ms", 50);
  const TemporaryFolder folder;
  TEGULA_TRY(const ChildRun compile, run_self({"compile", "gemm", "-o", folder / "out", "--cache", folder / "cache"}));
  add(figures, "peak memory of a compile", static_cast<double>(compile.peak_bytes) / 1e6, "MB", 500);
  add(figures, "tegula compile gemm, cold, as a process", compile.wall_us / 1e3, "ms", 0);

  TEGULA_TRY(const Context context, open_context(arguments));
  if (context.device().emulated) {
    fmt::print("no GPU: launches and loads are not measured\n");
  } else {
    const std::string device = fmt::format("cuda:{}", context.device().ordinal);
    std::vector<double> loads;
    for (int i = 0; i < 5; ++i) {
      TEGULA_TRY(const ChildRun run,
                 run_self({"bench", "host-warm-load", "--cache", folder / "cache", "--device", device}));
      loads.push_back(std::strtod(run.output.c_str(), nullptr) / 1e3);
    }
    add(figures, "warm load from the cache in a new process", median(loads), "ms", 50);
    TEGULA_TRY(const Stream stream, Stream::create(context));
    Jit jit = make_jit(arguments);
    Session session{context, jit, stream};
    TEGULA_TRY(const Launches launches, measure_launches(session));
    add(figures, "cuLaunchKernelEx alone", launches.bare_us, "us", 0);
    add(figures, "gemm, prepared, same operands", launches.ours_us, "us", 0);
    add(figures, "gemm, prepared, other operands each time", launches.moved_us, "us", 0);
    add(figures, "cached launch over the bare call", launches.ours_us - launches.bare_us, "us", 1);
  }
  if (!arguments.json_file.empty())
    std::ofstream(arguments.json_file) << figures.dump(2) << '\n';
  for (const Json &figure : figures)
    if (figure["limit"].get<double>() > 0 && figure["value"].get<double>() > figure["limit"].get<double>())
      return 1;
  return 0;
}

} // namespace tegula
