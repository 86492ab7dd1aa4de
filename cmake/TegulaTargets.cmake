# Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The settings that every target of ours shares, and the one function that declares a library.

add_library(tegula_options INTERFACE)
target_compile_features(tegula_options INTERFACE cxx_std_20)
target_compile_options(tegula_options INTERFACE
  -Wall -Wextra -Werror
  # What mlir-tblgen generates for passes leaves parameters unused.
  "$<$<BOOL:$<TARGET_PROPERTY:TEGULA_GENERATED_CODE>>:SHELL:-Wno-unused-parameter>"
  # Of objects that go into shared libraries too, cmake/exports.map says what is seen outside.
  $<$<NOT:$<BOOL:${TEGULA_INSTALL}>>:-fvisibility=hidden> -fvisibility-inlines-hidden
  "-ffile-prefix-map=${CMAKE_SOURCE_DIR}/=")
target_link_options(tegula_options INTERFACE -Wl,--gc-sections -Wl,--exclude-libs,ALL)
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  target_link_options(tegula_options INTERFACE -fuse-ld=lld)
endif()
if(TEGULA_SANITIZE)
  target_compile_options(tegula_options INTERFACE -fsanitize=${TEGULA_SANITIZE} -fno-omit-frame-pointer)
  target_link_options(tegula_options INTERFACE -fsanitize=${TEGULA_SANITIZE})
endif()
target_include_directories(tegula_options INTERFACE
  "$<BUILD_INTERFACE:${CMAKE_SOURCE_DIR}>"
  "$<BUILD_INTERFACE:${CMAKE_SOURCE_DIR}/include>"
  "$<BUILD_INTERFACE:${CMAKE_BINARY_DIR}>")

# tegula_add_library(NAME source... [PUBLIC lib...] [PRIVATE lib...]): a static, position-independent library.
function(tegula_add_library name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "PUBLIC;PRIVATE")
  add_library(${name} STATIC ${arg_UNPARSED_ARGUMENTS})
  set_target_properties(${name} PROPERTIES POSITION_INDEPENDENT_CODE ON)
  target_link_libraries(${name} PUBLIC ${arg_PUBLIC} PRIVATE tegula_options ${arg_PRIVATE})
  target_include_directories(${name} PUBLIC
    "$<BUILD_INTERFACE:${CMAKE_SOURCE_DIR}>"
    "$<BUILD_INTERFACE:${CMAKE_SOURCE_DIR}/include>"
    "$<BUILD_INTERFACE:${CMAKE_BINARY_DIR}>")
  target_compile_features(${name} PUBLIC cxx_std_20)
endfunction()

# tegula_add_executable(NAME source... [LINK lib...])
function(tegula_add_executable name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "LINK")
  add_executable(${name} ${arg_UNPARSED_ARGUMENTS})
  target_link_libraries(${name} PRIVATE tegula_options ${arg_LINK})
endfunction()
