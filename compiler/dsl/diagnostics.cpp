// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Errors in the compiler's usual form, so that editors jump to them.
#include "compiler/dsl/diagnostics.h"

namespace tegula::dsl {

static std::string line(const Place &place, const char *severity, const std::string &message) {
  std::string text;
  if (!place.file.empty())
    text = place.file + ':' + std::to_string(place.line) + ':' + std::to_string(place.column) + ": ";
  return text + severity + ": " + message;
}

std::string to_text(const Diagnostic &diagnostic) {
  std::string text = line(diagnostic.place, "error", diagnostic.message);
  for (const Note &note : diagnostic.notes)
    text += '\n' + line(note.place, "note", note.message);
  return text;
}

std::string to_text(const std::vector<Diagnostic> &diagnostics) {
  std::string text;
  for (const Diagnostic &diagnostic : diagnostics)
    text += (text.empty() ? "" : "\n") + to_text(diagnostic);
  return text;
}

} // namespace tegula::dsl
