// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Opens the fake driver in a test.
#pragma once

#include <catch2/catch.hpp>

#include "runtime/driver/context.h"
#include "test/runtime/fake_driver/fake_driver.h"

namespace fake {

/// The fake driver with its records cleared.
inline tegula::Driver open_driver() {
  state().reset();
  auto driver = tegula::Driver::open({.library = TEGULA_FAKE_DRIVER, .emulator_devices = {}});
  REQUIRE(driver);
  return std::move(*driver);
}

inline tegula::Context open_context(int ordinal = 0) {
  auto driver = tegula::Driver::open({.library = TEGULA_FAKE_DRIVER, .emulator_devices = {}});
  REQUIRE(driver);
  auto context = tegula::Context::open(*driver, ordinal);
  REQUIRE(context);
  return std::move(*context);
}

inline std::span<const std::byte> bytes_of(std::string_view text) { return std::as_bytes(std::span(text)); }

} // namespace fake
