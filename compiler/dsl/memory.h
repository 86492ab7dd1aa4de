// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tensors in global memory, tiles in memory, pipelines of shared tiles, and the copies between them.
#pragma once

#include <array>
#include <memory>
#include <span>

#include "compiler/dsl/values.h"

namespace tegula::dsl {

class Role;

/// What L2 is told: read once and forget, or keep.
enum class Cache { normal, evict_first, evict_last };

/// A tile in memory: of a tensor (`A.tile(i, j)`), or in shared memory (a slot of a pipeline, `k.shared(...)`).
/// A tile of a tensor that was not given a shape takes that of what it is copied to or stored from.
class View {
public:
  struct Content; // the implementation's
  View() = default;

  [[nodiscard]] DType dtype() const;
  /// Empty as long as it is open.
  [[nodiscard]] Shape shape() const;
  /// The transposed tile, which costs nothing; of rank 2.
  [[nodiscard]] View T(Where where = Where::current()) const;
  /// The tile with its shape given: `load(A.tile(i, j).sized({64, 128}))`.
  [[nodiscard]] View sized(const Shape &shape, Where where = Where::current()) const;
  /// A part of the tile, from `offsets` on, in elements.
  [[nodiscard]] View part(const Shape &shape, std::initializer_list<Index> offsets,
                          Where where = Where::current()) const;

private:
  friend class BuilderState;
  std::shared_ptr<const Content> content_;
};

/// A tensor in global memory: an argument of the kernel, or a window of one.
class Global {
public:
  Global() = default;

  [[nodiscard]] DType dtype() const;
  /// Tile number (i, j, ...): an index a dim, in tiles. A tile of lower rank than the tensor has extent 1 in the
  /// leading dims, so that of a tensor {batch, M, K}, `tile(b, i, j)` is a matrix. What lies outside the tensor reads
  /// as 0 (see LoadOptions::fill) and is not written.
  [[nodiscard]] View tile(const Index &i, Where where = Where::current()) const;
  [[nodiscard]] View tile(const Index &i, const Index &j, Where where = Where::current()) const;
  [[nodiscard]] View tile(const Index &b, const Index &i, const Index &j, Where where = Where::current()) const;
  [[nodiscard]] View tile(const Index &a, const Index &b, const Index &i, const Index &j,
                          Where where = Where::current()) const;
  /// The tile of that shape from `offsets` on, an offset a dim, in elements.
  [[nodiscard]] View slice(const Shape &shape, std::initializer_list<Index> offsets,
                           Where where = Where::current()) const;
  /// One element, the same for all who ask; 0 outside the tensor: `to_index(lengths.at({b}))`.
  [[nodiscard]] Scalar at(std::initializer_list<Index> indices, Where where = Where::current()) const;

  /// Elements `first` to `first + count - 1` along `dim`, as a tensor of its own: one sequence of a ragged batch. Beyond
  /// them tiles read 0 and write nothing, by TMA as well, though the tensor goes on; offsets in it must not be negative.
  /// It ends with the tensor where it would leave it. Errors: `dim` is none of the tensor's; the tensor is a window.
  ///     Global mine = K.window(0, start, end - start);  copy(mine.tile(j, 0), slot);
  [[nodiscard]] Global window(int dim, const Index &first, const Index &count, Where where = Where::current()) const;

private:
  friend class BuilderState;
  friend class KernelBuilder;
  BuilderState *state_ = nullptr;
  int id_ = -1;
};

/// The shape of one slot of a pipeline.
struct SlotSpec {
  DType dtype;
  Shape shape;
  Where where;
};

[[nodiscard]] inline SlotSpec shared(DType dtype, Shape shape, Where where = Where::current()) {
  return {dtype, std::move(shape), where};
}

/// A pipeline without its number of slots; use Pipeline.
class PipelineBase {
protected:
  friend class BuilderState;
  friend class KernelBuilder;
  void take(bool produce, std::span<View> slots, Where where) const;

  BuilderState *state_ = nullptr;
  void *value_ = nullptr;
};

/// Stages in shared memory, each of N slots. One role produces, others consume:
///     auto [a, b] = ring.produce();  copy(A.tile(i, kk), a);  copy(B.tile(j, kk), b);
///     auto [a, b] = ring.consume();  acc = mma(a, b.T(), acc);
/// A slot is valid in the iteration that took it. It is full when what was copied into it has arrived, free when the
/// last who reads it is done: nobody says so, the compiler derives it.
template <size_t N> class Pipeline : public PipelineBase {
public:
  [[nodiscard]] std::array<View, N> produce(Where where = Where::current()) const { return taken(true, where); }
  [[nodiscard]] std::array<View, N> consume(Where where = Where::current()) const { return taken(false, where); }

private:
  [[nodiscard]] std::array<View, N> taken(bool produce, Where where) const {
    std::array<View, N> slots;
    take(produce, slots, where);
    return slots;
  }
};

struct LoadOptions {
  double fill = 0; ///< what lies outside the tensor reads as this
  Cache cache = Cache::normal;
};

struct StoreOptions {
  bool accumulate = false; ///< adds to what is there, in no fixed order; to global memory; f32, fp16, bf16 or s32
  Cache cache = Cache::normal;
};

/// Moves a tile between memory spaces, at least one of them shared. Returns at once.
void copy(const View &source, const View &destination, StoreOptions options = {}, Where where = Where::current());
/// Writes a register tile to memory.
void copy(const Tile &source, const View &destination, StoreOptions options = {}, Where where = Where::current());
void store(const Tile &source, const View &destination, StoreOptions options = {}, Where where = Where::current());

/// Reads a tile into registers: `load(X.tile(i), {1024})`, `load(slot)`.
[[nodiscard]] Tile load(const View &source, const Shape &shape = {}, LoadOptions options = {},
                        Where where = Where::current());

} // namespace tegula::dsl
