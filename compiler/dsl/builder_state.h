// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A kernel under construction: its module, where the next op goes, the variables that are alive, the scopes that are
// open, and what went wrong so far. The DSL's functions are thin: they ask it for values and give it results.
#pragma once

#include <functional>
#include <optional>
#include <span>

#include "compiler/dsl/diagnostics.h"
#include "compiler/dsl/elementwise.h"
#include "compiler/dsl/kernel_builder.h"
#include "compiler/dsl/kernel_module.h"
#include "compiler/dsl/limits.h"
#include "dialects/Tile/IR/TileDialect.h"
#include "mlir/IR/Builders.h"

namespace tegula::dsl {

/// A tensor argument, or a window of one.
struct GlobalArgument {
  std::string name;
  DType dtype;
  mlir::Value value;
  mlir::ArrayAttr dims;
  int64_t align = 0;

  [[nodiscard]] bool is_window() const { return !llvm::isa<mlir::BlockArgument>(value); }
};

/// An extent or a number.
struct WordArgument {
  std::string name;
  DType dtype;
  mlir::BlockArgument value;
  int64_t multiple = 0;
};

/// What surrounds the next op.
struct Scope {
  enum class Kind { kernel, role, tiles, loop, branch, turn };
  Kind kind;
  Place place;
  std::string what; ///< "the loop", "role 'math'": as notes name it
  bool alternate = false;
};

/// The slots of a ring: their dtypes, and where they got their shapes.
struct RingSlots {
  mlir::Value ring;
  std::vector<DType> dtypes;
  std::vector<Place> places;
};

/// A variable's value as it was at some moment.
struct CellContent {
  mlir::Value value;
  int64_t constant = 0;
  bool is_constant = false;
  bool failed = false;
  DType dtype = DType::s64;

  [[nodiscard]] bool has_value() const { return value || is_constant; }
  bool operator==(const CellContent &) const = default;
};

/// A tile in memory: resolved, then `value` is set; or a tile of a tensor whose shape is open.
struct View::Content {
  BuilderState *state = nullptr;
  DType dtype = DType::f32;
  mlir::Value value;
  bool transposed = false; ///< a transpose of what lies in memory
  Place taken;             ///< where a slot was taken, a tile named
  Place shaped;            ///< where it got its shape
  bool slot = false;
  // open
  int global = -1;
  std::vector<Index> coordinates;
  int64_t share_count = 1; ///< rows are shared out: this part of share_count
  Index share_index;
};

class BuilderState {
public:
  BuilderState(std::string_view name, Target target, const Place &place);
  ~BuilderState();

  /// The builder that free functions on this thread build for; null where none lives.
  static BuilderState *current();

  /// From here on nothing reaches the kernel: uses of its values are silent, what is still built goes nowhere.
  void close();

  // Places and errors.
  [[nodiscard]] mlir::Location location(const Place &place);
  /// Adds an error; the scope around and the calls that led here follow as notes, after `notes`.
  void error(const Place &place, std::string message, std::vector<Note> notes = {});
  [[nodiscard]] Place place_of(mlir::Location location) const;

  // Variables. `use` gives null where an error was, or now is, reported.
  mlir::Value use(const Cell &cell, const Where &where, std::string_view what);
  mlir::Value use(const Operand &operand, const Where &where);
  mlir::Value use_index(const Index &index, const Where &where) { return use(index, where, "index"); }
  [[nodiscard]] static std::optional<int64_t> constant_of(const Cell &cell);
  [[nodiscard]] static DType dtype_of(const Cell &cell) { return cell.dtype_; }
  [[nodiscard]] static mlir::Value value_of(const Cell &cell);
  [[nodiscard]] static bool failed(const Cell &cell) { return cell.failed_; }
  Tile tile(mlir::Value value, DType dtype);
  Scalar scalar(mlir::Value value, DType dtype);
  Index index(mlir::Value value);
  /// Stand-ins after an error, which was reported: their uses are silent.
  Tile failed_tile(DType dtype = DType::f32);
  Scalar failed_scalar(DType dtype = DType::f32);
  Index failed_index();

  // Ops. A constant stands once, at the kernel's entry.
  mlir::Value index_constant(int64_t value);
  mlir::Value number_constant(mlir::Type type, double real, int64_t integer, const Where &where);
  /// The type of a register tile; null after an error about its dtype or size.
  mlir::RankedTensorType tile_type(DType dtype, const Shape &shape, const Where &where);
  /// Whether a value may be used where the next op goes.
  [[nodiscard]] bool in_scope(mlir::Value value) const;

  // Views.
  View view(View::Content content);
  [[nodiscard]] static const View::Content *content(const View &view) { return view.content_.get(); }
  /// The view's value, its shape fixed to `shape` where it was open; null after an error.
  mlir::Value resolve(const View &view, const Shape &shape, const Where &where);
  /// The value of a view whose shape must be known; null after an error.
  mlir::Value resolve(const View &view, const Where &where);
  [[nodiscard]] static Global global_handle(BuilderState *state, int id);
  [[nodiscard]] static int id_of(const Global &global) { return global.id_; }
  [[nodiscard]] static BuilderState *state_of(const Global &global) { return global.state_; }
  [[nodiscard]] static mlir::Value value_of(const PipelineBase &ring);
  static void set(PipelineBase &ring, BuilderState *state, mlir::Value value);

  /// The offsets of an open tile's slice, an offset a dim of its tensor; empty after an error.
  std::vector<mlir::Value> offsets_of(const View::Content &open, const Shape &shape, const Where &where);
  mlir::Value slice(int global, const Shape &shape, mlir::ValueRange offsets, const Where &where);
  /// A stand-in after an error.
  View failed_view(DType dtype);

  // Regions.
  [[nodiscard]] std::vector<Cell *> live_cells() const;
  [[nodiscard]] static CellContent content(const Cell &cell);
  static void set_content(Cell &cell, const CellContent &content);
  mlir::Value materialize(const CellContent &content);
  /// Cells die while regions are built; who keeps pointers to them across user code registers the list here.
  void watch(std::vector<Cell *> *list) { watched_.push_back(list); }
  void unwatch() { watched_.pop_back(); }

  /// Tensors among the kernel's arguments.
  [[nodiscard]] size_t tensor_arguments() const {
    return static_cast<size_t>(llvm::count_if(globals, [](const GlobalArgument &g) { return !g.is_window(); }));
  }
  [[nodiscard]] const RoleShape *role() const { return role_ ? &*role_ : nullptr; }
  /// Warps that hold a register tile here.
  [[nodiscard]] int64_t tile_warps() const { return role_ ? std::max<int64_t>(1, role_->warps) : default_warps; }

  Target target;
  std::shared_ptr<KernelModule> module;
  mlir::OwningOpRef<mlir::ModuleOp> afterwards; ///< takes what is built after the kernel was handed over
  tile::KernelOp kernel;
  mlir::OpBuilder builder;
  std::vector<Diagnostic> errors;
  std::vector<Scope> scopes;
  std::vector<Place> calls;            ///< called_from(), outermost first
  std::vector<GlobalArgument> globals; ///< arguments and windows of them
  std::vector<WordArgument> dims, scalars;
  std::vector<mlir::NamedAttribute> notes;
  std::vector<SharedPiece> shared_pieces;
  bool shared_fault_told = false;
  std::vector<RingSlots> rings;
  std::vector<std::pair<std::string, RoleShape>> roles;
  std::optional<RoleShape> role_;
  int64_t default_warps = 4;
  bool finished = false;

private:
  friend class Cell;
  void start_kernel(mlir::ModuleOp parent, std::string_view name, const Place &place);

  Cell *first_ = nullptr, *last_ = nullptr; // the cells that are alive, oldest first
  std::vector<std::vector<Cell *> *> watched_;
  BuilderState *outer_ = nullptr; // the builder that was current before this one
  BuilderState *inner_ = nullptr;
};

/// The builder of the first cell that has one, else the current one; null where there is none.
BuilderState *state_of(std::initializer_list<const Cell *> cells);

} // namespace tegula::dsl
