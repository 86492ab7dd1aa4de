# Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# PROGRAM needs no libLLVM, libMLIR or libcuda, and exports no symbol of LLVM.
execute_process(COMMAND ldd ${PROGRAM} OUTPUT_VARIABLE needed RESULT_VARIABLE status)
if(NOT status EQUAL 0 OR needed MATCHES "LLVM|MLIR|libcuda|libnvrtc")
  message(FATAL_ERROR "ldd says:\n${needed}")
endif()
execute_process(COMMAND nm -D --defined-only ${PROGRAM} OUTPUT_VARIABLE exported)
if(exported MATCHES "llvm|LLVM|mlir")
  message(FATAL_ERROR "exports:\n${exported}")
endif()
execute_process(COMMAND ${PROGRAM} OUTPUT_VARIABLE out RESULT_VARIABLE status)
if(NOT status EQUAL 0)
  message(FATAL_ERROR "status ${status}: ${out}")
endif()
