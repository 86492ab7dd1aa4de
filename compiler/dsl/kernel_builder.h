// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// KernelBuilder: a kernel's arguments, its index space of tiles, its pipelines, roles, loops and conditions.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string_view>
#include <utility>

#include "compiler/dsl/kernel.h"
#include "compiler/dsl/memory.h"
#include "compiler/dsl/values.h"
#include "runtime/result/result.h"

namespace tegula::dsl {

enum class Target { sm_90a, sm_100a };

/// What the caller promises about a tensor; a launch that breaks it is refused.
struct GlobalOptions {
  static constexpr int kLast = -2;
  static constexpr int kNone = -1;
  int unit = kLast;  ///< the dim whose stride is 1
  int64_t align = 0; ///< of the base and of every other stride, in bytes; 16 or more lets TMA move it. 0: no promise
};

struct DimOptions {
  int64_t multiple = 1; ///< the extent is a multiple of this
};

/// The order in which persistent blocks take tiles.
enum class Walk {
  forward,    ///< block b of n takes tiles b, n + b, 2n + b, ...
  serpentine, ///< every other round backwards: alike shares where the work falls steadily from tile to tile
};

struct SharedOptions {
  int64_t padding = -1; ///< unused elements after each row; -1: the compiler chooses a layout free of bank conflicts
};

/// How many warps run a role, and in how many instances. Make it by warps() or warpgroups().
struct RoleShape {
  int64_t instances = 1;
  int64_t warps = 1;          // an instance
  int64_t register_count = 0; // 0: the compiler chooses

  /// The budget of each thread: a multiple of 8 in 24..256.
  [[nodiscard]] RoleShape registers(int64_t count) const { return {instances, warps, count}; }
};

/// One instance of n warps.
[[nodiscard]] constexpr RoleShape warps(int64_t n) { return {1, n, 0}; }
/// n instances of 4 warps each.
[[nodiscard]] constexpr RoleShape warpgroups(int64_t n) { return {n, 4, 0}; }

/// Inside a role: which of its instances is running.
class Role {
public:
  /// 0 .. instances - 1; its value is known when the kernel runs.
  [[nodiscard]] const Index &index() const { return index_; }
  [[nodiscard]] int64_t instances() const { return instances_; }
  /// This instance's share of the rows of a tile: of 128 rows and 2 instances, rows 64 · index() on.
  [[nodiscard]] View rows(const View &view, Where where = Where::current()) const;

private:
  friend class KernelBuilder;
  Index index_;
  int64_t instances_ = 1;
};

/// An index space of tiles that the blocks share out.
class Tiles {
public:
  /// Runs `body` for each tile of this block; it takes as many Index as there are dims. Values do not carry from tile
  /// to tile.
  template <typename Body> void each(Body &&body, Where where = Where::current()) const {
    walk(std::forward<Body>(body), false, where);
  }
  /// The same, but the instances of the role take the block's tiles in turn instead of sharing each tile.
  template <typename Body> void alternate(Body &&body, Where where = Where::current()) const {
    walk(std::forward<Body>(body), true, where);
  }

private:
  friend class KernelBuilder;
  template <typename Body> void walk(Body &&body, bool alternate, Where where) const {
    if constexpr (std::is_invocable_v<Body &, Index, Index, Index>)
      walk_tiles(3, [&](std::span<const Index> i) { body(i[0], i[1], i[2]); }, alternate, where);
    else if constexpr (std::is_invocable_v<Body &, Index, Index>)
      walk_tiles(2, [&](std::span<const Index> i) { body(i[0], i[1]); }, alternate, where);
    else
      walk_tiles(1, [&](std::span<const Index> i) { body(i[0]); }, alternate, where);
  }
  void walk_tiles(int rank, const std::function<void(std::span<const Index>)> &body, bool alternate, Where where) const;

  BuilderState *state_ = nullptr;
  void *value_ = nullptr;
};

/// Builds one kernel. Calls of the DSL record what the kernel does; finish() gives the kernel, or everything that is
/// wrong with it, each with the line of the call: nothing throws, nothing aborts. While it lives, a builder is the one
/// that free functions such as zeros() on the same thread build for; the latest one where there are several.
///
///     KernelBuilder k("scale", Target::sm_90a);
///     Index  N = k.dim("N");
///     Global X = k.global("X", f32, {N}), Y = k.global("Y", f32, {N});
///     Scalar alpha = k.scalar("alpha", f32);
///     k.grid({ceildiv(N, 1024)}).each([&](Index i) {
///       store(alpha * load(X.tile(i), {1024}), Y.tile(i));
///     });
///     return k.finish();
class KernelBuilder {
public:
  KernelBuilder(std::string_view name, Target target, Where where = Where::current());
  ~KernelBuilder();
  KernelBuilder(const KernelBuilder &) = delete;
  KernelBuilder &operator=(const KernelBuilder &) = delete;

  /// An extent that the caller gives at launch; 64 bit, at least 0.
  [[nodiscard]] Index dim(std::string_view name, DimOptions options = {}, Where where = Where::current());
  /// A tensor. Each extent is a dim() or a constant.
  [[nodiscard]] Global global(std::string_view name, DType dtype, std::initializer_list<Index> dims,
                              GlobalOptions options = {}, Where where = Where::current());
  /// A number that the caller gives at launch.
  [[nodiscard]] Scalar scalar(std::string_view name, DType dtype, Where where = Where::current());

  /// One block a tile. `extents`: 1 to 3; dim 0 is spread over a cluster, the third is the slowest. `raster` rows of
  /// tiles are walked together, which keeps their operands in L2.
  [[nodiscard]] Tiles grid(std::initializer_list<Index> extents, int64_t raster = 1, Where where = Where::current());
  /// As many blocks as fit the device, each walks many tiles.
  [[nodiscard]] Tiles persistent(std::initializer_list<Index> extents, int64_t raster = 1, Walk walk = Walk::forward,
                                 Where where = Where::current());

  /// A ring of `stages` stages in shared memory, each with these slots:
  ///     Pipeline ring = k.pipeline(4, {shared(bf16, {128, 64}), shared(bf16, {256, 64})});
  template <size_t N>
  [[nodiscard]] Pipeline<N> pipeline(int64_t stages, const SlotSpec (&slots)[N], Where where = Where::current()) {
    Pipeline<N> ring;
    make_pipeline(ring, stages, slots, where);
    return ring;
  }
  /// A tile of the block in shared memory.
  [[nodiscard]] View shared(DType dtype, const Shape &shape, SharedOptions options = {},
                            Where where = Where::current());

  /// Warps that run `body`, which takes nothing or a Role &. A kernel without roles is run by all of its warps().
  template <typename Body>
  void role(std::string_view name, RoleShape shape, Body &&body, Where where = Where::current()) {
    if constexpr (std::is_invocable_v<Body &, Role &>)
      make_role(name, shape, [&](Role &role) { body(role); }, where);
    else
      make_role(name, shape, [&](Role &) { body(); }, where);
  }
  /// Warps of a kernel without roles; 4 unless said.
  void warps(int64_t count, Where where = Where::current());

  /// Runs `body` for 0 .. n - 1, or from `begin` below `end` in steps of `step`; it takes an Index or nothing.
  /// Variables that it assigns are carried from iteration to iteration, and keep their dtype and shape.
  template <typename Body> void loop(const Index &n, Body &&body, Where where = Where::current()) {
    loop(Index(0), n, Index(1), std::forward<Body>(body), where);
  }
  template <typename Body>
  void loop(const Index &begin, const Index &end, Body &&body, Where where = Where::current()) {
    loop(begin, end, Index(1), std::forward<Body>(body), where);
  }
  template <typename Body>
  void loop(const Index &begin, const Index &end, const Index &step, Body &&body, Where where = Where::current()) {
    if constexpr (std::is_invocable_v<Body &, Index>)
      make_loop(begin, end, step, [&](const Index &i) { body(i); }, where);
    else
      make_loop(begin, end, step, [&](const Index &) { body(); }, where);
  }

  /// Runs `then` where `condition` holds, else `otherwise`. All warps of a role agree on a condition.
  void when(const Scalar &condition, const std::function<void()> &then, Where where = Where::current()) {
    when(condition, then, nullptr, where);
  }
  void when(const Scalar &condition, const std::function<void()> &then, const std::function<void()> &otherwise,
            Where where = Where::current());

  /// Instances of the role pass through one after the other, in rotation: 0, 1, 0, 1, ...
  void turn(const Role &role, const std::function<void()> &body, Where where = Where::current());

  /// Waits until the launches before this one are done with memory; before it, read nothing that they write.
  void wait_for_prior(Where where = Where::current());
  /// Lets the launches after this one start, if they were asked to.
  void allow_next(Where where = Where::current());

  /// Blocks of a cluster, along dim 0 of the tiles. They share what they load.
  void cluster(int64_t blocks, Where where = Where::current());
  /// A fact about the schedule, for the manifest: `k.note("stages", 4)`.
  void note(std::string_view key, int64_t value);
  void note(std::string_view key, std::string_view value);

  /// In a helper that builds for others, so that its errors and its code also name the helper's caller:
  ///     Tile twice(KernelBuilder &k, Tile x, Where here = Where::current()) {
  ///       auto scope = k.called_from(here);
  class [[nodiscard]] CallScope {
  public:
    explicit CallScope(BuilderState *state) : state_(state) {}
    CallScope(const CallScope &) = delete;
    ~CallScope();

  private:
    BuilderState *state_;
  };
  CallScope called_from(Where where);

  /// The kernel; or bad_argument, whose message lists every error as `file:line:column: error: ...` with its notes. To
  /// be called once.
  [[nodiscard]] Result<Kernel> finish(Where where = Where::current());

private:
  void make_pipeline(PipelineBase &ring, int64_t stages, std::span<const SlotSpec> slots, Where where);
  void make_role(std::string_view name, RoleShape shape, const std::function<void(Role &)> &body, Where where);
  void make_loop(const Index &begin, const Index &end, const Index &step,
                 const std::function<void(const Index &)> &body, Where where);
  Tiles make_tiles(std::span<const Index> extents, int64_t raster, bool persistent, Walk walk, Where where);

  std::unique_ptr<BuilderState> state_;
};

} // namespace tegula::dsl
