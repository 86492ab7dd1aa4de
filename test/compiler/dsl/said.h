// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What finish() said, with places shortened to line numbers: columns differ between compilers, folders between
// machines.
#pragma once

#include <catch2/catch.hpp>

#include <regex>
#include <string>

#include "tegula/dsl.h"

namespace tegula::dsl {

/// "31: error: ..." and "22: note: ..." lines; "fine" where the kernel is right.
inline std::string said(KernelBuilder &k) {
  Result<Kernel> kernel = k.finish();
  if (kernel.ok())
    return "fine";
  return std::regex_replace(kernel.error().message(), std::regex(R"((^|\n)[^\n:]*:(\d+):\d+: )"), "$1$2: ");
}

/// The first error alone, without its notes.
inline std::string first_said(KernelBuilder &k) {
  std::string all = said(k);
  return all.substr(0, all.find('\n'));
}

/// The kernel's text; the error where it is not right.
inline std::string ir_of(KernelBuilder &k) {
  Result<Kernel> kernel = k.finish();
  return kernel.ok() ? kernel->ir() : kernel.error().message();
}

inline std::string at(int line, const std::string &text) { return std::to_string(line) + ": " + text; }

inline int count(const std::string &text, const std::string &what) {
  int found = 0;
  for (size_t from = text.find(what); from != std::string::npos; from = text.find(what, from + 1))
    ++found;
  return found;
}

} // namespace tegula::dsl
