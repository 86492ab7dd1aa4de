// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Opens a driver library and fills the table from it.
#include "runtime/driver/driver.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <mutex>
#include <utility>
#include <vector>

#include <dlfcn.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include "runtime/environment/environment.h"

namespace tegula {

using namespace cu;

namespace {

constexpr std::string_view kSystemLibrary = "libcuda.so.1";
constexpr std::string_view kEmulatorLibrary = "libtegula_emulator.so";

// Set by a handler that is registered right after the driver was initialised, hence runs before the driver's own. A
// handle whose static was complete before that point is destroyed after the handler, when the driver may be gone.
constinit std::atomic<bool> exiting{false};

enum class Need { required, optional };

using GetProcAddress = CUresult (*)(const char *symbol, void **function, int version, uint64_t flags, int *status);

// libcuda exports all that it documents, under names that carry the version. A library that only answers
// cuGetProcAddress is asked there, by the name without it.
void *find_entry(void *library, GetProcAddress get_proc_address, std::string_view symbol, int since) {
  std::string name(symbol);
  if (void *address = dlsym(library, name.c_str()))
    return address;
  if (!get_proc_address)
    return nullptr;
  if (size_t suffix = name.rfind("_v"); suffix != std::string::npos && suffix + 3 == name.size())
    name.resize(suffix);
  void *address = nullptr;
  int status = 0;
  if (get_proc_address(name.c_str(), &address, since, 0, &status) != CUDA_SUCCESS)
    return nullptr;
  return address;
}

std::vector<std::string> fill(DriverApi &api, void *library) {
  std::vector<std::string> missing;
  auto get_proc_address = reinterpret_cast<GetProcAddress>(dlsym(library, "cuGetProcAddress_v2"));
#define TEGULA_DRIVER_ENTRY(symbol, since, need, parameters)                                                           \
  api.symbol = reinterpret_cast<decltype(api.symbol)>(find_entry(library, get_proc_address, #symbol, since));          \
  if (!api.symbol && Need::need == Need::required)                                                                     \
    missing.emplace_back(#symbol);
#include "runtime/driver/driver_api.def"
#undef TEGULA_DRIVER_ENTRY
  return missing;
}

std::string file_of(void *symbol, std::string_view otherwise) {
  Dl_info info{};
  if (dladdr(symbol, &info) && info.dli_fname && *info.dli_fname)
    return info.dli_fname;
  return std::string(otherwise);
}

// Beside this library or program first: a build tree or an unpacked bundle is whole in itself.
std::vector<std::filesystem::path> emulator_places() {
  std::vector<std::filesystem::path> places;
  auto add = [&](const std::filesystem::path &folder) {
    for (const char *step : {".", "../lib"}) {
      std::filesystem::path place = (folder / step / kEmulatorLibrary).lexically_normal();
      if (std::find(places.begin(), places.end(), place) == places.end())
        places.push_back(place);
    }
  };
  std::error_code ignored;
  if (auto program = std::filesystem::read_symlink("/proc/self/exe", ignored); !program.empty())
    add(program.parent_path());
  if (auto self = std::filesystem::path(file_of(reinterpret_cast<void *>(&process_is_exiting), ""));
      self.has_parent_path())
    add(std::filesystem::absolute(self, ignored).parent_path());
  return places;
}

} // namespace

struct Driver::State {
  DriverApi api;
  std::string library;
  bool emulated = false;
  std::mutex mutex;
  std::atomic<bool> initialized{false};
};

Driver::Driver(std::shared_ptr<State> state) : state_(std::move(state)), api_(&state_->api) {}

Result<Driver> Driver::open(const DriverOptions &options) {
  std::string wanted(options.library.empty() ? kSystemLibrary : options.library);
  void *library = dlopen(wanted.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    const char *why = dlerror();
    return Error(
        ErrorCode::no_driver,
        fmt::format("no driver: {}; install the NVIDIA driver, or use --device emulator:sm_90a", why ? why : wanted));
  }
  auto state = std::make_shared<State>();
  std::vector<std::string> missing = fill(state->api, library);
  state->library = state->api.cuInit ? file_of(reinterpret_cast<void *>(state->api.cuInit), wanted) : wanted;
  if (!missing.empty()) {
    int version = 0;
    if (state->api.cuDriverGetVersion)
      (void)state->api.cuDriverGetVersion(&version);
    return Error(ErrorCode::no_driver,
                 fmt::format("the driver {} (CUDA {}) is too old: it lacks {}; CUDA 12.0 has all", state->library,
                             version ? cuda_version_text(version) : "of unknown version", fmt::join(missing, ", ")));
  }
  // The emulator says what it is and takes its devices by a call of its own, before it is initialised.
  using Configure = int (*)(const char *devices);
  if (auto configure = reinterpret_cast<Configure>(dlsym(library, "tegula_emulator_configure"))) {
    state->emulated = true;
    if (!options.emulator_devices.empty() && configure(options.emulator_devices.c_str()) != 0)
      return Error(ErrorCode::bad_argument,
                   fmt::format("the emulator doesn't take '{}' as its devices: it knows a list such as "
                               "sm_90a,sm_100a, and only before its first use",
                               options.emulator_devices));
  }
  return Driver(std::move(state));
}

Result<Driver> Driver::open_emulator(std::string_view devices) {
  DriverOptions options{.library = std::string(kEmulatorLibrary), .emulator_devices = std::string(devices)};
  std::vector<std::filesystem::path> places = emulator_places();
  for (const std::filesystem::path &place : places) {
    if (access(place.c_str(), R_OK) != 0)
      continue;
    options.library = place.string();
    return open(options);
  }
  if (void *library = dlopen(options.library.c_str(), RTLD_NOW | RTLD_LOCAL)) {
    dlclose(library);
    return open(options);
  }
  std::vector<std::string> names;
  for (const std::filesystem::path &place : places)
    names.push_back(place.string());
  return Error(ErrorCode::no_driver, fmt::format("no emulator: found neither {} nor {} on the loader's path",
                                                 fmt::join(names, ", "), kEmulatorLibrary));
}

const std::string &Driver::library() const { return state_->library; }
bool Driver::emulated() const { return state_->emulated; }
bool Driver::initialized() const { return state_->initialized.load(std::memory_order_acquire); }

Result<void> Driver::initialize() const {
  if (initialized())
    return {};
  std::lock_guard lock(state_->mutex);
  if (initialized())
    return {};
  if (CUresult status = api().cuInit(0); status != CUDA_SUCCESS)
    return error(status, "cuInit");
  std::atexit([] { exiting.store(true, std::memory_order_relaxed); });
  state_->initialized.store(true, std::memory_order_release);
  return {};
}

Result<int> Driver::version() const {
  int version = 0;
  TEGULA_CHECK(check(api().cuDriverGetVersion(&version), "cuDriverGetVersion"));
  return version;
}

Result<int> Driver::device_count() const {
  TEGULA_CHECK(initialize());
  int count = 0;
  TEGULA_CHECK(check(api().cuDeviceGetCount(&count), "cuDeviceGetCount"));
  return count;
}

Error Driver::error(CUresult status, std::string_view call, std::source_location where) const {
  const char *name = nullptr;
  const char *text = nullptr;
  (void)api().cuGetErrorName(status, &name);
  (void)api().cuGetErrorString(status, &text);
  ErrorCode code = ErrorCode::driver_error;
  switch (status) {
  case CUDA_ERROR_OUT_OF_MEMORY: code = ErrorCode::out_of_memory; break;
  case CUDA_ERROR_NO_DEVICE:
  case CUDA_ERROR_INVALID_DEVICE: code = ErrorCode::no_device; break;
  case CUDA_ERROR_STUB_LIBRARY: code = ErrorCode::no_driver; break;
  case CUDA_ERROR_NO_BINARY_FOR_GPU: code = ErrorCode::wrong_architecture; break;
  case CUDA_ERROR_NOT_SUPPORTED:
  case CUDA_ERROR_UNSUPPORTED_PTX_VERSION: code = ErrorCode::unsupported; break;
  case CUDA_ERROR_NOT_FOUND: code = ErrorCode::not_found; break;
  default: break;
  }
  return Error(code,
               fmt::format("{}: {} ({})", call, name ? name : fmt::format("error {}", static_cast<int>(status)).c_str(),
                           text ? text : "no description"),
               where);
}

bool process_is_exiting() { return exiting.load(std::memory_order_relaxed); }

std::string cuda_version_text(int version) { return fmt::format("{}.{}", version / 1000, version % 1000 / 10); }

} // namespace tegula
