# cmake --install: the library with its headers, for find_package(pegasos) and pkg-config; the program.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

install(TARGETS pegasos EXPORT pegasos-targets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY include/pegasos DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")
install(FILES ${PROJECT_BINARY_DIR}/include/pegasos/version.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/pegasos)
if(PEGASOS_BUILD_CLI)
  install(TARGETS pegasos_cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
  if(TARGET pegasos_mpi)  # where the program looks for it: apps/cli/ranks.cpp
    install(TARGETS pegasos_mpi LIBRARY DESTINATION lib/pegasos OPTIONAL)
    if(TARGET pegasos_mpich)
      install(TARGETS pegasos_mpich LIBRARY DESTINATION lib/pegasos OPTIONAL)
    endif()
  endif()
endif()

set(package ${CMAKE_INSTALL_LIBDIR}/cmake/pegasos)
install(EXPORT pegasos-targets NAMESPACE pegasos:: DESTINATION ${package})
configure_package_config_file(cmake/pegasos-config.cmake.in ${PROJECT_BINARY_DIR}/pegasos-config.cmake
  INSTALL_DESTINATION ${package})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/pegasos-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/pegasos-config.cmake ${PROJECT_BINARY_DIR}/pegasos-config-version.cmake
  DESTINATION ${package})

# Relative, so that the folder can be moved.
file(RELATIVE_PATH PEGASOS_PC_TO_PREFIX ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
configure_file(cmake/pegasos.pc.in ${PROJECT_BINARY_DIR}/pegasos.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/pegasos.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
