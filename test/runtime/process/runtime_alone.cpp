// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A program that uses the public header alone, as a user's would.
#include <tegula/runtime.h>

#include <cstdio>

int main() {
  auto device = tegula::parse_device_spec("emulator:sm_90a");
  std::printf("%s\n", device ? tegula::to_string(*device).c_str() : device.error().message().c_str());
  auto none = tegula::Bundle::open("/nowhere");
  return device && !none ? 0 : 1;
}
