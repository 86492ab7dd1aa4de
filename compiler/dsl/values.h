// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a kernel computes with: Index (64-bit, uniform), Scalar (typed, uniform) and Tile (in registers). All three are
// variables: a value assigned inside a loop or a branch is carried out of it.
#pragma once

#include <concepts>

#include "compiler/dsl/shape.h"

namespace tegula::dsl {

class BuilderState;

/// A variable of a kernel. While a kernel is built, its builder knows every variable that is alive, so that an
/// assignment in a loop's body becomes a value that the loop carries. Copies are variables of their own with the same
/// value.
class Cell {
public:
  [[nodiscard]] BuilderState *state() const { return state_; }

protected:
  Cell();
  Cell(BuilderState *state, void *value);
  Cell(const Cell &other);
  Cell &operator=(const Cell &other);
  ~Cell();

private:
  friend class BuilderState;
  void enter(BuilderState *state);
  void leave();

  BuilderState *state_ = nullptr;
  void *value_ = nullptr; // an mlir::Value; null for constants, for what was never given a value, after an error
  int64_t constant_ = 0;  // of an Index that is known when the kernel is built
  bool is_constant_ = false;
  bool failed_ = false; // an error was reported where it was computed: uses are silent
  DType dtype_ = DType::s64;
  Cell *previous_ = nullptr, *next_ = nullptr;
};

/// A 64-bit integer that all warps agree on: extents, coordinates, loop counters. Converts from C++ integers.
/// `/` and `%` round towards zero, as in C++.
class Index : public Cell {
public:
  Index() = default;
  template <std::integral T> Index(T value) : Index(Constant{static_cast<int64_t>(value)}) {}

  Index &operator+=(const Index &other);
  Index &operator-=(const Index &other);

private:
  friend class BuilderState;
  struct Constant {
    int64_t value;
  };
  explicit Index(Constant constant);
  Index(BuilderState *state, void *value) : Cell(state, value) {}
};

/// A single typed value that all warps agree on: an argument such as alpha, an element read from memory, a condition.
class Scalar : public Cell {
public:
  Scalar() = default;
  [[nodiscard]] DType dtype() const;

private:
  friend class BuilderState;
  Scalar(BuilderState *state, void *value) : Cell(state, value) {}
};

/// A tile in registers, spread over the warps of one instance of a role.
class Tile : public Cell {
public:
  Tile() = default;
  [[nodiscard]] DType dtype() const;
  [[nodiscard]] Shape shape() const;
  /// The transposed tile; of rank 2.
  [[nodiscard]] Tile T(Where where = Where::current()) const;

private:
  friend class BuilderState;
  Tile(BuilderState *state, void *value) : Cell(state, value) {}
};

} // namespace tegula::dsl
