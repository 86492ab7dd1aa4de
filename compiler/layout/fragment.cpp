// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The fragment itself: evaluation, validity, normal form, and what becomes of it when dimensions change.
#include "compiler/layout/fragment.h"

#include <algorithm>
#include <numeric>

namespace tegula::layout {
namespace {

int64_t extent_product(const Digits &digits) {
  int64_t product = 1;
  for (const Digit &digit : digits)
    product *= digit.extent;
  return product;
}

bool replicates(const Digit &digit) { return digit.dim == kReplicated || digit.stride == 0; }

void add_coordinates(const Digits &digits, int64_t index, Coordinates &coordinates) {
  for (const Digit &digit : digits) {
    if (!replicates(digit))
      coordinates[digit.dim] += index % digit.extent * digit.stride;
    index /= digit.extent;
  }
}

Digits merged(const Digits &digits) {
  Digits result;
  for (Digit digit : digits) {
    if (digit.extent == 1)
      continue;
    if (replicates(digit))
      digit = {digit.extent, kReplicated, 0};
    if (!result.empty()) {
      Digit &last = result.back();
      if (last.dim == digit.dim && last.extent * last.stride == digit.stride) {
        last.extent *= digit.extent;
        continue;
      }
    }
    result.push_back(digit);
  }
  return result;
}

template <typename Change> Digits changed(const Digits &digits, Change change) {
  Digits result = digits;
  for (Digit &digit : result)
    if (!replicates(digit))
      change(digit);
  return result;
}

// Where dimension `dim` drops out, later ones move down.
void close_gap(Digit &digit, int dim) { digit.dim -= digit.dim > dim ? 1 : 0; }

// Sums of digits that move along `dim`, sorted by stride, reach every value up to their greatest exactly when no
// stride leaps over what the smaller ones reach.
bool dense_along(const std::vector<Digit> &digits, int64_t extent) {
  std::vector<Digit> by_stride = digits;
  std::sort(by_stride.begin(), by_stride.end(), [](const Digit &a, const Digit &b) { return a.stride < b.stride; });
  int64_t reach = 1;
  for (const Digit &digit : by_stride) {
    if (digit.stride > reach)
      return false;
    reach += (digit.extent - 1) * digit.stride;
  }
  return reach >= extent;
}

std::string axis_problem(const char *name, const Digits &digits, int rank) {
  for (const Digit &digit : digits) {
    if (digit.extent < 1)
      return std::string(name) + " has a digit of extent " + std::to_string(digit.extent) + ", below 1";
    if (digit.dim < kReplicated || digit.dim >= rank)
      return std::string(name) + " moves along dimension " + std::to_string(digit.dim) + " of a tile of rank " +
             std::to_string(rank);
    if (digit.stride < 0)
      return std::string(name) + " has a digit of stride " + std::to_string(digit.stride) + ", below 0";
  }
  return {};
}

// The digits of one axis as terms; `wanted` picks those that move or those that replicate.
void append_terms(const Digits &digits, Axis axis, bool replicas, std::vector<ThreadTerm> &terms) {
  int64_t divisor = 1;
  const int64_t size = extent_product(digits);
  for (const Digit &digit : digits) {
    const int64_t next = divisor * digit.extent;
    if (digit.extent > 1 && replicates(digit) == replicas) {
      const int64_t modulus = next == size ? 0 : digit.extent;
      terms.push_back({axis, divisor, modulus, replicas ? kReplicated : digit.dim, replicas ? 1 : digit.stride});
    }
    divisor = next;
  }
}

std::vector<Digit> digits_along(const Fragment &fragment, int dim) {
  std::vector<Digit> result;
  for (Axis axis : {Axis::reg, Axis::lane, Axis::warp})
    for (const Digit &digit : fragment.digits(axis))
      if (!replicates(digit) && digit.dim == dim)
        result.push_back(digit);
  return result;
}

} // namespace

int64_t ThreadTerm::value(int64_t index) const {
  int64_t digit = index / divisor;
  return (modulus ? digit % modulus : digit) * stride;
}

Fragment::Fragment() : lane_{{kLanes, kReplicated, 0}} {}

Fragment::Fragment(Shape shape, Digits reg, Digits lane, Digits warp)
    : shape_(std::move(shape)), reg_(std::move(reg)), lane_(std::move(lane)), warp_(std::move(warp)) {}

const Digits &Fragment::digits(Axis axis) const {
  return axis == Axis::reg ? reg_ : axis == Axis::lane ? lane_ : warp_;
}

std::optional<std::string> Fragment::problem() const {
  for (int64_t extent : shape_)
    if (extent < 1)
      return "the shape has an extent of " + std::to_string(extent) + ", below 1";
  for (auto [name, axis] : {std::pair{"reg", &reg_}, {"lane", &lane_}, {"warp", &warp_}})
    if (std::string text = axis_problem(name, *axis, rank()); !text.empty())
      return text;
  if (extent_product(lane_) != kLanes)
    return "lane digits multiply to " + std::to_string(extent_product(lane_)) + ", not 32";
  Coordinates last = coordinate(registers() - 1, kLanes - 1, warps() - 1);
  for (int dim = 0; dim < rank(); ++dim)
    if (last[dim] >= shape_[dim])
      return "coordinate " + std::to_string(last[dim]) + " along dimension " + std::to_string(dim) +
             " is outside the extent " + std::to_string(shape_[dim]);
  if (!covers())
    return "some elements are held by no thread";
  return std::nullopt;
}

int64_t Fragment::registers() const { return extent_product(reg_); }
int64_t Fragment::warps() const { return extent_product(warp_); }

int64_t Fragment::words(int element_bits) const { return (registers() * std::max(element_bits, 8) + 31) / 32; }

Coordinates Fragment::coordinate(int64_t reg, int64_t lane, int64_t warp) const {
  Coordinates result(shape_.size(), 0);
  add_coordinates(reg_, reg, result);
  add_coordinates(lane_, lane, result);
  add_coordinates(warp_, warp, result);
  return result;
}

Coordinates Fragment::register_offset(int64_t reg) const { return coordinate(reg, 0, 0); }

std::vector<ThreadTerm> Fragment::thread_terms() const {
  std::vector<ThreadTerm> terms;
  append_terms(merged(lane_), Axis::lane, false, terms);
  append_terms(merged(warp_), Axis::warp, false, terms);
  return terms;
}

std::vector<ThreadTerm> Fragment::replica_terms() const {
  std::vector<ThreadTerm> terms;
  for (Axis axis : {Axis::reg, Axis::lane, Axis::warp})
    append_terms(merged(digits(axis)), axis, true, terms);
  return terms;
}

bool Fragment::covers() const {
  for (int dim = 0; dim < rank(); ++dim)
    if (!dense_along(digits_along(*this, dim), shape_[dim]))
      return false;
  return true;
}

bool Fragment::is_injective() const {
  for (Axis axis : {Axis::reg, Axis::lane, Axis::warp})
    for (const Digit &digit : digits(axis))
      if (digit.extent > 1 && replicates(digit))
        return false;
  for (int dim = 0; dim < rank(); ++dim) {
    std::vector<int64_t> sums = {0};
    for (const Digit &digit : digits_along(*this, dim)) {
      const size_t count = sums.size();
      for (int64_t step = 1; step < digit.extent; ++step)
        for (size_t i = 0; i < count; ++i)
          sums.push_back(sums[i] + step * digit.stride);
    }
    std::sort(sums.begin(), sums.end());
    if (std::adjacent_find(sums.begin(), sums.end()) != sums.end())
      return false;
  }
  return true;
}

int64_t Fragment::replication() const {
  const int64_t elements = std::accumulate(shape_.begin(), shape_.end(), int64_t{1}, std::multiplies<>());
  return registers() * kLanes * warps() / elements;
}

Fragment Fragment::canonical() const { return {shape_, merged(reg_), merged(lane_), merged(warp_)}; }

Fragment Fragment::permute(const std::vector<int> &dims) const {
  Shape shape;
  std::vector<int> place(dims.size());
  for (size_t i = 0; i < dims.size(); ++i) {
    shape.push_back(shape_[dims[i]]);
    place[dims[i]] = static_cast<int>(i);
  }
  auto rename = [&](Digit &digit) { digit.dim = place[digit.dim]; };
  return {shape, changed(reg_, rename), changed(lane_, rename), changed(warp_, rename)};
}

Fragment Fragment::transpose() const { return permute({1, 0}); }

Fragment Fragment::slice(int dim) const {
  Shape shape = shape_;
  shape.erase(shape.begin() + dim);
  auto drop = [dim](Digit &digit) {
    if (digit.dim == dim)
      digit = {digit.extent, kReplicated, 0};
    close_gap(digit, dim);
  };
  Digits reg = changed(reg_, drop);
  std::erase_if(reg, replicates);
  return {shape, reg, changed(lane_, drop), changed(warp_, drop)};
}

int64_t Fragment::sliced_register(int dim, int64_t reg) const {
  int64_t result = 0, place = 1;
  for (const Digit &digit : reg_) {
    if (!replicates(digit) && digit.dim != dim) {
      result += reg % digit.extent * place;
      place *= digit.extent;
    }
    reg /= digit.extent;
  }
  return result;
}

Fragment Fragment::insert_unit(int dim) const {
  Shape shape = shape_;
  shape.insert(shape.begin() + dim, 1);
  auto shift = [dim](Digit &digit) { digit.dim += digit.dim >= dim ? 1 : 0; };
  return {shape, changed(reg_, shift), changed(lane_, shift), changed(warp_, shift)};
}

Fragment Fragment::drop_unit(int dim) const {
  Shape shape = shape_;
  shape.erase(shape.begin() + dim);
  // A digit may still name the dimension if its extent is 1.
  auto drop = [dim](Digit &digit) {
    if (digit.dim == dim)
      digit = {digit.extent, kReplicated, 0};
    close_gap(digit, dim);
  };
  return {shape, changed(reg_, drop), changed(lane_, drop), changed(warp_, drop)};
}

Outcome<Fragment> Fragment::with_element_bits(int from, int to, int dim) const {
  Fragment result = canonical();
  if (from == to)
    return result;
  if (to < from) {
    const int64_t factor = from / to;
    auto spread = [&](Digit &digit) { digit.stride *= digit.dim == dim ? factor : 1; };
    for (Digits *axis : {&result.reg_, &result.lane_, &result.warp_})
      *axis = changed(*axis, spread);
    result.shape_[dim] *= factor;
    result.reg_.insert(result.reg_.begin(), Digit{factor, dim, 1});
    return result.canonical();
  }
  const int64_t factor = to / from;
  const std::string what = std::to_string(factor) + " neighbours along dimension " + std::to_string(dim);
  if (result.reg_.empty() || result.reg_[0].dim != dim || result.reg_[0].stride != 1 ||
      result.reg_[0].extent % factor != 0)
    return Misfit{what + " are not neighbours in a thread's registers"};
  result.reg_[0].extent /= factor;
  result.reg_[0].stride = factor;
  for (Digits *axis : {&result.reg_, &result.lane_, &result.warp_})
    for (Digit &digit : *axis) {
      if (digit.dim != dim)
        continue;
      if (digit.stride % factor != 0)
        return Misfit{what + " do not start at a multiple of " + std::to_string(factor)};
      digit.stride /= factor;
    }
  result.shape_[dim] /= factor;
  return result.canonical();
}

} // namespace tegula::layout
