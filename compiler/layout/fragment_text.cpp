// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Fragments as text, for IR and diagnostics.
#include "compiler/layout/fragment.h"

#include <charconv>

namespace tegula::layout {
namespace {

void print_axis(std::string &out, const char *name, const Digits &digits) {
  out += out.empty() ? "" : ", ";
  out += name;
  out += " = [";
  for (size_t i = 0; i < digits.size(); ++i) {
    const Digit &digit = digits[i];
    out += (i ? ", " : "") + std::to_string(digit.extent) + ":";
    out += digit.dim == kReplicated ? "*" : std::to_string(digit.stride) + "@" + std::to_string(digit.dim);
  }
  out += "]";
}

/// Reads from the front of the text; remembers the first thing that went wrong.
class Reader {
public:
  explicit Reader(std::string_view text) : text_(text) {}

  bool accept(std::string_view token) {
    skip_blanks();
    if (!text_.substr(at_).starts_with(token))
      return false;
    at_ += token.size();
    return true;
  }

  void expect(std::string_view token) {
    if (!accept(token))
      fail("'" + std::string(token) + "'");
  }

  int64_t number() {
    skip_blanks();
    int64_t value = 0;
    auto [end, error] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), value);
    if (error != std::errc())
      fail("a number");
    else
      at_ = end - text_.data();
    return value;
  }

  Digits axis(std::string_view name) {
    Digits digits;
    expect(name);
    expect("=");
    expect("[");
    if (accept("]"))
      return digits;
    do
      digits.push_back(digit());
    while (error_.empty() && accept(","));
    expect("]");
    return digits;
  }

  void expect_end() {
    skip_blanks();
    if (at_ != text_.size())
      fail("the end");
  }

  const std::string &error() const { return error_; }

private:
  Digit digit() {
    Digit result;
    result.extent = number();
    expect(":");
    if (accept("*"))
      return result;
    result.stride = number();
    expect("@");
    const int64_t dim = number();
    if (dim < 0 || dim > 1000)
      fail("a dimension from 0 to 1000");
    result.dim = static_cast<int>(dim);
    return result;
  }

  void skip_blanks() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\n'))
      ++at_;
  }

  void fail(const std::string &wanted) {
    if (error_.empty())
      error_ = "fragment text: expected " + wanted + " at character " + std::to_string(at_) + " of '" +
               std::string(text_) + "'";
  }

  std::string_view text_;
  size_t at_ = 0;
  std::string error_;
};

} // namespace

std::string to_string(const Fragment &fragment) {
  std::string out;
  print_axis(out, "reg", fragment.digits(Axis::reg));
  print_axis(out, "lane", fragment.digits(Axis::lane));
  print_axis(out, "warp", fragment.digits(Axis::warp));
  return out;
}

Outcome<Fragment> parse_fragment(std::string_view text, Shape shape) {
  Reader reader(text);
  Digits reg = reader.axis("reg");
  reader.expect(",");
  Digits lane = reader.axis("lane");
  reader.expect(",");
  Digits warp = reader.axis("warp");
  reader.expect_end();
  if (!reader.error().empty())
    return Misfit{reader.error()};
  Fragment fragment(std::move(shape), std::move(reg), std::move(lane), std::move(warp));
  if (auto problem = fragment.problem())
    return Misfit{*problem};
  return fragment;
}

} // namespace tegula::layout
