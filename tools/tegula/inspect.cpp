// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// tegula inspect: a kernel at a stage of its lowering, under a heading that says how it is run and why.
#include <array>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "compiler/pipeline/compile.h"
#include "tools/tegula/commands.h"
#include "tools/tegula/session.h"

namespace tegula {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::array<std::string_view, 7> kStages = {"tile", "warp", "nv", "llvm", "ptx", "sass", "resources"};

Stage stage_of(std::string_view name) {
  for (size_t i = 0; i < kStages.size(); ++i)
    if (kStages[i] == name)
      return static_cast<Stage>(i);
  return Stage::ptx;
}

Json to_json(const std::string &label, const KernelManifest &m) {
  const ResourceReport &r = m.resources;
  return {{"kernel", label},
          {"arch", m.arch},
          {"registers", r.registers},
          {"spill_store_bytes", r.spill_store_bytes},
          {"spill_load_bytes", r.spill_load_bytes},
          {"stack_bytes", r.stack_bytes},
          {"static_shared_bytes", r.shared_bytes},
          {"dynamic_shared_bytes", m.dynamic_shared_bytes},
          {"threads", m.block_threads},
          {"cluster", m.cluster},
          {"serialized_wgmma", r.serialized_wgmma},
          {"remarks", r.remarks},
          {"schedule", m.schedule},
          {"assembler", m.assembler}};
}

void print_resources(const std::string &label, const KernelManifest &m) {
  const ResourceReport &r = m.resources;
  fmt::print("{} for {}, assembled by {}\n", label, m.arch, m.assembler.empty() ? "nobody: PTX only" : m.assembler);
  fmt::print("  threads {}, registers {}, shared memory {} + {} bytes, cluster {}x{}x{}\n", m.block_threads,
             r.registers, r.shared_bytes, m.dynamic_shared_bytes, m.cluster[0], m.cluster[1], m.cluster[2]);
  fmt::print("  spills: {} bytes stored, {} loaded; stack {} bytes; wgmma {}\n", r.spill_store_bytes,
             r.spill_load_bytes, r.stack_bytes, r.serialized_wgmma ? "SERIALIZED" : "not serialized");
  for (const auto &[name, value] : m.schedule)
    fmt::print("  {} = {}\n", name, value);
  for (const std::string &remark : r.remarks)
    fmt::print("  remark: {}\n", remark);
}

} // namespace

Result<int> run_inspect(const Arguments &arguments) {
  TEGULA_TRY(const KernelEntry *const kernel, find_kernel(arguments.kernel));
  TEGULA_TRY(const ParameterValues values, read_parameters(kernel->name, kernel->parameters(), arguments.words));
  TEGULA_TRY(const std::string why, kernel->explain(values));
  Jit jit = make_jit(arguments);
  CompileOptions options;
  if (!arguments.arch.empty())
    options.arch = arguments.arch;
  TEGULA_TRY(const std::vector<KernelPart> parts, kernel->parts(values, options.arch));
  const char *comment = arguments.emit == "llvm" ? ";" : "//";
  if (!arguments.json)
    fmt::print("{} {}: {}\n", comment, kernel->name, why);
  Json resources = Json::array();
  for (const KernelPart &part : parts) {
    if (!arguments.json)
      fmt::print("{} {}: {}; {}\n", comment, part.label, part.source.identity, part.source.schedule);
    if (arguments.emit == "resources") {
      TEGULA_TRY(const JitKernel compiled, jit.compile(part.source, options.arch));
      resources.push_back(to_json(part.label, compiled.manifest));
      if (!arguments.json)
        print_resources(part.label, compiled.manifest);
      continue;
    }
    TEGULA_TRY(const dsl::Kernel built, part.source.build());
    TEGULA_TRY(const std::string text, print_stage(built, stage_of(arguments.emit), options));
    fmt::print("{}{}", text, text.ends_with('\n') ? "" : "\n");
  }
  if (arguments.json)
    fmt::print("{}\n", Json{{"kernel", kernel->name}, {"why", why}, {"parts", resources}}.dump(2));
  return 0;
}

} // namespace tegula
