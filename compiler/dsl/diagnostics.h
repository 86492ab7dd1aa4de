// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The errors of one kernel under construction, each with the user's line and with notes at the other places involved.
#pragma once

#include <string>
#include <vector>

#include "compiler/dsl/shape.h"

namespace tegula::dsl {

/// A place in the user's sources; file is empty where it is not known.
struct Place {
  std::string file;
  unsigned line = 0;
  unsigned column = 0;

  Place() = default;
  Place(const Where &where) : file(where.file_name()), line(where.line()), column(where.column()) {}
  bool operator==(const Place &) const = default;
};

struct Note {
  Place place;
  std::string message;
};

struct Diagnostic {
  Place place;
  std::string message;
  std::vector<Note> notes;
};

/// `gemm.cpp:31:9: error: ...`, then each note in the same manner; no newline at the end.
[[nodiscard]] std::string to_text(const Diagnostic &diagnostic);

/// All of them, a line each.
[[nodiscard]] std::string to_text(const std::vector<Diagnostic> &diagnostics);

} // namespace tegula::dsl
