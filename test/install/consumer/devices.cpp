// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The runtime alone: a device by a name that can't be, and what the error says.
#include <tegula/runtime.h>

#include <cstdio>
#include <string>

int main() {
  const tegula::Result<tegula::Context> context = tegula::open_device("toaster:0");
  if (context)
    return 1;
  const std::string message(context.error().message());
  std::printf("%s\n", message.c_str());
  return message.find("toaster") == std::string::npos;
}
