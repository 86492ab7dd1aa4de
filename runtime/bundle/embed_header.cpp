// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Writes the header of an embedded kernel.
#include "runtime/bundle/embed_header.h"

#include <cctype>
#include <set>
#include <string_view>

#include <fmt/format.h>

#include "runtime/types/dtype.h"

namespace tegula {
namespace {

// Dims, globals and scalars share one struct, so equal or unlawful names are told apart.
class Names {
public:
  std::string make(std::string_view text) {
    std::string name;
    for (char c : text)
      name += std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
    if (name.empty() || std::isdigit(static_cast<unsigned char>(name.front())) || is_keyword(name))
      name = "k_" + name;
    while (!taken_.insert(name).second)
      name += '_';
    return name;
  }

private:
  static bool is_keyword(std::string_view name) {
    static constexpr std::string_view kKeywords[] = {
        "auto", "bool", "char", "class", "const", "default", "do",    "double", "else",  "float", "for",  "if",
        "int",  "long", "new",  "or",    "and",   "not",     "short", "this",   "union", "void",  "while"};
    for (std::string_view keyword : kKeywords)
      if (keyword == name)
        return true;
    return false;
  }
  std::set<std::string> taken_;
};

std::string_view cpp_type(DType dtype) {
  if (is_float(dtype))
    return dtype == DType::f64 ? "double" : "float";
  if (kind(dtype) == DTypeKind::boolean)
    return "bool";
  return kind(dtype) == DTypeKind::unsigned_integer ? "uint64_t" : "int64_t";
}

// A string literal, in pieces: compilers may refuse a literal beyond 64 KiB.
std::string quoted(std::string_view text) {
  std::string out = "    \"";
  for (char c : text) {
    switch (c) {
    case '"': out += "\\\""; break;
    case '\\': out += "\\\\"; break;
    case '\n': out += "\\n\"\n    \""; break;
    default:
      if (static_cast<unsigned char>(c) < 0x20)
        out += fmt::format("\\{:03o}", static_cast<unsigned char>(c));
      else
        out += c;
    }
  }
  return out + "\"";
}

std::string listed(std::span<const std::byte> image) {
  std::string out;
  out.reserve(image.size() * 5);
  for (size_t i = 0; i < image.size(); ++i)
    out += fmt::format("{}{},", i % 24 == 0 ? "\n    " : "", static_cast<unsigned>(image[i]));
  return out;
}

struct Member {
  std::string declaration;
  std::string use;
};

struct Members {
  std::vector<Member> globals, dims, scalars;
};

Members members_of(const KernelManifest &m) {
  Members members;
  Names names;
  for (const GlobalInfo &global : m.globals) {
    const std::string member = names.make(global.name);
    members.globals.push_back(
        {fmt::format("  Tensor<{}> {}; ///< {}, {}", global.dims.size(), member, name(global.dtype),
                     global.access == Access::read    ? "read"
                     : global.access == Access::write ? "written"
                                                      : "read and written"),
         fmt::format("        {{.name = \"{}\", .base = arguments.{}.base, .dtype = tegula::DType::{}, "
                     ".strides = arguments.{}.stride_view(), .extents = {{}}}},",
                     global.name, member, name(global.dtype), member)});
  }
  for (const DimInfo &dim : m.dims) {
    const std::string member = names.make(dim.name);
    members.dims.push_back(
        {fmt::format("  int64_t {} = 0;", member), fmt::format("        {{\"{}\", arguments.{}}},", dim.name, member)});
  }
  std::set<std::string> seen;
  for (const ParamInfo &param : m.params)
    if (param.kind == ParamKind::scalar && seen.insert(param.name).second) {
      const std::string member = names.make(param.name);
      members.scalars.push_back({fmt::format("  {} {} = {{}};", cpp_type(param.dtype), member),
                                 fmt::format("        {{\"{}\", arguments.{}}},", param.name, member)});
    }
  return members;
}

constexpr std::string_view kTensor = R"(/// A tensor's address, and its strides in elements where it isn't dense.
template <size_t rank> struct Tensor {
  tegula::DevicePtr base = 0;
  std::array<int64_t, rank> strides = {};
  bool dense = true;

  Tensor() = default;
  Tensor(tegula::DevicePtr base_) : base(base_) {}
  Tensor(tegula::DevicePtr base_, std::array<int64_t, rank> strides_) : base(base_), strides(strides_), dense(false) {}
  [[nodiscard]] std::span<const int64_t> stride_view() const {
    return dense ? std::span<const int64_t>() : std::span<const int64_t>(strides);
  }
};
)";

std::string array_of(std::string_view type, std::string_view name, const std::vector<Member> &members) {
  std::string out = fmt::format("    const std::array<{}, {}> {} = {{{{\n", type, members.size(), name);
  for (const Member &member : members)
    out += member.use + "\n";
  return out + "    }};\n";
}

} // namespace

std::string embed_header(const KernelManifest &m, std::span<const std::byte> image) {
  const Members members = members_of(m);
  std::string out = fmt::format("// Written by Tegula ({}): kernel '{}' for {}. Needs tegula/runtime.h alone.\n"
                                "#pragma once\n\n#include <array>\n#include <cstdint>\n#include <span>\n"
                                "#include <string_view>\n\n#include <tegula/runtime.h>\n\n",
                                m.compiler.empty() ? "unknown version" : m.compiler, m.kernel, m.arch);
  out += fmt::format("namespace tegula_kernels::{} {{\n\n", Names().make(m.kernel + "_" + m.arch));
  out += "inline constexpr std::string_view kManifest =\n" + quoted(to_json(m)) + ";\n\n";
  out +=
      fmt::format("alignas(16) inline constexpr unsigned char kImage[{}] = {{{}\n}};\n\n", image.size(), listed(image));
  out += kTensor;
  out += "\nstruct Arguments {\n";
  for (const auto *list : {&members.globals, &members.dims, &members.scalars})
    for (const Member &member : *list)
      out += member.declaration + "\n";
  out += "};\n\n/// The kernel, loaded into a context.\nclass Launcher {\n public:\n"
         "  [[nodiscard]] static tegula::Result<Launcher> load(const tegula::Context &context) {\n"
         "    TEGULA_TRY(tegula::Kernel kernel, tegula::load_embedded(context, kManifest, kImage));\n"
         "    return Launcher(std::move(kernel));\n  }\n\n"
         "  [[nodiscard]] tegula::Result<void> launch(const Arguments &arguments,\n"
         "                                            const tegula::LaunchOptions &options = {}) const {\n"
         "    (void)arguments;\n";
  out += array_of("tegula::GlobalArg", "globals", members.globals);
  out += array_of("tegula::DimArg", "dims", members.dims);
  out += array_of("tegula::ScalarArg", "scalars", members.scalars);
  out += "    return kernel_.launch({globals, dims, scalars}, options);\n  }\n\n"
         "  [[nodiscard]] const tegula::Kernel &kernel() const { return kernel_; }\n\n"
         " private:\n  explicit Launcher(tegula::Kernel kernel) : kernel_(std::move(kernel)) {}\n"
         "  tegula::Kernel kernel_;\n};\n\n";
  out += fmt::format("}} // namespace tegula_kernels::{}\n", Names().make(m.kernel + "_" + m.arch));
  return out;
}

} // namespace tegula
