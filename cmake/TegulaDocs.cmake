# Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# dialects/README.md, written from the descriptions in .td files: target `docs`, and a test that it is up to date.

set(doc_pages)
file(GLOB doc_inputs CONFIGURE_DEPENDS "${CMAKE_SOURCE_DIR}/dialects/*/*.td" "${CMAKE_SOURCE_DIR}/dialects/*/*/*.td")

# tegula_doc_page(NAME td_file flag...): one page of the reference.
function(tegula_doc_page name td)
  set(page "${CMAKE_BINARY_DIR}/docs/${name}.md")
  cmake_path(GET td PARENT_PATH doc_folder)
  add_custom_command(OUTPUT "${page}"
    COMMAND ${MLIR_TABLEGEN_EXE} ${ARGN} "-I${CMAKE_SOURCE_DIR}" "-I${CMAKE_SOURCE_DIR}/dialects/${doc_folder}"
            "-I${MLIR_INCLUDE_DIRS}" "${CMAKE_SOURCE_DIR}/dialects/${td}" -o "${page}"
    DEPENDS ${doc_inputs})
  set(doc_pages ${doc_pages} "${page}" PARENT_SCOPE)
endfunction()

file(MAKE_DIRECTORY "${CMAKE_BINARY_DIR}/docs")
tegula_doc_page(tile Tile/IR/TileOps.td -gen-dialect-doc -dialect=tile)
tegula_doc_page(warp Warp/IR/WarpOps.td -gen-dialect-doc -dialect=warp)
tegula_doc_page(nv NV/IR/NVOps.td -gen-dialect-doc -dialect=nv)
tegula_doc_page(tile-to-warp TileToWarp/Passes.td -gen-pass-doc)
tegula_doc_page(warp-passes Warp/Transforms/Passes.td -gen-pass-doc)
tegula_doc_page(warp-to-nv WarpToNV/Passes.td -gen-pass-doc)
tegula_doc_page(nv-to-llvm NVToLLVM/Passes.td -gen-pass-doc)

set(reference "${CMAKE_BINARY_DIR}/docs/README.md")
add_custom_command(OUTPUT "${reference}"
  COMMAND ${CMAKE_COMMAND} "-DPAGES=${doc_pages}" "-DOUTPUT=${reference}" -P "${CMAKE_SOURCE_DIR}/cmake/join_docs.cmake"
  DEPENDS ${doc_pages} "${CMAKE_SOURCE_DIR}/cmake/join_docs.cmake"
  VERBATIM)
add_custom_target(reference ALL DEPENDS "${reference}")
add_custom_target(docs
  COMMAND ${CMAKE_COMMAND} -E copy_if_different "${reference}" "${CMAKE_SOURCE_DIR}/dialects/README.md"
  DEPENDS "${reference}")
if(TEGULA_BUILD_TESTS)
  # Run `tools/dev docs` when this fails.
  add_test(NAME docs
    COMMAND ${CMAKE_COMMAND} -E compare_files "${reference}" "${CMAKE_SOURCE_DIR}/dialects/README.md")
endif()
