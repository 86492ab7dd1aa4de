// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What one fragment is to another, and what a fragment means for vector accesses and reductions.
#include "compiler/layout/fragment.h"

#include <map>
#include <numeric>
#include <set>

namespace tegula::layout {

bool same_mapping(const Fragment &a, const Fragment &b) { return a.canonical() == b.canonical(); }

std::optional<std::vector<int64_t>> register_map(const Fragment &from, const Fragment &to) {
  const Fragment a = from.canonical(), b = to.canonical();
  // An element of register i of `to` at thread t is at the same place in `from` for every t only if the parts of both
  // mappings that depend on t are equal: they are at thread 0, and the difference must not change.
  if (a.shape() != b.shape() || a.digits(Axis::lane) != b.digits(Axis::lane) ||
      a.digits(Axis::warp) != b.digits(Axis::warp))
    return std::nullopt;
  std::map<Coordinates, int64_t> holder;
  for (int64_t reg = 0; reg < a.registers(); ++reg)
    holder.emplace(a.register_offset(reg), reg);
  std::vector<int64_t> result;
  for (int64_t reg = 0; reg < b.registers(); ++reg) {
    auto found = holder.find(b.register_offset(reg));
    if (found == holder.end())
      return std::nullopt;
    result.push_back(found->second);
  }
  return result;
}

bool within_warps(const Fragment &from, const Fragment &to) {
  if (from.shape() != to.shape() || from.warps() != to.warps())
    return false;
  auto held = [](const Fragment &fragment, int64_t warp) {
    std::set<Coordinates> elements;
    for (int64_t reg = 0; reg < fragment.registers(); ++reg)
      for (int64_t lane = 0; lane < kLanes; ++lane)
        elements.insert(fragment.coordinate(reg, lane, warp));
    return elements;
  };
  for (int64_t warp = 0; warp < from.warps(); ++warp) {
    const std::set<Coordinates> has = held(from, warp);
    for (const Coordinates &element : held(to, warp))
      if (!has.contains(element))
        return false;
  }
  return true;
}

int64_t vector_run(const Fragment &fragment, int dim) {
  const Fragment f = fragment.canonical();
  const Digits &reg = f.digits(Axis::reg);
  if (reg.empty() || reg[0].dim != dim || reg[0].stride != 1)
    return 1;
  int64_t run = reg[0].extent;
  for (Axis axis : {Axis::reg, Axis::lane, Axis::warp})
    for (const Digit &digit : f.digits(axis))
      if (digit.dim == dim && !(axis == Axis::reg && digit == reg[0]))
        run = std::gcd(run, digit.stride);
  return run;
}

namespace {

// Registers that differ from another only by a replicating digit are copies, and must not be counted twice by a sum.
bool is_first_copy(const Digits &digits, int64_t reg) {
  for (const Digit &digit : digits) {
    if ((digit.dim == kReplicated || digit.stride == 0) && reg % digit.extent != 0)
      return false;
    reg /= digit.extent;
  }
  return true;
}

} // namespace

ReductionPlan reduction_plan(const Fragment &fragment, int dim) {
  const Fragment f = fragment.canonical();
  ReductionPlan plan;
  plan.result = fragment.slice(dim);
  plan.folds.resize(plan.result.registers());
  for (int64_t reg = 0; reg < fragment.registers(); ++reg)
    if (is_first_copy(fragment.digits(Axis::reg), reg))
      plan.folds[fragment.sliced_register(dim, reg)].push_back(reg);
  // Lane digits multiply to 32, so that each covers whole bits of the lane's number.
  int64_t divisor = 1;
  for (const Digit &digit : f.digits(Axis::lane)) {
    if (digit.dim == dim)
      for (int64_t mask = divisor; mask < divisor * digit.extent; mask *= 2)
        plan.lane_masks.push_back(static_cast<int>(mask));
    divisor *= digit.extent;
  }
  int64_t partial = 1;
  for (ThreadTerm term : f.thread_terms()) {
    if (term.axis != Axis::warp || term.dim != dim)
      continue;
    const int64_t extent = term.modulus ? term.modulus : f.warps() / term.divisor;
    term.stride = partial;
    partial *= extent;
    plan.warp_terms.push_back(term);
  }
  plan.warp_partials = partial;
  return plan;
}

} // namespace tegula::layout
