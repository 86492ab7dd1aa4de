// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Work that must not be done while a stream is being captured.
#pragma once

#include <string_view>

#include "runtime/driver/context.h"
#include "runtime/driver/stream.h"

namespace tegula {

/// Nothing, unless the stream is being captured: then the error says `what` is missing and to call prepare() before. The
/// capture stays valid.
[[nodiscard]] Result<void> refuse_in_capture(const Context &context, StreamRef stream, std::string_view what);

} // namespace tegula
