// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The four entry points of cuBLAS that a GEMM takes, by dlopen.
#include "tools/tegula/cublas.h"

#include <dlfcn.h>

#include <fmt/format.h>

#include "runtime/driver/memory.h"

namespace tegula {
namespace {

// cublas_api.h and library_types.h of CUDA 13.0.
constexpr int kOpN = 0, kOpT = 1, kReal16F = 2, kReal16BF = 14, kReal32F = 0, kCompute32F = 68, kDefaultAlgorithm = -1;
constexpr int64_t kWorkspaceBytes = 32 << 20; // what its manual advises for Hopper

int data_type(DType dtype) { return dtype == DType::bf16 ? kReal16BF : dtype == DType::fp16 ? kReal16F : kReal32F; }

int64_t pitch_of(const GemmMatrix &matrix, bool transposed) {
  return transposed ? matrix.column_stride : matrix.row_stride;
}

} // namespace

struct Cublas::State {
  void *library = nullptr;
  void *handle = nullptr;
  int (*destroy)(void *) = nullptr;
  int (*gemm)(void *, int, int, int, int, int, const void *, const void *, int, int, const void *, int, int,
              const void *, void *, int, int, int, int) = nullptr;
  std::shared_ptr<const ContextState> context;
  DeviceBuffer workspace;
};

Cublas::Cublas(std::unique_ptr<State> state) : state_(std::move(state)) {}
Cublas::Cublas(Cublas &&) noexcept = default;
Cublas &Cublas::operator=(Cublas &&) noexcept = default;
Cublas::~Cublas() {
  if (state_)
    (void)state_->destroy(state_->handle);
}

Result<Cublas> Cublas::open(Session &session) {
  void *library = nullptr;
  for (const char *name : {"libcublas.so.13", "libcublas.so.12", "/usr/local/cuda/lib64/libcublas.so"})
    if (!library)
      library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
  if (!library)
    return Error(ErrorCode::not_found, "there is no cuBLAS to measure against: looked for libcublas.so.13, .12 and in "
                                       "/usr/local/cuda/lib64; add its folder to LD_LIBRARY_PATH");
  const auto create = reinterpret_cast<int (*)(void **)>(dlsym(library, "cublasCreate_v2"));
  const auto set_stream = reinterpret_cast<int (*)(void *, void *)>(dlsym(library, "cublasSetStream_v2"));
  const auto set_workspace = reinterpret_cast<int (*)(void *, void *, size_t)>(dlsym(library, "cublasSetWorkspace_v2"));
  TEGULA_TRY(DeviceBuffer workspace, DeviceBuffer::allocate(session.context, kWorkspaceBytes));
  auto state = std::unique_ptr<State>(
      new State{.library = library, .context = session.context.state(), .workspace = std::move(workspace)});
  state->gemm = reinterpret_cast<decltype(state->gemm)>(dlsym(library, "cublasGemmEx"));
  state->destroy = reinterpret_cast<decltype(state->destroy)>(dlsym(library, "cublasDestroy_v2"));
  const CurrentContext current(*session.context.state());
  if (!create || !set_stream || !set_workspace || !state->gemm || !state->destroy || create(&state->handle) != 0 ||
      set_stream(state->handle, session.stream.raw()) != 0 ||
      set_workspace(state->handle, reinterpret_cast<void *>(state->workspace.address()), kWorkspaceBytes) != 0)
    return Error(ErrorCode::unsupported, "cuBLAS was found but does not start on this device");
  return Cublas(std::move(state));
}

Result<void> Cublas::run(const GemmCase &test, const GemmArgs &args) {
  if (test.batch != 1 || test.beta != 0 || test.bias != BiasAxis::none || test.activation != Activation::none ||
      test.d_transposed)
    return Error(ErrorCode::unsupported, "cuBLAS is measured for plain products only: no batch, C, bias or activation");
  const CurrentContext current(*state_->context);
  const float alpha = args.alpha, beta = 0;
  // cuBLAS thinks in columns: our D by rows is its Dᵀ = Bᵀ · Aᵀ, and what lies by rows is not transposed for it.
  const int status = state_->gemm(
      state_->handle, test.b_transposed ? kOpT : kOpN, test.a_transposed ? kOpT : kOpN, static_cast<int>(test.n),
      static_cast<int>(test.m), static_cast<int>(test.k), &alpha, reinterpret_cast<const void *>(args.b.address),
      data_type(test.in), static_cast<int>(pitch_of(args.b, test.b_transposed)),
      reinterpret_cast<const void *>(args.a.address), data_type(test.in),
      static_cast<int>(pitch_of(args.a, test.a_transposed)), &beta, reinterpret_cast<void *>(args.d.address),
      data_type(test.out), static_cast<int>(args.d.row_stride), kCompute32F, kDefaultAlgorithm);
  if (status != 0)
    return Error(ErrorCode::driver_error, fmt::format("cublasGemmEx failed with status {}", status));
  return {};
}

} // namespace tegula
