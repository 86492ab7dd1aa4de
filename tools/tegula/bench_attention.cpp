// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// tegula bench attention: median times of shapes. Writes what bench/compare.py reads.
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "kernels/attention/check/attention_entry.h"
#include "tools/tegula/bench.h"
#include "tools/tegula/timing.h"

namespace tegula {
namespace {

using Json = nlohmann::ordered_json;

struct Figure {
  double us = 0;
  std::string path;
};

// Of the products that the mask leaves.
double flops_of(const AttentionCase &test) {
  double pairs = 0;
  for (int64_t q = 0; q < test.seq_q; ++q) {
    const int64_t last = test.causal ? std::min(q + test.seq_kv - test.seq_q + 1, test.seq_kv) : test.seq_kv;
    pairs += static_cast<double>(std::max<int64_t>(last, 0));
  }
  return 2.0 * static_cast<double>(test.batch * test.heads_q * (test.head_dim + test.value_dim())) * pairs;
}

// Tensors in as many sets as exceed L2 four times over.
class Operands {
public:
  static Result<Operands> make(Session &session, const AttentionCase &test) {
    const int64_t query = test.batch * test.heads_q * test.seq_q, key = test.batch * test.heads_kv * test.seq_kv;
    const int64_t sizes[] = {query * test.head_dim, key * test.head_dim, key * test.value_dim(),
                             query * test.value_dim()};
    const double set_bytes = static_cast<double>(sizes[0] + sizes[1] + sizes[2] + sizes[3]) * 2;
    Operands operands;
    for (int64_t set = 0; set < sets_beyond_l2(set_bytes); ++set) {
      std::array<DevicePtr, 4> at = {};
      for (size_t i = 0; i < 4; ++i) {
        TEGULA_TRY(DeviceBuffer buffer, DeviceBuffer::allocate(session.context, std::max<int64_t>(sizes[i], 1) * 2));
        if (i < 3)
          TEGULA_CHECK(fill_normal(session, buffer, test.dtype, test.seed + i));
        at[i] = buffer.address();
        operands.buffers_.push_back(std::move(buffer));
      }
      operands.calls_.push_back(call_of(test, {at[0], at[1], at[2], at[3], 0}));
    }
    TEGULA_CHECK(session.stream.synchronize());
    return operands;
  }
  [[nodiscard]] int64_t sets() const { return static_cast<int64_t>(calls_.size()); }
  [[nodiscard]] const AttentionArgs &call(int64_t set) const { return calls_[static_cast<size_t>(set)]; }

private:
  std::vector<DeviceBuffer> buffers_;
  std::vector<AttentionArgs> calls_;
};

Result<Figure> measure(Session &session, const AttentionCase &test, int64_t repetitions) {
  TEGULA_TRY(const std::optional<AttentionSchedule> forced, forced_schedule(test));
  Attention attention(session.context, session.jit, {.schedule = forced});
  TEGULA_TRY(const Operands operands, Operands::make(session, test));
  Figure figure;
  TEGULA_TRY(figure.path, attention.explain(operands.call(0)));
  const auto call = [&](int64_t set) { return attention.run(operands.call(set), session.stream); };
  // One query or a few read memory and take no time to launch: as compare.py does, within a graph.
  const bool decode = test.seq_q <= 16;
  TEGULA_TRY(figure.us, decode ? graph_us(session, call, operands.sets(), repetitions ? repetitions : 10)
                               : event_us(session, call, operands.sets(), repetitions ? repetitions : 20));
  return figure;
}

Json to_json(const AttentionCase &test, const Result<Figure> &figure) {
  if (!figure)
    return {{"input", to_string(test)}, {"error", figure.error().message()}};
  return {{"us", figure->us},
          {"path", figure->path},
          {"input", to_string(test)},
          {"tflops", flops_of(test) / figure->us / 1e6}};
}

void print_figure(const AttentionCase &test, const Result<Figure> &figure) {
  if (!figure)
    return fmt::print("{:<60} error: {}\n", to_string(test), figure.error().message());
  fmt::print("{:<60} {:9.1f} us {:6.0f} TFLOP/s  {}\n", to_string(test), figure->us, flops_of(test) / figure->us / 1e6,
             figure->path);
}

} // namespace

Result<int> bench_attention(const Arguments &arguments) {
  return bench_cases(arguments, "attention", [&](Session &session) -> Result<MeasureCase> {
    return [&](const ParameterValues &values) -> Result<Json> {
      TEGULA_TRY(const AttentionCase test, read_attention_case(values));
      const Result<Figure> figure = measure(session, test, arguments.repetitions);
      print_figure(test, figure);
      return to_json(test, figure);
    };
  });
}

} // namespace tegula
