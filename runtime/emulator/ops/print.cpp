// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// printf of kernels: values lie in a buffer of the thread, each at its natural alignment.
#include "runtime/emulator/ops/print.h"

#include "runtime/emulator/machine/access.h"

#include <cstdio>
#include <cstring>

namespace tegula::emulator {
namespace {

template <class T> T next_value(Warp &w, uint64_t base, uint64_t &at, unsigned lane) {
  at = (at + sizeof(T) - 1) / sizeof(T) * sizeof(T);
  T v;
  std::memcpy(&v, place(w, base + at, sizeof v, ptx::Space::generic, Use::read, lane), sizeof v);
  at += sizeof v;
  return v;
}

template <class T> void append(std::string &out, const std::string &spec, T value) {
  char text[512];
  std::snprintf(text, sizeof text, spec.c_str(), value);
  out += text;
}

std::string string_at(Warp &w, uint64_t address, unsigned lane) {
  std::string s;
  for (; s.size() < 4096; ++address) {
    char c = static_cast<char>(*place(w, address, 1, ptx::Space::generic, Use::read, lane));
    if (!c)
      break;
    s += c;
  }
  return s;
}

} // namespace

int print(Warp &w, std::string_view format, uint64_t base, unsigned lane) {
  std::string out;
  uint64_t at = 0;
  int count = 0;
  for (size_t i = 0; i < format.size(); ++i) {
    if (format[i] != '%' || i + 1 >= format.size()) {
      out += format[i];
      continue;
    }
    size_t end = i + 1;
    while (end < format.size() && std::strchr("-+ #0123456789.hlLqjzt", format[end]))
      ++end;
    if (end >= format.size())
      break;
    char kind = format[end];
    std::string flags(format.substr(i + 1, end - i - 1));
    bool wide = flags.find_first_of("lqjzt") != std::string::npos;
    flags.erase(std::remove_if(flags.begin(), flags.end(), [](char c) { return std::strchr("hlLqjzt", c); }),
                flags.end());
    i = end;
    if (kind == '%') {
      out += '%';
      continue;
    }
    ++count;
    if (std::strchr("fFeEgGaA", kind))
      append(out, "%" + flags + kind, next_value<double>(w, base, at, lane));
    else if (kind == 's')
      append(out, "%" + flags + "s", string_at(w, next_value<uint64_t>(w, base, at, lane), lane).c_str());
    else if (kind == 'p')
      append(out, "%" + flags + "p", reinterpret_cast<void *>(next_value<uint64_t>(w, base, at, lane)));
    else if (wide)
      append(out, "%" + flags + "ll" + kind, static_cast<long long>(next_value<int64_t>(w, base, at, lane)));
    else
      append(out, "%" + flags + kind, next_value<int32_t>(w, base, at, lane));
  }
  std::fwrite(out.data(), 1, out.size(), stdout);
  return count;
}

} // namespace tegula::emulator
