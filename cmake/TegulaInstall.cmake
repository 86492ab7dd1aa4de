# Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# What `cmake --install` installs: the programs, a shared library a component with the headers that its public header
# reaches, and the package that find_package(Tegula COMPONENTS Runtime Compiler Kernels) reads.
include(CMakePackageConfigHelpers)
include(GNUInstallDirs)

# A folder of its own, since our headers include each other from the root of the tree: "runtime/result/result.h".
set(TEGULA_INSTALL_INCLUDE "${CMAKE_INSTALL_INCLUDEDIR}/tegula-${PROJECT_VERSION}")
set(TEGULA_INSTALL_CMAKE "${CMAKE_INSTALL_LIBDIR}/cmake/Tegula")

# tegula_archives_behind(OUT target...): our static libraries that the targets are made of, directly or not.
function(tegula_archives_behind out)
  set(open ${ARGN})
  set(seen)
  set(archives)
  while(open)
    list(POP_FRONT open target)
    string(REGEX REPLACE "^\\$<LINK_ONLY:(.*)>$" "\\1" target "${target}")
    if(NOT TARGET ${target} OR target IN_LIST seen OR NOT target MATCHES "^tegula_")
      continue()
    endif()
    list(APPEND seen ${target})
    get_target_property(type ${target} TYPE)
    if(type STREQUAL "STATIC_LIBRARY")
      list(APPEND archives ${target})
    endif()
    foreach(property LINK_LIBRARIES INTERFACE_LINK_LIBRARIES)
      get_target_property(libraries ${target} ${property})
      if(libraries)
        list(APPEND open ${libraries})
      endif()
    endforeach()
  endwhile()
  set(${out} ${archives} PARENT_SCOPE)
endfunction()

# tegula_headers_behind(OUT header...): the headers, and ours that they include, directly or not.
function(tegula_headers_behind out)
  set(open ${ARGN})
  set(headers)
  while(open)
    list(POP_FRONT open header)
    if(header IN_LIST headers OR NOT EXISTS "${CMAKE_SOURCE_DIR}/${header}")
      continue()
    endif()
    list(APPEND headers ${header})
    file(STRINGS "${CMAKE_SOURCE_DIR}/${header}" includes REGEX "^#include \"")
    list(TRANSFORM includes REPLACE "^#include \"([^\"]+)\".*" "\\1")
    list(APPEND open ${includes})
  endwhile()
  set(${out} ${headers} PARENT_SCOPE)
endfunction()

# tegula_add_component(NAME FROM target... HEADERS header... [ON component...] [LINK lib...]): libtegula_<name>.so.
# It holds what the targets are made of, less what the components that it stands on hold already. {fmt} is in each.
function(tegula_add_component name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "FROM;HEADERS;ON;LINK")
  string(TOLOWER "${name}" lower)
  tegula_archives_behind(archives ${arg_FROM})
  get_property(taken GLOBAL PROPERTY TEGULA_COMPONENT_ARCHIVES)
  list(REMOVE_ITEM archives tegula_fmt ${taken})
  set_property(GLOBAL APPEND PROPERTY TEGULA_COMPONENT_ARCHIVES ${archives})

  set(library tegula_${lower}_shared)
  list(TRANSFORM archives REPLACE "(.+)" "$<TARGET_OBJECTS:\\1>" OUTPUT_VARIABLE objects)
  add_library(${library} SHARED ${objects})
  add_library(Tegula::${name} ALIAS ${library})
  list(TRANSFORM arg_ON PREPEND "Tegula::")
  target_link_libraries(${library} PUBLIC ${arg_ON} PRIVATE tegula_options fmt::fmt ${arg_LINK} ${CMAKE_DL_LIBS})
  target_link_options(${library} PRIVATE
    "LINKER:--version-script=${CMAKE_SOURCE_DIR}/cmake/exports.map" LINKER:-Bsymbolic-functions LINKER:--no-undefined)
  target_compile_features(${library} PUBLIC cxx_std_20)
  target_include_directories(${library} INTERFACE "$<INSTALL_INTERFACE:${TEGULA_INSTALL_INCLUDE}>")
  set_target_properties(${library} PROPERTIES
    OUTPUT_NAME tegula_${lower} EXPORT_NAME ${name} LINKER_LANGUAGE CXX
    VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR}
    INSTALL_RPATH "$ORIGIN" INSTALL_RPATH_USE_LINK_PATH ON
    LINK_DEPENDS "${CMAKE_SOURCE_DIR}/cmake/exports.map")

  install(TARGETS ${library} EXPORT Tegula${name}Targets LIBRARY COMPONENT ${name})
  install(EXPORT Tegula${name}Targets NAMESPACE Tegula:: DESTINATION "${TEGULA_INSTALL_CMAKE}" COMPONENT ${name})
  tegula_install_headers(${name} ${arg_HEADERS})
endfunction()

function(tegula_install_headers component)
  tegula_headers_behind(headers ${ARGN})
  foreach(header ${headers})
    cmake_path(GET header PARENT_PATH folder)
    string(REGEX REPLACE "^include/" "" folder "${folder}")
    install(FILES "${CMAKE_SOURCE_DIR}/${header}" DESTINATION "${TEGULA_INSTALL_INCLUDE}/${folder}"
      COMPONENT ${component})
  endforeach()
endfunction()

# tegula_install_programs(target...): beside the libraries, as parts of the package's component Tools.
function(tegula_install_programs)
  set_target_properties(${ARGN} PROPERTIES
    INSTALL_RPATH "$ORIGIN/../${CMAKE_INSTALL_LIBDIR}" INSTALL_RPATH_USE_LINK_PATH ON)
  install(TARGETS ${ARGN} EXPORT TegulaToolsTargets RUNTIME COMPONENT Tools)
  install(EXPORT TegulaToolsTargets NAMESPACE Tegula:: DESTINATION "${TEGULA_INSTALL_CMAKE}" COMPONENT Tools)
endfunction()

tegula_add_component(Runtime FROM tegula_runtime HEADERS include/tegula/runtime.h LINK Threads::Threads)
# Found at run time by name, as libcuda is, so that nothing links to it.
install(TARGETS tegula_emulator LIBRARY COMPONENT Runtime)
get_target_property(libcuda_folder tegula_emulator TEGULA_LIBCUDA_FOLDER)
install(FILES "${libcuda_folder}/libcuda.so.1" "${libcuda_folder}/libcuda.so"
  DESTINATION "${CMAKE_INSTALL_LIBDIR}/tegula-emulator" COMPONENT Runtime)
if(TEGULA_BUILD_COMPILER)
  tegula_add_component(Compiler FROM tegula_dsl tegula_jit HEADERS include/tegula/dsl.h compiler/jit/jit.h
    ON Runtime LINK tegula_mlir Threads::Threads)
  tegula_add_component(Kernels FROM tegula_gemm HEADERS include/tegula/kernels.h ON Compiler)
  tegula_install_programs(tegula tegula-opt tegula-lsp-server)
endif()

configure_package_config_file(cmake/TegulaConfig.cmake.in TegulaConfig.cmake
  INSTALL_DESTINATION "${TEGULA_INSTALL_CMAKE}")
write_basic_package_version_file(TegulaConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES "${CMAKE_BINARY_DIR}/TegulaConfig.cmake" "${CMAKE_BINARY_DIR}/TegulaConfigVersion.cmake"
  cmake/TegulaKernels.cmake DESTINATION "${TEGULA_INSTALL_CMAKE}" COMPONENT Runtime)
install(FILES LICENSE DESTINATION "${CMAKE_INSTALL_DATADIR}/doc/tegula" COMPONENT Runtime)
