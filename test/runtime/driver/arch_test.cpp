// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Names of architectures, and what runs where.
#include <catch2/catch.hpp>

#include "runtime/driver/arch.h"

namespace tegula {
namespace {

Arch arch(std::string_view name) { return parse_arch(name).value(); }

TEST_CASE("arch: names are read and written") {
  CHECK(arch("sm_90a") == Arch{9, 0, ArchScope::architecture});
  CHECK(arch("compute_120") == Arch{12, 0, ArchScope::generic});
  for (const char *name : {"sm_80", "sm_90a", "sm_100f", "sm_103a"})
    CHECK(to_string(arch(name)) == name);
  for (const char *name : {"", "sm_", "sm_9", "sm_90b", "90a", "sm_-90", "sm_90 "})
    CHECK_FALSE(parse_arch(name));
}

TEST_CASE("arch: an 'a' image runs on its own device alone") {
  CHECK(runs_on(arch("sm_90a"), ImageKind::cubin, arch("sm_90")));
  CHECK_FALSE(runs_on(arch("sm_90a"), ImageKind::ptx, arch("sm_100")));
  CHECK_FALSE(runs_on(arch("sm_100a"), ImageKind::ptx, arch("sm_103")));
}

TEST_CASE("arch: a family image runs on later minors, a generic cubin too, generic PTX on all later ones") {
  CHECK(runs_on(arch("sm_100f"), ImageKind::cubin, arch("sm_103")));
  CHECK_FALSE(runs_on(arch("sm_103f"), ImageKind::cubin, arch("sm_100")));
  CHECK(runs_on(arch("sm_80"), ImageKind::cubin, arch("sm_86")));
  CHECK_FALSE(runs_on(arch("sm_80"), ImageKind::cubin, arch("sm_90")));
  CHECK(runs_on(arch("sm_80"), ImageKind::ptx, arch("sm_90")));
  CHECK_FALSE(runs_on(arch("sm_90"), ImageKind::ptx, arch("sm_86")));
}

} // namespace
} // namespace tegula
