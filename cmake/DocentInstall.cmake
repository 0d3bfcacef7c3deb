# SPDX-License-Identifier: Apache-2.0
# Installs docent, and the packages that find_package(docent) and pkg-config find. `shared` has the shared libraries.
# `shared-development` has the files to link to shared libraries, and `static` the files to link to static libraries.
# `development` has the headers and the packages. `tools` has the command.
include(CMakePackageConfigHelpers)

set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/docent)
get_property(libraries GLOBAL PROPERTY DOCENT_LIBRARIES)
set(exports)
foreach(library IN LISTS libraries)
    get_target_property(kind ${library} DOCENT_KIND)
    get_target_property(name ${library} EXPORT_NAME)
    set(export docent-${kind}-targets)
    if(name MATCHES "^(logging|prometheus)$") # a separate file: a program without this library need not have its dependencies
        set(export docent-${name}-${kind}-targets)
    endif()
    set(headers)
    if(NOT library MATCHES "_twin$")
        set(headers FILE_SET HEADERS COMPONENT development)
    endif()
    install(TARGETS ${library} EXPORT ${export}
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT static
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT shared NAMELINK_COMPONENT shared-development
        ${headers})
    if(NOT export IN_LIST exports)
        string(REPLACE shared shared-development component ${kind})
        install(EXPORT ${export} NAMESPACE docent:: DESTINATION ${package_folder} COMPONENT ${component})
        list(APPEND exports ${export})
    endif()
endforeach()
if(TARGET docent_cli)
    install(TARGETS docent_cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT tools)
endif()
configure_package_config_file(cmake/docent-config.cmake.in docent-config.cmake INSTALL_DESTINATION ${package_folder})
write_basic_package_version_file(docent-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES "${CMAKE_CURRENT_BINARY_DIR}/docent-config.cmake" "${CMAKE_CURRENT_BINARY_DIR}/docent-config-version.cmake"
    cmake/FindPrometheusCppCore.cmake cmake/FindZooKeeperST.cmake DESTINATION ${package_folder} COMPONENT development)
