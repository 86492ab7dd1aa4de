// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads the build id that the linker put into our own file, by the notes that are mapped with it.
#include "compiler/jit/identity.h"

#include <cstring>
#include <elf.h>
#include <filesystem>
#include <link.h>
#include <sys/stat.h>

#include <fmt/format.h>

#include "runtime/toolkit/toolkit.h"

namespace tegula {
namespace {

std::string hex(const unsigned char *bytes, size_t count) {
  std::string text;
  for (size_t i = 0; i < count; ++i)
    text += fmt::format("{:02x}", bytes[i]);
  return text;
}

// Name and contents of a note are padded to 4 bytes each (System V ABI, "Note Section").
size_t padded(size_t bytes) { return (bytes + 3) / 4 * 4; }

std::string build_id_in(const char *notes, size_t size) {
  while (size >= sizeof(ElfW(Nhdr))) {
    ElfW(Nhdr) note;
    std::memcpy(&note, notes, sizeof(note));
    const char *name = notes + sizeof(note);
    const size_t whole = sizeof(note) + padded(note.n_namesz) + padded(note.n_descsz);
    if (whole > size)
      break;
    if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && std::memcmp(name, "GNU", 4) == 0)
      return hex(reinterpret_cast<const unsigned char *>(name + padded(note.n_namesz)), note.n_descsz);
    notes += whole;
    size -= whole;
  }
  return "";
}

struct OwnObject {
  ElfW(Addr) inside; // an address of our own code
  std::string build_id;
  std::string path;
};

int look_at_object(dl_phdr_info *info, size_t, void *data) {
  auto &own = *static_cast<OwnObject *>(data);
  bool ours = false;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr) &part = info->dlpi_phdr[i];
    const ElfW(Addr) begin = info->dlpi_addr + part.p_vaddr;
    ours |= part.p_type == PT_LOAD && own.inside >= begin && own.inside < begin + part.p_memsz;
  }
  if (!ours)
    return 0;
  own.path = info->dlpi_name;
  for (int i = 0; i < info->dlpi_phnum && own.build_id.empty(); ++i)
    if (const ElfW(Phdr) &part = info->dlpi_phdr[i]; part.p_type == PT_NOTE)
      own.build_id = build_id_in(reinterpret_cast<const char *>(info->dlpi_addr + part.p_vaddr), part.p_memsz);
  return 1;
}

std::string size_and_time(const std::string &path) {
  struct stat file = {};
  if (stat(path.c_str(), &file) != 0)
    return "unknown";
  return fmt::format("{} bytes of {}.{:09}", file.st_size, file.st_mtim.tv_sec, file.st_mtim.tv_nsec);
}

} // namespace

std::string_view compiler_version() { return TEGULA_VERSION; }

const std::string &compiler_identity() {
  static const std::string identity = [] {
    OwnObject own{reinterpret_cast<ElfW(Addr)>(&compiler_version), "", ""};
    dl_iterate_phdr(look_at_object, &own);
    if (own.build_id.empty())
      own.build_id = size_and_time(own.path.empty() ? "/proc/self/exe" : own.path);
    return fmt::format("tegula {}, LLVM {}, build {}", TEGULA_VERSION, TEGULA_LLVM_VERSION, own.build_id);
  }();
  return identity;
}

std::string assembler_identity(std::string_view ptxas) {
  ToolkitOptions options;
  if (!ptxas.empty())
    options.ptxas = std::filesystem::path(ptxas);
  std::string text;
  for (const Tool &tool : tool_candidates("ptxas", options))
    text += fmt::format("{}{} ({})", text.empty() ? "" : ", ", tool.path.string(), size_and_time(tool.path.string()));
  return text.empty() ? "driver" : "ptxas " + text;
}

} // namespace tegula
