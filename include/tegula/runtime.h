// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// All that a program needs to load and launch compiled kernels, without LLVM and without a CUDA toolkit.
#pragma once

/// A whole program: y = alpha * x + y with a kernel that `tegula compile saxpy --arch sm_90a -o kernels` made.
///
///     #include <tegula/runtime.h>
///
///     tegula::Result<void> run(std::span<const float> x, std::span<float> y) {
///       using namespace tegula;
///       TEGULA_TRY(Context gpu, open_device("cuda:0"));              // or "emulator:sm_90a", without a GPU
///       TEGULA_TRY(Bundle kernels, Bundle::open("kernels"));
///       TEGULA_TRY(Kernel saxpy, kernels.load(gpu, "saxpy"));
///
///       TEGULA_TRY(Stream stream, Stream::create(gpu));
///       TEGULA_TRY(DeviceBuffer dx, DeviceBuffer::allocate(gpu, x.size_bytes()));
///       TEGULA_TRY(DeviceBuffer dy, DeviceBuffer::allocate(gpu, y.size_bytes()));
///       TEGULA_CHECK(dx.upload(std::as_bytes(x)));
///       TEGULA_CHECK(dy.upload(std::as_bytes(y)));
///
///       const int64_t n = x.size();
///       ArgumentList args;                                           // by name, as the kernel calls them
///       args.global("x", dx.address(), DType::f32, {n}).global("y", dy.address(), DType::f32, {n});
///       args.scalar("alpha", 2.0f);
///       TEGULA_TRY(BoundKernel launch, saxpy.bind(args));            // checked once, everything wrong said at once
///       TEGULA_CHECK(launch.launch({.stream = stream}));             // as often as wanted, at the driver's own cost
///       TEGULA_CHECK(stream.synchronize());
///       return dy.download(std::as_writable_bytes(y));
///     }
///
/// Each call returns a Result; `error().message()` says what to do and `error().describe()` where it came from.
/// Handles are move-only, may be used from any thread, and may live in statics. What there is, by header:

#include "runtime/bundle/bundle.h"     // Bundle, for kernels compiled ahead of time
#include "runtime/driver/devices.h"    // open_device, look_at_devices, default_device
#include "runtime/driver/graph.h"      // Graph, GraphExec
#include "runtime/driver/memory.h"     // DeviceBuffer, PinnedBuffer
#include "runtime/driver/stream.h"     // Stream, Event, elapsed_ms
#include "runtime/launch/kernel.h"     // Kernel, BoundKernel
#include "runtime/launch/tensor_map.h" // encode_tensor_map, for kernels launched by hand
#include "runtime/result/result.h"     // Result, Error, TEGULA_TRY, TEGULA_CHECK
#include "runtime/types/dtype.h"       // DType
