// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Events and graphs around calls, and operands that cost no time to make: one pattern, copied over and over on the
// device.
#include "tools/tegula/timing.h"

#include <algorithm>

#include "kernels/check/values.h"
#include "runtime/driver/graph.h"

namespace tegula {
namespace {

constexpr double kGraphBelow = 3e10; // FLOP, as compare.py draws the line
constexpr double kRotateBytes = 256e6;

} // namespace

Result<void> fill_normal(Session &session, DeviceBuffer &buffer, DType dtype, uint64_t seed) {
  const NormalPattern pattern(dtype, seed);
  int64_t filled = std::min(buffer.size_bytes(), bytes(dtype, NormalPattern::kElements));
  std::vector<std::byte> host(static_cast<size_t>(filled));
  pattern.fill(host.data(), 0, filled / bytes(dtype));
  TEGULA_CHECK(buffer.upload(host));
  const Driver &driver = session.context.driver();
  const CurrentContext current(*session.context.state());
  while (filled < buffer.size_bytes()) {
    const int64_t more = std::min(filled, buffer.size_bytes() - filled);
    TEGULA_CHECK(driver.check(
        driver.api().cuMemcpyDtoDAsync_v2(buffer.address() + filled, buffer.address(), more, session.stream.raw()),
        "cuMemcpyDtoDAsync_v2"));
    filled += more;
  }
  return {};
}

int64_t sets_beyond_l2(double set_bytes) {
  return std::clamp<int64_t>(static_cast<int64_t>(kRotateBytes / std::max(set_bytes, 1.0)) + 1, 1, 16);
}

double median(std::vector<double> values) {
  if (values.empty())
    return 0;
  std::sort(values.begin(), values.end());
  const size_t half = values.size() / 2;
  return values.size() % 2 ? values[half] : (values[half - 1] + values[half]) / 2;
}

Result<double> event_us(Session &session, const TimedCall &call, int64_t sets, int64_t repetitions) {
  for (int64_t i = 0; i < std::max<int64_t>(3, sets); ++i)
    TEGULA_CHECK(call(i % sets));
  TEGULA_CHECK(session.stream.synchronize());
  std::vector<std::pair<Event, Event>> events;
  for (int64_t i = 0; i < repetitions; ++i) {
    TEGULA_TRY(Event begin, Event::create(session.context));
    TEGULA_TRY(Event end, Event::create(session.context));
    events.emplace_back(std::move(begin), std::move(end));
  }
  for (int64_t i = 0; i < repetitions; ++i) {
    TEGULA_CHECK(events[i].first.record(session.stream));
    TEGULA_CHECK(call(i % sets));
    TEGULA_CHECK(events[i].second.record(session.stream));
  }
  TEGULA_CHECK(session.stream.synchronize());
  std::vector<double> times;
  for (const auto &[begin, end] : events) {
    TEGULA_TRY(const float ms, elapsed_ms(begin, end));
    times.push_back(1e3 * ms);
  }
  return median(std::move(times));
}

Result<double> graph_us(Session &session, const TimedCall &call, int64_t sets, int64_t repetitions, int64_t calls) {
  for (int64_t i = 0; i < sets; ++i)
    TEGULA_CHECK(call(i));
  TEGULA_CHECK(session.stream.synchronize());
  const auto record = [&]() -> Result<void> {
    for (int64_t i = 0; i < calls; ++i)
      TEGULA_CHECK(call(i % sets));
    return {};
  };
  TEGULA_TRY(const Graph graph, Graph::capture(session.stream, record));
  TEGULA_TRY(const GraphExec replay, graph.instantiate());
  TEGULA_TRY(const double us,
             event_us(session, [&](int64_t) { return replay.launch(session.stream); }, 1, repetitions));
  return us / static_cast<double>(calls);
}

Result<double> time_us(Session &session, const TimedCall &call, int64_t sets, double flops, int64_t repetitions) {
  return flops < kGraphBelow ? graph_us(session, call, sets, repetitions ? repetitions : 10)
                             : event_us(session, call, sets, repetitions ? repetitions : 20);
}

Result<GemmOperands> GemmOperands::make(Session &session, const GemmCase &test) {
  const GemmShapes shapes = operand_shapes(test);
  const double set_bytes = static_cast<double>(bytes(test.in, shapes.a.span()) + bytes(test.in, shapes.b.span()) +
                                               bytes(test.out, shapes.d.span()));
  const int64_t sets = sets_beyond_l2(set_bytes);
  GemmOperands operands;
  for (int64_t set = 0; set < sets; ++set) {
    std::vector<DeviceBuffer> buffers;
    std::vector<DevicePtr> at;
    for (const StridedShape *shape : {&shapes.a, &shapes.b, &shapes.d, &shapes.c, &shapes.bias}) {
      const bool needed =
          (shape != &shapes.c || test.beta != 0) && (shape != &shapes.bias || test.bias != BiasAxis::none);
      TEGULA_TRY(
          DeviceBuffer buffer,
          DeviceBuffer::allocate(session.context, needed ? bytes(shape->dtype, shape->shift + shape->span()) : 0));
      if (needed && shape != &shapes.d)
        TEGULA_CHECK(fill_normal(session, buffer, shape->dtype, test.seed + buffers.size()));
      at.push_back(needed ? buffer.address() + static_cast<DevicePtr>(bytes(shape->dtype, shape->shift)) : 0);
      buffers.push_back(std::move(buffer));
    }
    operands.calls_.push_back(call_of(test, {.a = at[0], .b = at[1], .c = at[3], .d = at[2], .bias = at[4]}));
    operands.sets_.push_back(std::move(buffers));
  }
  TEGULA_CHECK(session.stream.synchronize());
  return operands;
}

} // namespace tegula
