// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Names and error codes of findings.
#include "runtime/emulator/checks/finding.h"

namespace tegula::emulator {
namespace {
struct Row {
  const char *name;
  ErrorCode code;
};
constexpr Row kRows[] = {
    {"out-of-bounds", ErrorCode::illegal_address},
    {"misaligned", ErrorCode::misaligned_address},
    {"use-after-free", ErrorCode::illegal_address},
    {"write-to-constant", ErrorCode::illegal_address},
    {"deadlock", ErrorCode::launch_timeout},
    {"wgmma-register", ErrorCode::launch_failed},
    {"wgmma-fence", ErrorCode::launch_failed},
    {"proxy-fence", ErrorCode::launch_failed},
    {"race", ErrorCode::launch_failed},
    {"mbarrier", ErrorCode::launch_failed},
    {"barrier", ErrorCode::launch_failed},
    {"descriptor", ErrorCode::launch_failed},
    {"illegal-instruction", ErrorCode::illegal_instruction},
    {"register-pool", ErrorCode::launch_failed},
    {"cluster-peer", ErrorCode::launch_failed},
    {"non-termination", ErrorCode::launch_timeout},
    {"trap", ErrorCode::launch_failed},
    {"assertion", ErrorCode::assertion},
    {"stack-overflow", ErrorCode::hardware_stack},
    {"not-emulated", ErrorCode::launch_failed},
    {"tensor-memory", ErrorCode::launch_failed},
    {"tensor-order", ErrorCode::launch_failed},
    {"launch-control", ErrorCode::launch_failed},
};
} // namespace

const char *name_of(FindingKind kind) { return kRows[static_cast<int>(kind)].name; }
ErrorCode code_of(FindingKind kind) { return kRows[static_cast<int>(kind)].code; }

} // namespace tegula::emulator
