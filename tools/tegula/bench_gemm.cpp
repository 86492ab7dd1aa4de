// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// tegula bench gemm: median times of shapes, alone or beside cuBLAS. Writes what bench/compare.py reads.
#include <optional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "kernels/gemm/check/gemm_entry.h"
#include "tools/tegula/bench.h"
#include "tools/tegula/cublas.h"
#include "tools/tegula/timing.h"

namespace tegula {
namespace {

using Json = nlohmann::ordered_json;

struct Figure {
  double us = 0;
  double peer_us = 0; ///< 0: not measured
  std::string path;
};

Result<Figure> measure(Session &session, Gemm &shared, const GemmCase &test, Cublas *peer, int64_t repetitions) {
  const DeviceInfo &device = session.context.device();
  TEGULA_TRY(const auto forced, forced_schedule(test, {device.multiprocessors, device.shared_bytes_per_block}));
  Gemm own(session.context, session.jit, {.schedule = forced});
  Gemm &gemm = forced ? own : shared;
  TEGULA_TRY(const GemmOperands operands, GemmOperands::make(session, test));
  Figure figure;
  TEGULA_TRY(figure.path, gemm.explain(operands.call(0)));
  const double flops = flops_of(test);
  const auto ours = [&](int64_t set) { return gemm.run(operands.call(set), session.stream); };
  TEGULA_TRY(figure.us, time_us(session, ours, operands.sets(), flops, repetitions));
  if (peer) {
    const auto theirs = [&](int64_t set) { return peer->run(test, operands.call(set)); };
    TEGULA_TRY(figure.peer_us, time_us(session, theirs, operands.sets(), flops, repetitions));
  }
  return figure;
}

Json to_json(const GemmCase &test, const Result<Figure> &figure) {
  if (!figure)
    return {{"input", to_string(test)}, {"error", figure.error().message()}};
  Json json{{"us", figure->us},
            {"path", figure->path},
            {"input", to_string(test)},
            {"tflops", flops_of(test) / figure->us / 1e6}};
  if (figure->peer_us > 0) {
    json["peer_us"] = figure->peer_us;
    json["ratio"] = figure->peer_us / figure->us;
  }
  return json;
}

void print_figure(const GemmCase &test, const Result<Figure> &figure) {
  if (!figure)
    return fmt::print("{:<60} error: {}\n", to_string(test), figure.error().message());
  fmt::print("{:<60} {:9.1f} us {:6.0f} TFLOP/s", to_string(test), figure->us, flops_of(test) / figure->us / 1e6);
  if (figure->peer_us > 0)
    fmt::print(" | cublas {:9.1f} us, ratio {:.3f}", figure->peer_us, figure->peer_us / figure->us);
  fmt::print("  {}\n", figure->path);
}

} // namespace

Result<int> bench_gemm(const Arguments &arguments) {
  struct Sides {
    Gemm ours;
    std::optional<Cublas> peer = {};
  };
  return bench_cases(arguments, "gemm", [&](Session &session) -> Result<MeasureCase> {
    auto sides = std::make_shared<Sides>(Sides{Gemm(session.context, session.jit)});
    if (arguments.versus == "cublas") {
      TEGULA_TRY(sides->peer, Cublas::open(session));
    }
    return [&, sides](const ParameterValues &values) -> Result<Json> {
      TEGULA_TRY(const GemmCase test, read_gemm_case(values));
      const Result<Figure> figure =
          measure(session, sides->ours, test, sides->peer ? &*sides->peer : nullptr, arguments.repetitions);
      print_figure(test, figure);
      return to_json(test, figure);
    };
  });
}

} // namespace tegula
