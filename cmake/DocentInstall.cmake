# SPDX-License-Identifier: Apache-2.0
# Installation, and the package that find_package(docent) finds.
include(CMakePackageConfigHelpers)

if(TARGET docent_logging) # in a file of its own, so that who does not use it needs no spdlog
    install(TARGETS docent_logging EXPORT docent-logging-targets FILE_SET HEADERS
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
    install(EXPORT docent-logging-targets NAMESPACE docent:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/docent)
endif()
install(TARGETS docent docent_testing EXPORT docent-targets FILE_SET HEADERS
    ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(TARGETS docent_cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(EXPORT docent-targets NAMESPACE docent:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/docent)
configure_package_config_file(cmake/docent-config.cmake.in docent-config.cmake
    INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/docent)
write_basic_package_version_file(docent-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES "${CMAKE_CURRENT_BINARY_DIR}/docent-config.cmake" "${CMAKE_CURRENT_BINARY_DIR}/docent-config-version.cmake"
    cmake/FindZooKeeperST.cmake DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/docent)
