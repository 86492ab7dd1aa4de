// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Recognises the fragments that ldmatrix and stmatrix move, and works out whose address each lane gives.
#include "compiler/layout/ldmatrix.h"

#include <algorithm>

namespace tegula::layout {
namespace {

constexpr int64_t kRowElements = 8; // 16-bit elements of a matrix row
constexpr int64_t kRowBytes = 16;

/// The two dimensions that a matrix spans: pairs and quads run along `pair_dim`, the eight groups along `group_dim`.
struct LanePattern {
  int pair_dim = -1, group_dim = -1;
};

Outcome<LanePattern> lane_pattern(const Fragment &f, int unit_dim) {
  const Digits &lane = f.digits(Axis::lane), &reg = f.digits(Axis::reg);
  if (lane.size() != 2 || lane[0].dim < 0 || lane[1].dim < 0 || lane[0] != Digit{4, lane[0].dim, 2} ||
      lane[1] != Digit{8, lane[1].dim, 1} || lane[0].dim == lane[1].dim)
    return Misfit{"lanes are not spread as 4 pairs by 8 rows: " + to_string(f)};
  const LanePattern pattern{lane[0].dim, lane[1].dim};
  if (reg.empty() || reg[0].dim != pattern.pair_dim || reg[0].stride != 1 || reg[0].extent % 2 != 0)
    return Misfit{"registers do not come in pairs along dimension " + std::to_string(pattern.pair_dim)};
  if (pattern.pair_dim != unit_dim && pattern.group_dim != unit_dim)
    return Misfit{"no lane moves along the unit dimension " + std::to_string(unit_dim)};
  return pattern;
}

// Whatever places a matrix along the unit dimension must move by whole rows of it.
std::optional<std::string> placement_problem(const Fragment &f, int unit_dim) {
  for (Axis axis : {Axis::reg, Axis::warp})
    for (const Digit &digit : f.digits(axis)) {
      if (digit.dim != unit_dim || digit.stride % kRowElements == 0)
        continue;
      const bool pair =
          axis == Axis::reg && &digit == &f.digits(Axis::reg)[0] && digit.stride == 1 && digit.extent == 2;
      if (!pair)
        return "matrices start " + std::to_string(digit.stride) + " elements apart along the unit dimension, " +
               "not at multiples of 8";
    }
  return std::nullopt;
}

std::optional<std::string> memory_problem(const SharedLayout &layout) {
  if (layout.element_bytes != 1 && layout.element_bytes != 2 && layout.element_bytes != 4)
    return "elements of " + std::to_string(layout.element_bytes) + " bytes";
  if (layout.pitch_bytes() % kRowBytes != 0)
    return "rows every " + std::to_string(layout.pitch_bytes()) + " bytes do not start at multiples of 16";
  return std::nullopt;
}

Coordinates difference(const Coordinates &a, const Coordinates &b) {
  Coordinates result = a;
  for (size_t i = 0; i < b.size(); ++i)
    result[i] -= b[i];
  return result;
}

/// Steps from matrix 0 of an instruction to matrices 1, 2, 3, if they are the same for all instructions of `count`
/// and a sum over the bits of the matrix' number; else nothing.
std::optional<std::vector<Coordinates>> matrix_steps(const Fragment &f, int count) {
  const int64_t words = f.registers() / 2;
  if (words % count != 0)
    return std::nullopt;
  std::vector<Coordinates> steps;
  for (int64_t word = 0; word < words; word += count) {
    std::vector<Coordinates> here;
    for (int q = 1; q < count; ++q)
      here.push_back(difference(f.register_offset(2 * (word + q)), f.register_offset(2 * word)));
    if (word > 0 && here != steps)
      return std::nullopt;
    steps = here;
  }
  if (count == 4 && difference(steps[2], steps[1]) != steps[0])
    return std::nullopt;
  return steps;
}

void append_terms(const Coordinates &step, int64_t divisor, int64_t modulus, std::vector<ThreadTerm> &terms) {
  for (int dim = 0; dim < static_cast<int>(step.size()); ++dim)
    if (step[dim] != 0)
      terms.push_back({Axis::lane, divisor, modulus, dim, step[dim]});
}

// From 16-bit units along the unit dimension back to the tile's elements. All values there are multiples of 8.
void to_elements(MatrixMovePlan &plan, const SharedLayout &layout) {
  auto scale = [&](int64_t &value) { value = value * 2 / layout.element_bytes; };
  for (MatrixMove &move : plan.moves)
    scale(move.base[layout.unit_dim]);
  for (ThreadTerm &term : plan.row_terms)
    if (term.dim == layout.unit_dim)
      scale(term.stride);
}

MatrixMovePlan make_plan(const Fragment &f, const LanePattern &pattern, int unit_dim) {
  MatrixMovePlan plan;
  plan.trans = pattern.pair_dim != unit_dim;
  const int across = plan.trans ? pattern.pair_dim : pattern.group_dim;
  std::optional<std::vector<Coordinates>> steps;
  for (plan.count = 4; !(steps = matrix_steps(f, plan.count)); plan.count /= 2) {
  }
  plan.row_terms.push_back({Axis::lane, 1, 8, across, 1});
  if (plan.count >= 2)
    append_terms((*steps)[0], 8, 2, plan.row_terms);
  if (plan.count == 4)
    append_terms((*steps)[1], 16, 0, plan.row_terms);
  for (const ThreadTerm &term : f.thread_terms())
    if (term.axis == Axis::warp)
      plan.row_terms.push_back(term);
  for (int64_t word = 0; word < f.registers() / 2; word += plan.count)
    plan.moves.push_back({word, f.register_offset(2 * word)});
  return plan;
}

} // namespace

Coordinates MatrixMovePlan::row(const MatrixMove &move, int64_t lane, int64_t warp) const {
  Coordinates result = move.base;
  for (const ThreadTerm &term : row_terms)
    result[term.dim] += term.value(term.axis == Axis::lane ? lane : warp);
  return result;
}

Outcome<MatrixMovePlan> plan_matrix_move(const Fragment &fragment, const SharedLayout &layout) {
  if (fragment.shape() != layout.shape)
    return Misfit{"the fragment and the tile differ in shape"};
  if (auto problem = memory_problem(layout))
    return Misfit{*problem};
  Outcome<Fragment> halves =
      fragment.with_element_bits(8 * static_cast<int>(layout.element_bytes), 16, layout.unit_dim);
  if (!halves)
    return Misfit{halves.reason()};
  Outcome<LanePattern> pattern = lane_pattern(*halves, layout.unit_dim);
  if (!pattern)
    return Misfit{pattern.reason()};
  if (layout.element_bytes != 2 && pattern->pair_dim != layout.unit_dim)
    return Misfit{"a transposing move takes elements of 16 bits, not of " + std::to_string(8 * layout.element_bytes)};
  if (auto problem = placement_problem(*halves, layout.unit_dim))
    return Misfit{*problem};
  MatrixMovePlan plan = make_plan(*halves, *pattern, layout.unit_dim);
  to_elements(plan, layout);
  return plan;
}

} // namespace tegula::layout
