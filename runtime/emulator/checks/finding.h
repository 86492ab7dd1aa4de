// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A finding: something the program does that hardware may forgive or punish. Reported once, on stderr, and kept.
#pragma once

#include <cstdint>
#include <string>

namespace tegula::emulator {

/// The error that a launch ends in; the numbers are CUresult's.
enum class ErrorCode : int {
  none = 0,
  illegal_address = 700,
  launch_failed = 719,
  illegal_instruction = 715,
  misaligned_address = 716,
  assertion = 710,
  hardware_stack = 714,
  launch_timeout = 702,
  out_of_memory = 2
};

enum class FindingKind : uint8_t {
  out_of_bounds,
  misaligned,
  use_after_free,
  write_to_constant,
  deadlock,
  wgmma_register,
  wgmma_fence,
  proxy_fence,
  race,
  mbarrier_misuse,
  barrier_misuse,
  descriptor,
  illegal_instruction,
  register_pool,
  cluster_peer,
  non_termination,
  trap,
  assertion,
  stack_overflow,
  not_emulated,
  tensor_memory,
  tensor_order,
  launch_control
};

/// Short name, as printed: "out-of-bounds".
const char *name_of(FindingKind kind);
ErrorCode code_of(FindingKind kind);

struct Finding {
  FindingKind kind;
  std::string message;
};

/// Thrown inside the machine by an access that cannot go on; caught where the grid is run.
struct Fault {
  FindingKind kind;
  std::string message;
};

} // namespace tegula::emulator
