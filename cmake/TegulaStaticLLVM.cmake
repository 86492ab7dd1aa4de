# Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Links LLVM and MLIR into our programs, so that they run where neither is installed. CMake's targets for MLIR's
# archives ask for the shared libLLVM, so the archives are named by path; the linker takes the members that are used.

file(GLOB archives "${LLVM_LIBRARY_DIR}/libMLIR*.a" "${LLVM_LIBRARY_DIR}/libLLVM*.a")
find_package(ZLIB REQUIRED)
find_library(TEGULA_ZLIB_ARCHIVE libz.a REQUIRED)
find_library(TEGULA_ZSTD_ARCHIVE libzstd.a REQUIRED)
target_link_libraries(tegula_mlir INTERFACE
  -Wl,--start-group ${archives} -Wl,--end-group
  ${TEGULA_ZSTD_ARCHIVE} ${TEGULA_ZLIB_ARCHIVE} Threads::Threads ${CMAKE_DL_LIBS} m rt)
