# Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Compiles kernels ahead of time, as part of a build.

# tegula_add_kernels(TARGET KERNEL name ARCH arch... [PARAMS k=v...] [OUTPUT folder])
#
# Declares TARGET, which runs `tegula compile` and leaves a bundle (bundle.json, PTX, cubins where ptxas was found, a C++
# header a kernel and architecture) in OUTPUT, by default ${CMAKE_CURRENT_BINARY_DIR}/TARGET. What links to TARGET waits
# for that and may include <name.arch.h>. The folder is also TARGET's property TEGULA_BUNDLE, for Bundle::open.
#
#   tegula_add_kernels(my_gemm KERNEL gemm ARCH sm_90a PARAMS dtype=bf16 m=4096 n=4096 k=4096)
#   target_link_libraries(my_program PRIVATE my_gemm Tegula::Runtime)
function(tegula_add_kernels target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "KERNEL;OUTPUT" "ARCH;PARAMS")
  if(NOT arg_KERNEL OR NOT arg_ARCH OR arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR
      "tegula_add_kernels(${target}): wants KERNEL and ARCH, and does not know '${arg_UNPARSED_ARGUMENTS}'")
  endif()
  if(NOT TARGET Tegula::tegula)
    message(FATAL_ERROR "tegula_add_kernels(${target}): this Tegula was installed without its compiler; install it with "
      "TEGULA_BUILD_COMPILER=ON, or run `tegula compile ${arg_KERNEL}` elsewhere and ship the bundle")
  endif()
  if(NOT arg_OUTPUT)
    set(arg_OUTPUT "${CMAKE_CURRENT_BINARY_DIR}/${target}")
  endif()
  list(JOIN arg_ARCH "," archs)
  # The index begins anew, so that it lists nothing of earlier settings. A schedule may bring
  # kernels of its own (a split product's second pass), so the index alone is named as the output.
  add_custom_command(OUTPUT "${arg_OUTPUT}/bundle.json"
    COMMAND ${CMAKE_COMMAND} -E rm -f "${arg_OUTPUT}/bundle.json"
    COMMAND Tegula::tegula compile ${arg_KERNEL} --arch ${archs} ${arg_PARAMS} -o "${arg_OUTPUT}"
    DEPENDS Tegula::tegula
    COMMENT "Compiling ${arg_KERNEL} for ${archs}"
    VERBATIM)
  add_custom_target(${target}_bundle DEPENDS "${arg_OUTPUT}/bundle.json")
  add_library(${target} INTERFACE)
  add_dependencies(${target} ${target}_bundle)
  target_include_directories(${target} INTERFACE "${arg_OUTPUT}")
  set_target_properties(${target} PROPERTIES TEGULA_BUNDLE "${arg_OUTPUT}")
endfunction()
