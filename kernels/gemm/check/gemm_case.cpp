// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads, prints and draws GEMM cases, and lays out their operands.
#include "kernels/gemm/check/gemm_case.h"

#include <algorithm>
#include <array>
#include <limits>

#include <fmt/format.h>

namespace tegula {
namespace {

constexpr std::array<std::string_view, 2> kInputs = {"bf16", "fp16"};
constexpr std::array<std::string_view, 4> kOutputs = {"same", "f32", "bf16", "fp16"};
constexpr std::array<std::string_view, 4> kLayouts = {"nn", "nt", "tn", "tt"};
constexpr std::array<std::string_view, 4> kActivations = {"none", "relu", "gelu", "silu"};
constexpr std::array<std::string_view, 3> kBiasAxes = {"none", "column", "row"};
constexpr std::array<std::string_view, 2> kOrders = {"row", "column"};
constexpr std::array<std::string_view, 8> kShared = {"none", "a", "b", "c", "ab", "ac", "bc", "abc"};
constexpr std::array<std::string_view, 4> kCShared = {"none", "m", "n", "mn"};

std::string none_as_empty(std::string_view choice) { return choice == "none" ? "" : std::string(choice); }

// A matrix of rows by columns: `pitch` elements from one line of dense elements to the next, 0 for as many as it holds.
StridedShape lay_out(const GemmCase &test, DType dtype, int64_t rows, int64_t columns, bool transposed, int64_t pitch,
                     bool shared) {
  const int64_t line = transposed ? rows : columns, lines = transposed ? columns : rows;
  const int64_t step = pitch == 0 ? std::max<int64_t>(line, 1) : pitch;
  const int64_t matrix = std::max<int64_t>(lines, 1) * step + test.gap;
  return {.dtype = dtype,
          .extents = {test.batch, rows, columns},
          .strides = {shared ? 0 : matrix, transposed ? 1 : step, transposed ? step : 1},
          .shift = test.shift};
}

GemmMatrix matrix_at(cu::CUdeviceptr address, const StridedShape &shape) {
  return {address, shape.strides[1], shape.strides[2], shape.strides[0]};
}

void check_pitch(std::string_view name, int64_t pitch, int64_t line, Complaints &wrong) {
  if (pitch != 0 && pitch < line)
    wrong.add(fmt::format("{} is {}; it must be 0 (dense) or at least {}", name, pitch, line));
}

} // namespace

const std::vector<Parameter> &gemm_parameters() {
  static const std::vector<Parameter> parameters = {
      {"m", "4096", "rows of A and D"},
      {"n", "4096", "columns of B and D"},
      {"k", "4096", "columns of A, rows of B"},
      {"batch", "1", "products"},
      {"dtype", "bf16", "of A and B: bf16, fp16"},
      {"out", "same", "of C, D and the bias: same, f32"},
      {"layout", "nt", "of A and B: n stored by rows, t by columns"},
      {"order", "row", "of C and D: row, column"},
      {"act", "none", "activation: none, relu, gelu, silu"},
      {"bias", "none", "a value a column or a row of D: none, column, row"},
      {"alpha", "1", "scales the product"},
      {"beta", "0", "scales C; 0: C is not read"},
      {"lda", "0", "elements from a line of A to the next; 0: dense"},
      {"ldb", "0", "the same of B"},
      {"ldc", "0", "the same of C"},
      {"ldd", "0", "the same of D"},
      {"gap", "0", "elements between the matrices of a batch"},
      {"shift", "0", "elements by which operands are off an aligned address"},
      {"broadcast", "none", "operands that a batch shares: letters of abc"},
      {"c_broadcast", "none", "axes along which C does not vary: none, m, n, mn"},
      {"seed", "1", "of the random operands"},
      {"schedule", "", "fields over the table's choice, as tile_n=128,stages=6"},
  };
  return parameters;
}

Result<GemmCase> read_gemm_case(const ParameterValues &values) {
  constexpr int64_t kMost = std::numeric_limits<int32_t>::max();
  Complaints wrong;
  GemmCase test;
  const auto extent = [&](std::string_view name) { return read_integer(values, name, 0, kMost, wrong); };
  test.m = extent("m"), test.n = extent("n"), test.k = extent("k"), test.batch = extent("batch");
  test.in = std::array{DType::bf16, DType::fp16}[read_choice(values, "dtype", kInputs, wrong)];
  test.out = std::array{test.in, DType::f32, DType::bf16, DType::fp16}[read_choice(values, "out", kOutputs, wrong)];
  const std::string_view layout = kLayouts[read_choice(values, "layout", kLayouts, wrong)];
  test.a_transposed = layout[0] == 't', test.b_transposed = layout[1] == 't';
  test.d_transposed = read_choice(values, "order", kOrders, wrong) == 1;
  test.activation = static_cast<Activation>(read_choice(values, "act", kActivations, wrong));
  test.bias = static_cast<BiasAxis>(read_choice(values, "bias", kBiasAxes, wrong));
  test.alpha = read_number(values, "alpha", wrong), test.beta = read_number(values, "beta", wrong);
  test.lda = extent("lda"), test.ldb = extent("ldb"), test.ldc = extent("ldc"), test.ldd = extent("ldd");
  test.gap = read_integer(values, "gap", 0, int64_t{1} << 40, wrong), test.shift = extent("shift");
  test.broadcast = none_as_empty(kShared[read_choice(values, "broadcast", kShared, wrong)]);
  test.c_broadcast = none_as_empty(kCShared[read_choice(values, "c_broadcast", kCShared, wrong)]);
  test.seed = static_cast<uint64_t>(read_integer(values, "seed", 0, std::numeric_limits<int64_t>::max(), wrong));
  test.schedule = values.find("schedule")->second;
  check_pitch("lda", test.lda, test.a_transposed ? test.m : test.k, wrong);
  check_pitch("ldb", test.ldb, test.b_transposed ? test.k : test.n, wrong);
  check_pitch("ldc", test.ldc, test.d_transposed ? test.m : test.n, wrong);
  check_pitch("ldd", test.ldd, test.d_transposed ? test.m : test.n, wrong);
  if (Result<GemmSchedule> schedule = parse_schedule(test.schedule); !schedule)
    wrong.add(schedule.error().message());
  TEGULA_CHECK(wrong.verdict("bad parameters"));
  return test;
}

std::string to_string(const GemmCase &test) {
  const std::string layout = {test.a_transposed ? 't' : 'n', test.b_transposed ? 't' : 'n'};
  const ParameterValues values = {{"m", fmt::to_string(test.m)},
                                  {"n", fmt::to_string(test.n)},
                                  {"k", fmt::to_string(test.k)},
                                  {"batch", fmt::to_string(test.batch)},
                                  {"dtype", std::string(name(test.in))},
                                  {"out", test.out == test.in ? "same" : std::string(name(test.out))},
                                  {"layout", layout},
                                  {"order", test.d_transposed ? "column" : "row"},
                                  {"alpha", fmt::format("{}", test.alpha)},
                                  {"beta", fmt::format("{}", test.beta)},
                                  {"act", std::string(name(test.activation))},
                                  {"bias", std::string(name(test.bias))},
                                  {"lda", fmt::to_string(test.lda)},
                                  {"ldb", fmt::to_string(test.ldb)},
                                  {"ldc", fmt::to_string(test.ldc)},
                                  {"ldd", fmt::to_string(test.ldd)},
                                  {"gap", fmt::to_string(test.gap)},
                                  {"shift", fmt::to_string(test.shift)},
                                  {"broadcast", test.broadcast.empty() ? "none" : test.broadcast},
                                  {"c_broadcast", test.c_broadcast.empty() ? "none" : test.c_broadcast},
                                  {"seed", fmt::to_string(test.seed)},
                                  {"schedule", test.schedule}};
  // Extents and layout always, so that a line says what was run.
  std::string text = fmt::format("m={} n={} k={} layout={} dtype={}", test.m, test.n, test.k, layout, name(test.in));
  for (const Parameter &parameter : gemm_parameters()) {
    const std::string_view name = parameter.name;
    if (name != "m" && name != "n" && name != "k" && name != "layout" && name != "dtype" &&
        values.find(name)->second != parameter.initial)
      text += fmt::format(" {}={}", name, values.find(name)->second);
  }
  return text;
}

GemmShapes operand_shapes(const GemmCase &test) {
  const auto shared = [&](char operand) { return test.broadcast.find(operand) != std::string::npos; };
  GemmShapes shapes;
  shapes.a = lay_out(test, test.in, test.m, test.k, test.a_transposed, test.lda, shared('a'));
  shapes.b = lay_out(test, test.in, test.k, test.n, test.b_transposed, test.ldb, shared('b'));
  shapes.c = lay_out(test, test.out, test.m, test.n, test.d_transposed, test.ldc, shared('c'));
  shapes.d = lay_out(test, test.out, test.m, test.n, test.d_transposed, test.ldd, false);
  if (test.c_broadcast.find('m') != std::string::npos)
    shapes.c.strides[1] = 0;
  if (test.c_broadcast.find('n') != std::string::npos)
    shapes.c.strides[2] = 0;
  const int64_t length = test.bias == BiasAxis::row ? test.m : test.n;
  shapes.bias = {.dtype = test.out, .extents = {1, 1, length}, .strides = {0, 0, 1}, .shift = test.shift};
  return shapes;
}

GemmArgs call_of(const GemmCase &test, const GemmAddresses &at) {
  const GemmShapes shapes = operand_shapes(test);
  GemmArgs args{.in = test.in, .out = test.out, .m = test.m, .n = test.n, .k = test.k, .batch = test.batch};
  args.a = matrix_at(at.a, shapes.a);
  args.b = matrix_at(at.b, shapes.b);
  args.d = matrix_at(at.d, shapes.d);
  if (test.beta != 0)
    args.c = matrix_at(at.c, shapes.c);
  args.bias_axis = test.bias;
  args.bias = {at.bias, 1, 0};
  args.alpha = static_cast<float>(test.alpha);
  args.beta = static_cast<float>(test.beta);
  args.activation = test.activation;
  return args;
}

namespace {

// Mostly a few tiles, now and then tiny, long or exactly on an edge.
int64_t draw_extent(Random &random) {
  switch (random.between(0, 5)) {
  case 0: return random.between(1, 33);
  case 1: return random.between(1, 16) * 64;
  case 2: return random.between(1, 12) * 128 + random.between(-1, 1);
  case 3: return random.between(1, 160) * 8;
  default: return random.between(1, 1400);
  }
}

void draw_extents(Random &random, GemmCase &test) {
  test.m = draw_extent(random), test.n = draw_extent(random), test.k = draw_extent(random);
  if (random.chance(0.1)) {
    test.k = random.between(2000, 20000);
    test.m = std::min<int64_t>(test.m, 300), test.n = std::min<int64_t>(test.n, 300);
  }
  if (random.chance(0.03))
    std::array{&test.m, &test.n, &test.k, &test.k}[random.between(0, 3)][0] = 0;
  if (random.chance(0.2))
    test.batch = random.between(2, 5);
}

void draw_epilogue(Random &random, GemmCase &test) {
  test.in = random.chance(0.5) ? DType::bf16 : DType::fp16;
  test.out = random.chance(0.3) ? DType::f32 : test.in;
  test.activation = random.chance(0.5) ? Activation::none : static_cast<Activation>(random.between(1, 3));
  test.bias = random.chance(0.5) ? BiasAxis::none : static_cast<BiasAxis>(random.between(1, 2));
  if (random.chance(0.4))
    test.alpha = static_cast<double>(random.between(-8, 8)) / 4;
  if (random.chance(0.4))
    test.beta = static_cast<double>(random.between(-4, 4)) / 2;
  if (test.beta != 0 && random.chance(0.25))
    test.c_broadcast = kCShared[random.between(1, 3)];
}

int64_t draw_pitch(Random &random, int64_t line) {
  const int64_t dense = std::max<int64_t>(line, 1);
  if (random.chance(0.6))
    return 0;
  return random.chance(0.5) ? (dense + 7) / 8 * 8 + 8 * random.between(0, 3) : dense + random.between(1, 9);
}

void draw_memory(Random &random, GemmCase &test) {
  test.a_transposed = random.chance(0.5), test.b_transposed = random.chance(0.5);
  test.d_transposed = random.chance(0.15);
  test.lda = draw_pitch(random, test.a_transposed ? test.m : test.k);
  test.ldb = draw_pitch(random, test.b_transposed ? test.k : test.n);
  test.ldc = draw_pitch(random, test.d_transposed ? test.m : test.n);
  test.ldd = draw_pitch(random, test.d_transposed ? test.m : test.n);
  if (test.batch > 1 && random.chance(0.4))
    test.gap = random.between(1, 4) * (random.chance(0.5) ? 8 : 5);
  if (random.chance(0.1))
    test.shift = random.between(1, 9);
  if (test.batch > 1 && random.chance(0.3))
    test.broadcast = kShared[random.between(1, 7)];
}

} // namespace

GemmCase random_gemm_case(uint64_t seed) {
  Random random(seed);
  GemmCase test{.seed = seed};
  draw_extents(random, test);
  draw_epilogue(random, test);
  draw_memory(random, test);
  return test;
}

} // namespace tegula
