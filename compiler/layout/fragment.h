// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How a register tile is spread over the threads that hold it. Knows no IR and no memory: shared-memory layouts are in
// swizzle.h, the fragments that instructions fix in hardware_fragments.h, questions about pairs of fragments here too.
//
// ## The idea
//
// A tile of registers belongs to the threads of one role instance: some warps of 32 lanes, each lane with the same
// number of registers. A `Fragment` answers one question: *which element of the tile is in register r of lane l of
// warp w?* It is a function (r, l, w) -> coordinates, and of a simple kind. Each of the three axes is a list of digits,
// fastest first. An index on the axis is written in the mixed radix of the digits' extents, as a time in seconds is
// written in seconds, minutes and hours, and every digit then moves the coordinate of one dimension of the tile by
// `digit * stride`. The coordinate is the sum over all digits of all axes.
//
// The accumulator of wgmma m64n16, of shape 64 x 16, as text (`extent:stride@dim`; `extent:*` moves nothing):
//
//     reg = [2:1@1, 2:8@0, 2:8@1], lane = [4:2@1, 8:1@0], warp = [4:16@0]
//
// | axis | digit  | index = ...    | moves                                                   |
// |------|--------|----------------|---------------------------------------------------------|
// | reg  | 2:1@1  | r % 2          | column by 1: two neighbours of a row lie in one thread  |
// |      | 2:8@0  | (r / 2) % 2    | row by 8                                                |
// |      | 2:8@1  | r / 4          | column by 8: the next core matrix                       |
// | lane | 4:2@1  | l % 4          | column by 2: four lanes, a quad, share a row            |
// |      | 8:1@0  | l / 4          | row by 1                                                |
// | warp | 4:16@0 | w              | row by 16                                               |
//
//     row = 8 * ((r/2) % 2) + l/4 + 16 * w        column = r % 2 + 8 * (r/4) + 2 * (l % 4)
//
// so register 6 (r%2 = 0, (r/2)%2 = 1, r/4 = 1) of lane 5 of warp 2 holds row 8 + 1 + 32 = 41, column 8 + 2 = 10.
//
// A digit with dim = -1 replicates: the same element is held by all indices that differ in that digit alone. Row
// statistics of the accumulator above are replicated over the quad: `slice(1)` gives
// reg = [2:8@0], lane = [4:*, 8:1@0], warp = [4:16@0] of shape 64.
//
// ## Why digits, and not bits or formulas
//
// Everything the compiler asks is read off the digits: what a thread must compute at run time (lane and warp digits)
// and what is a constant of each register (reg digits); whether a row lies within a quad (which digits move along it);
// how wide a load may be (the first reg digit); which shuffles a reduction takes. Linear maps over bits would answer
// the same for powers of two, but tiles are 96, 80 or 176 wide as well; digits of any extent cost nothing extra.
// Formulas would need a solver.
//
// Registers are counted in elements, whatever their width: 16-bit elements 2i and 2i+1 of a thread share 32-bit
// register i, 8-bit elements 4i .. 4i+3 likewise. That is why a pair of f32 accumulators, rounded to bf16, is a
// register of wgmma's A operand without any move: the fragments are one and the same.
#pragma once

#include "compiler/layout/outcome.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tegula::layout {

using Shape = std::vector<int64_t>;
using Coordinates = std::vector<int64_t>;

inline constexpr int kReplicated = -1;
inline constexpr int64_t kLanes = 32;

enum class Axis { reg, lane, warp };

/// One digit of an axis: an index in 0..extent-1 that moves the coordinate of `dim` by `stride` a step; or that moves
/// nothing, when `dim` is `kReplicated`.
struct Digit {
  int64_t extent = 1;
  int dim = kReplicated;
  int64_t stride = 0;

  bool operator==(const Digit &) const = default;
};

using Digits = std::vector<Digit>;

/// What a thread computes of its coordinates at run time: coordinate[dim] += index(axis) / divisor % modulus * stride.
struct ThreadTerm {
  Axis axis = Axis::lane;
  int64_t divisor = 1;
  int64_t modulus = 1; ///< 0: the digit is the axis' last, so that no remainder need be taken
  int dim = 0;
  int64_t stride = 1;

  /// The term's value for an index on `axis`.
  int64_t value(int64_t index) const;
  bool operator==(const ThreadTerm &) const = default;
};

class Fragment {
public:
  /// A rank-0 fragment of one register in one warp. Mostly a placeholder.
  Fragment();

  /// Any digits are accepted; `problem()` says whether they describe a fragment of `shape`. All other members hold
  /// only for fragments without a problem.
  Fragment(Shape shape, Digits reg, Digits lane, Digits warp);

  /// What is wrong, if anything: an extent below 1, a dim outside the shape, a negative stride, lanes that don't
  /// multiply to 32, a coordinate outside the shape, an element that nobody holds.
  std::optional<std::string> problem() const;

  const Shape &shape() const { return shape_; }
  int rank() const { return static_cast<int>(shape_.size()); }
  const Digits &digits(Axis axis) const;

  int64_t registers() const; ///< elements that each thread holds, replicas included
  int64_t warps() const;     ///< warps of the role instance
  static constexpr int64_t lanes() { return kLanes; }
  /// 32-bit registers a thread needs for elements of `element_bits` (1-bit elements are held in 8 bits).
  int64_t words(int element_bits) const;

  /// The element in register `reg` of lane `lane` of warp `warp`.
  Coordinates coordinate(int64_t reg, int64_t lane, int64_t warp) const;
  /// The part of `coordinate` that is a constant of the register.
  Coordinates register_offset(int64_t reg) const;
  /// The other part, for code generation: coordinate(r, l, w) = register_offset(r) + the sum of the terms' values.
  std::vector<ThreadTerm> thread_terms() const;

  /// No element is held twice.
  bool is_injective() const;
  /// Every element of the shape is held by somebody.
  bool covers() const;
  /// How many (register, lane, warp) hold each element, when all are held equally often.
  int64_t replication() const;
  /// Digits of `axis` that replicate, as (divisor, modulus) terms with dim -1: a store is done by those threads only
  /// for which all their values are 0.
  std::vector<ThreadTerm> replica_terms() const;

  /// The one fragment among all with the same mapping that has the fewest digits: neighbours merged, extents of 1
  /// dropped. Equal mappings have equal canonical forms.
  Fragment canonical() const;

  /// Renames dimensions: dimension i of the result is dimension `dims[i]` of this fragment.
  Fragment permute(const std::vector<int> &dims) const;
  /// Swaps the two dimensions of a rank-2 fragment.
  Fragment transpose() const;
  /// The tile with dimension `dim` dropped, as a reduction leaves it: lane and warp digits that moved along `dim`
  /// replicate, register digits that did are gone, and so are registers that replicated before.
  Fragment slice(int dim) const;
  /// The register of `slice(dim)` that holds the value that belongs to `reg` of this fragment. With it a row
  /// statistic is broadcast over its row without any move.
  int64_t sliced_register(int dim, int64_t reg) const;
  /// A new dimension of extent 1 before dimension `dim`; all else stays.
  Fragment insert_unit(int dim) const;
  /// Drops dimension `dim`, whose extent is 1; all else stays.
  Fragment drop_unit(int dim) const;
  /// The same bits seen as elements of another width, along `dim`: 8-bit pairs as 16-bit elements (`from` 8, `to` 16)
  /// or 32-bit elements as two of 16. Widening needs that neighbours along `dim` are neighbours in a thread.
  Outcome<Fragment> with_element_bits(int from, int to, int dim) const;

  /// Same shape and same digits, as written. `same_mapping` compares what they mean.
  bool operator==(const Fragment &) const = default;

private:
  Shape shape_;
  Digits reg_, lane_, warp_;
};

/// Equal as functions from (register, lane, warp) to elements, however the digits are split.
bool same_mapping(const Fragment &a, const Fragment &b);

/// For a change of layout that needs no other thread: element i of the result is the register of `from` whose element
/// is that of register i of `to`, in every thread. Nothing when some element would have to come from another thread.
std::optional<std::vector<int64_t>> register_map(const Fragment &from, const Fragment &to);
/// All threads that need an element find it within their own warp (shuffles suffice to go from `from` to `to`).
bool within_warps(const Fragment &from, const Fragment &to);

/// How many consecutive registers are consecutive along `dim`: a run of V starts at each multiple of V registers, at a
/// coordinate that is a multiple of V, in every thread. 1 when neighbours lie elsewhere. V need not be a power of two.
int64_t vector_run(const Fragment &fragment, int dim);

/// How a reduction along one dimension is done: fold registers, then exchange across lanes, then across warps.
struct ReductionPlan {
  Fragment result;                         ///< fragment.slice(dim)
  std::vector<std::vector<int64_t>> folds; ///< folds[i]: the registers to fold into register i of the result
  std::vector<int> lane_masks;             ///< then, for each mask: x = op(x, shuffle_xor(x, mask))
  std::vector<ThreadTerm> warp_terms;      ///< if any: partial results differ by these digits of the warp, fold them
                                           ///< through shared memory; each value is a partial's index along the digit
  int64_t warp_partials = 1;               ///< product of those digits' extents
  bool across_warps() const { return !warp_terms.empty(); }
};
ReductionPlan reduction_plan(const Fragment &fragment, int dim);

/// `reg = [2:1@1, 2:8@0], lane = [4:2@1, 8:1@0], warp = [4:16@0]`; replication is `4:*`.
std::string to_string(const Fragment &fragment);
/// Reads that text (blanks are free) as a fragment of `shape`; fails on what `problem()` would report, too.
Outcome<Fragment> parse_fragment(std::string_view text, Shape shape);

} // namespace tegula::layout
