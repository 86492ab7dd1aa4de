// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads, prints and draws attention cases, and lays out their tensors.
#include "kernels/attention/check/attention_case.h"

#include <array>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "kernels/check/values.h"
#include "tegula/dsl.h"

namespace tegula {
namespace {

constexpr std::array<std::string_view, 2> kTypes = {"bf16", "fp16"};
constexpr std::array<std::string_view, 2> kLayouts = {"bhsd", "bshd"};
constexpr std::array<std::string_view, 3> kModifiers = {"none", "softcap", "alibi"};
constexpr double kCap = 15, kSlope = 0.0625;
constexpr int64_t kMost = std::numeric_limits<int32_t>::max();

// Scores are bent towards a limit: cap · tanh(score / cap).
dsl::Tile softcap(const ScoreTile &s) { return tanh(s.scores * (1 / kCap)) * kCap; }

// Each key is discounted by its distance from the query.
dsl::Tile alibi(const ScoreTile &s) { return s.scores + cast(s.k - s.q, dsl::f32) * kSlope; }

} // namespace

ScoreModifier modifier_of(std::string_view name) {
  if (name == "softcap")
    return {"softcap", softcap};
  if (name == "alibi")
    return {"alibi", alibi};
  return {};
}

double modified(std::string_view modifier, double score, int64_t, int64_t q, int64_t k) {
  if (modifier == "softcap")
    return kCap * std::tanh(score / kCap);
  if (modifier == "alibi")
    return score + kSlope * static_cast<double>(k - q);
  return score;
}

const std::vector<Parameter> &attention_parameters() {
  static const std::vector<Parameter> parameters = {
      {"batch", "1", "sequences"},
      {"heads_q", "16", "heads of Q and O"},
      {"heads_kv", "16", "heads of K and V; heads_q is a multiple"},
      {"seq_q", "4096", "queries a sequence"},
      {"seq_kv", "4096", "keys a sequence"},
      {"head_dim", "128", "of Q and K: a multiple of 8 up to 256"},
      {"head_dim_v", "0", "of V and O; 0: head_dim"},
      {"dtype", "bf16", "of Q, K, V and O: bf16, fp16"},
      {"causal", "0", "1: a query sees the keys up to its own; the last ones align"},
      {"window_left", "-1", "keys before its own that a query sees; -1: all"},
      {"window_right", "-1", "keys behind its own that a query sees; -1: all"},
      {"layout", "bhsd", "order of dims: bhsd, bshd"},
      {"modifier", "none", "of scores: none, softcap, alibi"},
      {"scale", "0", "of scores; 0: 1 / sqrt(head_dim)"},
      {"lse", "1", "1: writes each row's log-sum-exp"},
      {"seed", "1", "of the random tensors"},
      {"schedule", "", "fields over the table's choice, as tile_n=96,math=3"},
  };
  return parameters;
}

Result<AttentionCase> read_attention_case(const ParameterValues &values) {
  Complaints wrong;
  const auto number = [&](std::string_view name, int64_t least, int64_t most) {
    return read_integer(values, name, least, most, wrong);
  };
  AttentionCase test;
  test.batch = number("batch", 0, kMost);
  test.heads_q = number("heads_q", 0, kMost);
  test.heads_kv = number("heads_kv", 0, kMost);
  test.seq_q = number("seq_q", 0, kMost);
  test.seq_kv = number("seq_kv", 0, kMost);
  test.head_dim = number("head_dim", 1, 4096);
  test.head_dim_v = number("head_dim_v", 0, 4096);
  test.dtype = read_choice(values, "dtype", kTypes, wrong) == 0 ? DType::bf16 : DType::fp16;
  test.causal = number("causal", 0, 1) != 0;
  test.window_left = number("window_left", -1, kMost);
  test.window_right = number("window_right", -1, kMost);
  test.windowed = test.window_left >= 0 || test.window_right >= 0;
  test.heads_inside = read_choice(values, "layout", kLayouts, wrong) == 1;
  const size_t modifier = read_choice(values, "modifier", kModifiers, wrong);
  test.modifier = modifier == 0 ? "" : kModifiers[modifier];
  test.scale = read_number(values, "scale", wrong);
  test.lse = number("lse", 0, 1) != 0;
  test.seed = static_cast<uint64_t>(number("seed", 0, std::numeric_limits<int64_t>::max()));
  test.schedule = values.find("schedule")->second;
  if (test.causal && test.windowed)
    wrong.add("causal is 1 and a window is given; a causal window is window_right=0");
  TEGULA_CHECK(wrong.verdict("bad parameters of attention"));
  return test;
}

std::string to_string(const AttentionCase &test) {
  const ParameterValues values = {{"batch", fmt::to_string(test.batch)},
                                  {"heads_q", fmt::to_string(test.heads_q)},
                                  {"heads_kv", fmt::to_string(test.heads_kv)},
                                  {"seq_q", fmt::to_string(test.seq_q)},
                                  {"seq_kv", fmt::to_string(test.seq_kv)},
                                  {"head_dim", fmt::to_string(test.head_dim)},
                                  {"head_dim_v", fmt::to_string(test.head_dim_v)},
                                  {"dtype", std::string(name(test.dtype))},
                                  {"causal", test.causal ? "1" : "0"},
                                  {"window_left", fmt::to_string(test.window_left)},
                                  {"window_right", fmt::to_string(test.window_right)},
                                  {"layout", test.heads_inside ? "bshd" : "bhsd"},
                                  {"modifier", test.modifier.empty() ? "none" : test.modifier},
                                  {"scale", fmt::format("{}", test.scale)},
                                  {"lse", test.lse ? "1" : "0"},
                                  {"seed", fmt::to_string(test.seed)},
                                  {"schedule", test.schedule}};
  return to_string(values, attention_parameters());
}

StridedShape shape_of(const AttentionCase &test, int64_t heads, int64_t rows, int64_t columns) {
  if (test.heads_inside)
    return {.dtype = test.dtype,
            .extents = {test.batch, rows, heads * columns},
            .strides = {rows * heads * columns, heads * columns, 1}};
  return {.dtype = test.dtype, .extents = {test.batch * heads, rows, columns}, .strides = {rows * columns, columns, 1}};
}

AttentionArgs call_of(const AttentionCase &test, const AttentionAddresses &at) {
  const auto lay_out = [&](DevicePtr address, int64_t heads, int64_t rows, int64_t columns) {
    return test.heads_inside ? bshd(address, heads, rows, columns) : bhsd(address, heads, rows, columns);
  };
  AttentionArgs args{.batch = test.batch,
                     .heads = test.heads_q,
                     .heads_kv = test.heads_kv,
                     .seq_q = test.seq_q,
                     .seq_kv = test.seq_kv,
                     .head_dim = test.head_dim,
                     .head_dim_v = test.value_dim(),
                     .dtype = test.dtype};
  args.q = lay_out(at.q, test.heads_q, test.seq_q, test.head_dim);
  args.k = lay_out(at.k, test.heads_kv, test.seq_kv, test.head_dim);
  args.v = lay_out(at.v, test.heads_kv, test.seq_kv, test.value_dim());
  args.o = lay_out(at.o, test.heads_q, test.seq_q, test.value_dim());
  args.lse = test.lse ? at.lse : 0;
  args.scale = static_cast<float>(test.scale);
  args.mask = test.causal ? Mask::causal : test.windowed ? Mask::window : Mask::none;
  args.left = test.window_left;
  args.right = test.window_right;
  args.modifier = modifier_of(test.modifier);
  return args;
}

AttentionCase random_attention_case(uint64_t seed) {
  Random random(seed);
  AttentionCase test;
  test.seed = seed;
  test.dtype = random.chance(0.5) ? DType::bf16 : DType::fp16;
  test.batch = random.between(1, 3);
  test.heads_kv = random.between(1, 3);
  test.heads_q = test.heads_kv * random.between(1, 5);
  test.head_dim = 8 * random.between(1, 32);
  test.head_dim_v = random.chance(0.7) ? 0 : 8 * random.between(1, 32);
  test.seq_q = random.chance(0.2) ? random.between(1, 8) : random.between(1, 300);
  test.seq_kv = random.chance(0.05) ? 0 : random.between(1, 400);
  test.heads_inside = random.chance(0.5);
  test.lse = random.chance(0.8);
  if (random.chance(0.4)) {
    test.causal = true;
  } else if (random.chance(0.4)) {
    test.windowed = true;
    test.window_left = random.chance(0.3) ? -1 : random.between(0, 200);
    test.window_right = random.chance(0.3) && test.window_left >= 0 ? -1 : random.between(0, 100);
  }
  if (random.chance(0.2))
    test.modifier = random.chance(0.5) ? "softcap" : "alibi";
  if (random.chance(0.2))
    test.scale = 0.03 + 0.3 * random.unit();
  return test;
}

} // namespace tegula
