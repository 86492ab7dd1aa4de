# Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Installs BUILD into an empty PREFIX.
file(REMOVE_RECURSE "${PREFIX}")
execute_process(COMMAND ${CMAKE_COMMAND} --install "${BUILD}" --prefix "${PREFIX}" --strip
  OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
