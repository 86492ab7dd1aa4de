// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A PTX module decoded for execution: code, constants with their relocations, variables, parameters.
#pragma once

#include "runtime/emulator/program/inst.h"
#include "runtime/emulator/ptx/ast.h"

#include <deque>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

namespace tegula::emulator {

// Generic addresses: global memory is host memory (below 2^47); the other spaces are windows above.
inline constexpr uint64_t kSharedWindow = uint64_t{1} << 48; // + (rank of the CTA << 24) + offset
inline constexpr uint64_t kLocalWindow = uint64_t{2} << 48;
inline constexpr uint64_t kParamWindow = uint64_t{3} << 48;
inline constexpr uint64_t kFunctionWindow = uint64_t{4} << 48; // + index of the function
inline constexpr uint32_t kSharedReserved = 1024; // the system's part at the bottom of shared memory, as on hardware
inline constexpr unsigned kRankShift = 24;

struct Parameter {
  std::string name;
  uint32_t offset = 0, bytes = 0, align = 1;
};

struct SharedVariable {
  std::string name;
  uint32_t bytes = 0, align = 1;
  bool dynamic = false;
};

struct GlobalVariable {
  std::string name;
  uint64_t bytes = 0;
  uint32_t align = 1;
  bool constant = false;
  uint64_t address = 0;         // set when the module is placed in memory
  std::vector<std::byte> image; // empty: zeros
  struct Fix {
    uint64_t at;
    std::string symbol;
    int64_t add;
    uint8_t bytes;
  };
  std::vector<Fix> fixes;
};

/// A constant whose value is known only once the module, kernel or CTA is placed.
struct Relocation {
  enum class Kind : uint8_t { shared, global } kind;
  uint32_t offset; // into the constants
  uint8_t bytes;   // 4 or 8
  uint32_t symbol; // index of the variable
  int64_t add;
};

struct SourceLocation {
  uint32_t file = 0, line = 0;
};

struct Function {
  std::string name;
  bool is_entry = false, is_builtin = false;
  std::vector<Parameter> params, results; // of an entry: offsets in the parameter space; else in the local frame
  uint32_t param_bytes = 0;
  std::vector<Inst> code;
  std::vector<uint32_t> label_pc; // by label's id, for brx.idx
  uint32_t register_bytes = 0;    // of one warp's frame
  uint32_t local_bytes = 0;       // of one thread's frame
  std::vector<std::byte> constants;
  std::vector<Relocation> relocations;
  std::vector<SourceLocation> locations;
  std::vector<uint32_t> shared_used; // indices into Program::shared
  std::vector<uint32_t> callees;
  std::vector<bool> wgmma_registers; // by offset / 64: those that a wgmma reads or writes
  bool calls_indirectly = false;
  uint8_t cta_group = 0; // of its tcgen05 instructions; 0: none
  uint32_t maxntid[3] = {0, 0, 0}, reqntid[3] = {0, 0, 0}, cluster[3] = {0, 0, 0};
  uint32_t min_ctas = 0, max_registers = 0;
  std::deque<std::vector<Slot>> slot_lists;                 // what Inst::list and ::touched point into
  std::vector<std::shared_ptr<void>> extras;                // what Inst::extra points to
  std::unordered_map<uint32_t, std::string> register_names; // by offset
};

/// Where an entry's shared variables lie, and how much there is.
struct SharedLayout {
  std::unordered_map<uint32_t, uint32_t> offset; // variable -> offset, kSharedReserved included
  uint32_t static_bytes = 0;                     // without the reserved part
  uint32_t dynamic_offset = kSharedReserved;
};

struct Program {
  std::unique_ptr<ptx::Module> source;
  std::string target;
  std::deque<Function> functions;
  std::unordered_map<std::string, uint32_t> function_index;
  std::vector<SharedVariable> shared;
  std::deque<GlobalVariable> globals;
  std::unordered_map<std::string, uint32_t> global_index;

  [[nodiscard]] const Function *entry(const std::string &name) const;
  [[nodiscard]] SharedLayout layout(const Function &entry) const;
  [[nodiscard]] std::string_view file(uint32_t index) const;
};

struct LoadError {
  uint32_t line = 0;
  std::string message;
};

/// Parses and decodes. Null on an error, which names what is not understood and its line.
[[nodiscard]] std::unique_ptr<Program> load_program(std::string text, LoadError &error);

} // namespace tegula::emulator
