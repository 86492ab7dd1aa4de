# Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The bundle: our programs with LLVM and MLIR linked in, for machines that have neither. A bundled program is a second
# link of the objects of the program in bin/, so that it costs no compilation.

add_library(tegula_mlir_shared INTERFACE)
target_link_libraries(tegula_mlir_shared INTERFACE MLIR LLVM)

# CMake's targets for MLIR's archives ask for the shared libLLVM, so the archives are named by path; the linker takes
# the members that are used. LLVM's own dependencies, zlib and zstd, come as archives too.
file(GLOB archives "${LLVM_LIBRARY_DIR}/libMLIR*.a" "${LLVM_LIBRARY_DIR}/libLLVM*.a")
find_library(TEGULA_ZLIB_ARCHIVE libz.a)
find_library(TEGULA_ZSTD_ARCHIVE libzstd.a)
mark_as_advanced(TEGULA_ZLIB_ARCHIVE TEGULA_ZSTD_ARCHIVE)
add_library(tegula_mlir_archives INTERFACE)
target_link_libraries(tegula_mlir_archives INTERFACE
  -Wl,--start-group ${archives} -Wl,--end-group
  ${TEGULA_ZSTD_ARCHIVE} ${TEGULA_ZLIB_ARCHIVE} Threads::Threads ${CMAKE_DL_LIBS} m rt)

# The objects of a target, linked once more with what the target links to.
macro(tegula_link_again name)
  get_target_property(libraries ${name} LINK_LIBRARIES)
  get_target_property(options ${name} LINK_OPTIONS)
  target_link_libraries(${name}-bundled PRIVATE ${libraries})
  if(options)
    target_link_options(${name}-bundled PRIVATE ${options})
  endif()
  target_link_options(${name}-bundled PRIVATE -static-libstdc++ -static-libgcc -Wl,--strip-all)
  set_target_properties(${name}-bundled PROPERTIES
    TEGULA_BUNDLED ON
    LINKER_LANGUAGE CXX
    OUTPUT_NAME ${name}
    RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/bundle/bin"
    LIBRARY_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/bundle/lib")
endmacro()

# tegula_add_bundled_program(NAME): declares NAME-bundled, which `ninja NAME-bundled` puts into bundle/bin under NAME.
function(tegula_add_bundled_program name)
  add_executable(${name}-bundled EXCLUDE_FROM_ALL $<TARGET_OBJECTS:${name}>)
  tegula_link_again(${name})
endfunction()

# tegula_add_bundled_library(NAME): the same for a shared library, in bundle/lib.
function(tegula_add_bundled_library name)
  add_library(${name}-bundled SHARED EXCLUDE_FROM_ALL $<TARGET_OBJECTS:${name}>)
  tegula_link_again(${name})
endfunction()
