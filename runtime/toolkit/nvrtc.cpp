// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// NVRTC's few entry points, by dlopen.
#include "runtime/toolkit/nvrtc.h"

#include <algorithm>
#include <vector>

#include <dlfcn.h>
#include <fmt/format.h>

#include "runtime/driver/arch.h"
#include "runtime/environment/environment.h"

namespace tegula {
namespace {

using Program = struct NvrtcProgram *;

struct Api {
  int (*version)(int *major, int *minor);
  int (*create)(Program *program, const char *source, const char *name, int headers, const char *const *contents,
                const char *const *names);
  int (*destroy)(Program *program);
  int (*compile)(Program program, int count, const char *const *options);
  int (*ptx_size)(Program program, size_t *bytes);
  int (*ptx)(Program program, char *text);
  int (*log_size)(Program program, size_t *bytes);
  int (*log)(Program program, char *text);
  const char *(*error_string)(int status);
};

template <typename F> bool resolve(void *library, const char *symbol, F &function) {
  function = reinterpret_cast<F>(dlsym(library, symbol));
  return function != nullptr;
}

bool fill(void *library, Api &api) {
  return resolve(library, "nvrtcVersion", api.version) && resolve(library, "nvrtcCreateProgram", api.create) &&
         resolve(library, "nvrtcDestroyProgram", api.destroy) && resolve(library, "nvrtcCompileProgram", api.compile) &&
         resolve(library, "nvrtcGetPTXSize", api.ptx_size) && resolve(library, "nvrtcGetPTX", api.ptx) &&
         resolve(library, "nvrtcGetProgramLogSize", api.log_size) && resolve(library, "nvrtcGetProgramLog", api.log) &&
         resolve(library, "nvrtcGetErrorString", api.error_string);
}

std::vector<std::string> places() {
  std::vector<std::string> list;
  for (const char *soname : {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so"}) {
    list.emplace_back(soname);
    if (auto home = read_environment().cuda_home)
      list.push_back(*home + "/lib64/" + soname);
    list.push_back(std::string("/usr/local/cuda/lib64/") + soname);
  }
  return list;
}

std::string text_of(Program program, int (*size)(Program, size_t *), int (*get)(Program, char *)) {
  size_t bytes = 0;
  if (size(program, &bytes) != 0 || bytes == 0)
    return {};
  std::string text(bytes, '\0');
  if (get(program, text.data()) != 0)
    return {};
  text.resize(std::min(text.find('\0'), text.size()));
  return text;
}

} // namespace

struct Nvrtc::State {
  Api api{};
  std::string library;
  ToolkitVersion version;
};

Nvrtc::Nvrtc(std::shared_ptr<const State> state) : state_(std::move(state)) {}
const std::string &Nvrtc::library() const { return state_->library; }
ToolkitVersion Nvrtc::version() const { return state_->version; }

Result<Nvrtc> Nvrtc::open() {
  for (const std::string &place : places()) {
    void *library = dlopen(place.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!library)
      continue;
    auto state = std::make_shared<State>();
    if (!fill(library, state->api))
      continue;
    (void)state->api.version(&state->version.major, &state->version.minor);
    Dl_info info{};
    bool known = dladdr(reinterpret_cast<void *>(state->api.version), &info) != 0 && info.dli_fname;
    state->library = known ? info.dli_fname : place;
    return Nvrtc(std::move(state));
  }
  return Error(ErrorCode::not_found, "no NVRTC: neither the loader's path nor CUDA_HOME or /usr/local/cuda has "
                                     "libnvrtc.so.13 or .12; CUDA C++ functions need it");
}

Result<std::string> Nvrtc::compile_to_ptx(const std::string &source, std::string_view arch,
                                          std::span<const std::string> options) const {
  const Api &api = state_->api;
  if (!arch.starts_with("sm_") || !parse_arch(arch))
    return Error(ErrorCode::bad_argument, fmt::format("'{}' is no architecture; give sm_90a or the like", arch));
  std::vector<std::string> all = {fmt::format("--gpu-architecture=compute_{}", arch.substr(3)), "--std=c++20"};
  all.insert(all.end(), options.begin(), options.end());
  std::vector<const char *> raw;
  for (const std::string &option : all)
    raw.push_back(option.c_str());
  Program program = nullptr;
  if (int status = api.create(&program, source.c_str(), "device_function.cu", 0, nullptr, nullptr))
    return Error(ErrorCode::internal, fmt::format("nvrtcCreateProgram: {}", api.error_string(status)));
  int status = api.compile(program, static_cast<int>(raw.size()), raw.data());
  std::string log = text_of(program, api.log_size, api.log);
  std::string ptx = status == 0 ? text_of(program, api.ptx_size, api.ptx) : std::string();
  (void)api.destroy(&program);
  if (status != 0)
    return Error(ErrorCode::bad_argument,
                 fmt::format("NVRTC refused the device function: {}\n{}", api.error_string(status), log));
  return ptx;
}

} // namespace tegula
