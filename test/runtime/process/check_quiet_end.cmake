# Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Runs PROGRAM with END: it must end with status 42 and print nothing.
execute_process(COMMAND ${PROGRAM} ${END} RESULT_VARIABLE status OUTPUT_VARIABLE out ERROR_VARIABLE err)
if(NOT status STREQUAL "42" OR NOT out STREQUAL "" OR NOT err STREQUAL "")
  message(FATAL_ERROR "status ${status}, printed '${out}${err}'")
endif()
