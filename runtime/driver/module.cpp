// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loads modules, with the driver's log in the error, and looks at their functions.
#include "runtime/driver/module.h"

#include <cstring>
#include <vector>

#include <fmt/format.h>

#include "runtime/driver/call.h"

namespace tegula {

using namespace cu;

namespace {

constexpr size_t kLogBytes = 16 * 1024;

std::string trimmed(const std::vector<char> &log) {
  std::string text(log.data(), strnlen(log.data(), log.size()));
  text.erase(text.find_last_not_of(" \n\r\t") + 1);
  return text;
}

struct Loaded {
  CUresult status;
  CUmodule module = nullptr;
  std::string info_log;
  std::string error_log;
};

Loaded load_image(const ContextState &context, const void *image) {
  Loaded loaded{};
  std::vector<char> info(kLogBytes);
  std::vector<char> errors(kLogBytes);
  CUjit_option options[] = {CU_JIT_INFO_LOG_BUFFER, CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES, CU_JIT_ERROR_LOG_BUFFER,
                            CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES, CU_JIT_LOG_VERBOSE};
  // Sizes and flags go by value in the pointer's place.
  void *values[] = {info.data(), reinterpret_cast<void *>(kLogBytes), errors.data(),
                    reinterpret_cast<void *>(kLogBytes), reinterpret_cast<void *>(uintptr_t{1})};
  RelaxedCapture relaxed(context.driver.api());
  loaded.status = context.driver.api().cuModuleLoadDataEx(&loaded.module, image, 5, options, values);
  loaded.info_log = trimmed(info);
  loaded.error_log = trimmed(errors);
  return loaded;
}

Error refused(const ContextState &context, const Loaded &loaded, ImageKind kind, std::string_view ptx) {
  Error error = context.driver.error(loaded.status, "cuModuleLoadDataEx");
  const std::string on = to_string(context.info);
  auto header = kind == ImageKind::ptx ? read_ptx_header(ptx) : std::nullopt;
  std::string message;
  if (loaded.status == CUDA_ERROR_UNSUPPORTED_PTX_VERSION && header) {
    const int cuda = context.driver.version().value_or(0);
    auto newest = newest_ptx(cuda);
    message =
        fmt::format("the PTX is version {}.{}, the driver (CUDA {}) reads {}; install a newer driver or load a cubin",
                    header->version_major, header->version_minor, cuda_version_text(cuda),
                    newest ? fmt::format("up to {}.{}", newest->first, newest->second) : "older ones only");
  } else if (loaded.status == CUDA_ERROR_NO_BINARY_FOR_GPU) {
    message = header ? fmt::format("the PTX is for {}, which {} can't run", header->target, on)
                     : fmt::format("the cubin is for another architecture than that of {}", on);
  } else {
    message =
        fmt::format("{} was refused on {}: {}", kind == ImageKind::ptx ? "the PTX" : "the cubin", on, error.message());
  }
  if (!loaded.error_log.empty())
    message += "\n" + loaded.error_log;
  return Error(error.code(), std::move(message));
}

} // namespace

struct Module::State {
  State(std::shared_ptr<const ContextState> context_, CUmodule raw_, ImageKind kind_, std::string log_)
      : context(std::move(context_)), raw(raw_), kind(kind_), log(std::move(log_)) {}
  ~State() { TEGULA_CALL_TO_FREE(*context, cuModuleUnload, raw); }

  std::shared_ptr<const ContextState> context;
  CUmodule raw;
  ImageKind kind;
  std::string log;
};

ImageKind image_kind(std::span<const std::byte> image) {
  constexpr char kElf[] = {0x7f, 'E', 'L', 'F'};
  return image.size() >= 4 && std::memcmp(image.data(), kElf, 4) == 0 ? ImageKind::cubin : ImageKind::ptx;
}

Result<Module> Module::load(const Context &context, std::span<const std::byte> image) {
  if (image.empty())
    return Error(ErrorCode::bad_argument, "cannot load a module: the image is empty");
  const ImageKind kind = image_kind(image);
  // The driver reads PTX up to a NUL, which a file doesn't have.
  std::string terminated;
  std::string_view text(reinterpret_cast<const char *>(image.data()), image.size());
  if (kind == ImageKind::ptx)
    terminated = text.substr(0, text.find('\0'));
  const void *start = kind == ImageKind::ptx ? static_cast<const void *>(terminated.c_str()) : image.data();

  CurrentContext current(*context.state());
  TEGULA_CHECK(context.driver().check(current.status(), "cuCtxPushCurrent_v2"));
  Loaded loaded = load_image(*context.state(), start);
  if (loaded.status != CUDA_SUCCESS)
    return refused(*context.state(), loaded, kind, terminated);
  return Module(std::make_shared<const State>(context.state(), loaded.module, kind, std::move(loaded.info_log)));
}

Result<Function> Module::function(const std::string &entry) const {
  CUfunction raw = nullptr;
  auto found = TEGULA_CALL(*state_->context, cuModuleGetFunction, &raw, state_->raw, entry.c_str());
  if (!found && found.error().code() == ErrorCode::not_found)
    return Error(ErrorCode::not_found, fmt::format("the module has no entry point '{}'", entry));
  TEGULA_CHECK(std::move(found));
  return Function(state_, state_->context, raw, entry);
}

Result<std::pair<CUdeviceptr, int64_t>> Module::variable(const std::string &name) const {
  CUdeviceptr address = 0;
  size_t bytes = 0;
  auto found = TEGULA_CALL(*state_->context, cuModuleGetGlobal_v2, &address, &bytes, state_->raw, name.c_str());
  if (!found && found.error().code() == ErrorCode::not_found)
    return Error(ErrorCode::not_found, fmt::format("the module has no variable '{}'", name));
  TEGULA_CHECK(std::move(found));
  return std::pair(address, static_cast<int64_t>(bytes));
}

const std::string &Module::log() const { return state_->log; }
ImageKind Module::kind() const { return state_->kind; }

Result<FunctionInfo> Function::info() const {
  struct Field {
    CUfunction_attribute attribute;
    int value = 0;
  } fields[] = {{CU_FUNC_ATTRIBUTE_NUM_REGS},
                {CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES},
                {CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES},
                {CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK}};
  for (Field &field : fields)
    TEGULA_CHECK(TEGULA_CALL(*context_, cuFuncGetAttribute, &field.value, field.attribute, raw_));
  return FunctionInfo{fields[0].value, fields[1].value, fields[2].value, fields[3].value};
}

Result<std::optional<int64_t>> Function::param_bytes(int index) const {
  const DriverApi &api = context_->driver.api();
  if (!api.cuFuncGetParamInfo)
    return Error(ErrorCode::unsupported, "the driver " + context_->driver.library() + " has no cuFuncGetParamInfo");
  CurrentContext current(*context_);
  size_t offset = 0;
  size_t bytes = 0;
  CUresult status = api.cuFuncGetParamInfo(raw_, static_cast<size_t>(index), &offset, &bytes);
  if (status == CUDA_ERROR_INVALID_VALUE)
    return std::optional<int64_t>();
  TEGULA_CHECK(context_->driver.check(status, "cuFuncGetParamInfo"));
  return std::optional<int64_t>(static_cast<int64_t>(bytes));
}

Result<void> Function::allow_dynamic_shared(int64_t bytes) const {
  return TEGULA_CALL(*context_, cuFuncSetAttribute, raw_, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                     static_cast<int>(bytes));
}

Result<void> Function::allow_non_portable_cluster() const {
  return TEGULA_CALL(*context_, cuFuncSetAttribute, raw_, CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1);
}

Result<void> Function::load_now() const {
  if (!context_->driver.api().cuFuncLoad)
    return {};
  RelaxedCapture relaxed(context_->driver.api());
  return TEGULA_CALL(*context_, cuFuncLoad, raw_);
}

} // namespace tegula
