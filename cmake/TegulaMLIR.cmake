# Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Finds MLIR 22 and declares what a target needs to use it: tegula_mlir, the precompiled headers, tegula_add_mlir_library.

find_package(MLIR 22.1 REQUIRED CONFIG PATHS /usr/lib/llvm-22/lib/cmake/mlir)
list(APPEND CMAKE_MODULE_PATH ${MLIR_CMAKE_DIR} ${LLVM_CMAKE_DIR})
include(TableGen)
include(AddLLVM)
include(AddMLIR)

# LLVM is built with RTTI and without exceptions or assertions; what includes its headers has to match.
add_library(tegula_mlir INTERFACE)
target_include_directories(tegula_mlir SYSTEM INTERFACE ${LLVM_INCLUDE_DIRS} ${MLIR_INCLUDE_DIRS})
target_compile_options(tegula_mlir INTERFACE -fno-exceptions $<BUILD_INTERFACE:-Wno-unused-parameter>)
# Without the time of day in it, a precompiled header is the same for every checkout, and ccache can serve it.
target_compile_options(tegula_mlir INTERFACE "$<$<CXX_COMPILER_ID:Clang>:SHELL:-Xclang -fno-pch-timestamp>")
target_compile_definitions(tegula_mlir INTERFACE NDEBUG __STDC_CONSTANT_MACROS __STDC_FORMAT_MACROS __STDC_LIMIT_MACROS)
# Programs link the shared libraries, and those of the bundle (tegula_add_bundled_program) the archives.
include(TegulaBundle)
target_link_libraries(tegula_mlir INTERFACE
  "$<IF:$<BOOL:$<TARGET_PROPERTY:TEGULA_BUNDLED>>,tegula_mlir_archives,tegula_mlir_shared>")

# MLIR's headers take 20 s to read and 1 s precompiled, so all MLIR targets share one precompiled header. It is named in
# angle brackets, since CMake writes a quoted name's absolute path into what ccache hashes.
add_library(tegula_mlir_pch OBJECT "${CMAKE_SOURCE_DIR}/cmake/mlir_pch.cpp")
set_target_properties(tegula_mlir_pch PROPERTIES POSITION_INDEPENDENT_CODE ON)
target_link_libraries(tegula_mlir_pch PRIVATE tegula_mlir tegula_options)
target_precompile_headers(tegula_mlir_pch PRIVATE <cmake/mlir_pch.h>)

# tegula_add_mlir_library(NAME source... [PUBLIC lib...] [PRIVATE lib...] [DEPENDS target...])
function(tegula_add_mlir_library name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "PUBLIC;PRIVATE;DEPENDS")
  tegula_add_library(${name} ${arg_UNPARSED_ARGUMENTS} PUBLIC ${arg_PUBLIC} tegula_mlir PRIVATE ${arg_PRIVATE})
  target_precompile_headers(${name} REUSE_FROM tegula_mlir_pch)
  if(arg_DEPENDS)
    add_dependencies(${name} ${arg_DEPENDS})
  endif()
endfunction()

# tegula_add_mlir_executable(NAME source... [LINK lib...])
function(tegula_add_mlir_executable name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "LINK")
  tegula_add_executable(${name} ${arg_UNPARSED_ARGUMENTS} LINK ${arg_LINK} tegula_mlir)
endfunction()

# tegula_tablegen(TARGET td_file {output generator_flags}...): e.g. Ops.td  TileOps.h.inc "-gen-op-decls"
function(tegula_tablegen target td)
  set(LLVM_TARGET_DEFINITIONS ${td})
  set(TABLEGEN_OUTPUT)
  while(ARGN)
    list(POP_FRONT ARGN output flags)
    separate_arguments(flags UNIX_COMMAND "${flags}")
    mlir_tablegen(${output} ${flags} EXTRA_INCLUDES ${CMAKE_SOURCE_DIR} ${MLIR_INCLUDE_DIRS})
  endwhile()
  add_custom_target(${target} DEPENDS ${TABLEGEN_OUTPUT})
endfunction()
