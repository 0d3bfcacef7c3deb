# SPDX-License-Identifier: Apache-2.0
# What cpack makes: packages for the Debian release that it runs on, one of the library, one to develop with it, one of the command.
# See build.sh.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME docent)
set(CPACK_PACKAGE_VENDOR docent)
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_NAME} built using CMake") # what it would be: any other one stands in front of each package's own
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_PRE_BUILD_SCRIPTS "${CMAKE_CURRENT_LIST_DIR}/finish.cmake") # what Debian wants beside the files themselves

set(DOCENT_PACKAGE_MAINTAINER "docent maintainers <docent@example.org>" CACHE STRING "Who answers for the packages: Name <address>")
set(DOCENT_PACKAGE_RELEASE 1 CACHE STRING "The packages' number, of one version of docent")
mark_as_advanced(DOCENT_PACKAGE_MAINTAINER DOCENT_PACKAGE_RELEASE)
set(CPACK_DEBIAN_PACKAGE_MAINTAINER "${DOCENT_PACKAGE_MAINTAINER}")
set(CPACK_DEBIAN_PACKAGE_RELEASE ${DOCENT_PACKAGE_RELEASE})
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
set(CPACK_DEBIAN_PACKAGE_SOURCE docent)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION TRUE)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
get_property(libraries GLOBAL PROPERTY DOCENT_LIBRARIES)
foreach(library IN LISTS libraries)
    get_target_property(folder ${library} BINARY_DIR)
    list(APPEND CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS "${folder}")
endforeach()
set(debian_version ${PROJECT_VERSION}-${DOCENT_PACKAGE_RELEASE})

# Groups of the components that cmake/DocentInstall.cmake names, one for each package.
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_GROUPING ONE_PER_GROUP)
set(CPACK_COMPONENTS_ALL shared shared-development static development tools)
foreach(component IN ITEMS shared=library shared-development=headers static=headers development=headers tools=command)
    string(REGEX MATCH "^(.+)=(.+)$" matched ${component})
    string(TOUPPER ${CMAKE_MATCH_1} upper)
    set(CPACK_COMPONENT_${upper}_GROUP ${CMAKE_MATCH_2})
endforeach()

# docent_package(GROUP NAME name SECTION section SUMMARY line DESCRIPTION text [DEPENDS|RECOMMENDS|SUGGESTS packages])
function(docent_package group)
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "NAME;SECTION;SUMMARY;DESCRIPTION" "DEPENDS;RECOMMENDS;SUGGESTS")
    string(TOUPPER ${group} upper)
    foreach(relation IN ITEMS DEPENDS RECOMMENDS SUGGESTS)
        list(JOIN arg_${relation} ", " packages)
        set(CPACK_DEBIAN_${upper}_PACKAGE_${relation} "${packages}" PARENT_SCOPE)
    endforeach()
    set(CPACK_DEBIAN_${upper}_PACKAGE_NAME ${arg_NAME} PARENT_SCOPE)
    set(CPACK_DEBIAN_${upper}_PACKAGE_SECTION ${arg_SECTION} PARENT_SCOPE)
    set(CPACK_DEBIAN_${upper}_DESCRIPTION "${arg_SUMMARY}\n${arg_DESCRIPTION}" PARENT_SCOPE)
endfunction()

set(boost ${Boost_VERSION_MAJOR}.${Boost_VERSION_MINOR}) # programs must be compiled with the Boost that the library was built with
set(distribution unstable)
if(EXISTS /etc/os-release)
    file(STRINGS /etc/os-release release REGEX "^VERSION_CODENAME=")
    if(release MATCHES "=\"?([a-z]+)")
        set(distribution ${CMAKE_MATCH_1})
    endif()
endif()
set(library libdocent${DOCENT_SOVERSION})
set(server_packages libzookeeper-java "default-jre-headless | java11-runtime-headless")
set(about [[
docent is a ZooKeeper client for C++20 with Apache Curator's recipes on it:
locks, semaphores, leader election, counters, barriers and caches, on the same
nodes as Java programs with Curator use.
]])
docent_package(library NAME ${library} SECTION libs
    SUMMARY "locks among processes by ZooKeeper, for C++ (shared libraries)"
    DESCRIPTION "${about}
This package has the shared libraries.")
set(CPACK_DEBIAN_LIBRARY_PACKAGE_CONTROL_EXTRA "${CMAKE_CURRENT_LIST_DIR}/debian/triggers")
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS_POLICY ">=")
docent_package(headers NAME libdocent-dev SECTION libdevel
    DEPENDS "${library} (= ${debian_version})" libboost${boost}-dev libboost-thread${boost}-dev libssl-dev zlib1g-dev
        "libzookeeper-st-dev | libzookeeper-mt-dev" libzookeeper-st2
    RECOMMENDS libspdlog-dev prometheus-cpp-dev # for docent::logging and docent::prometheus
    SUGGESTS ${server_packages} # for docent::testing
    SUMMARY "locks among processes by ZooKeeper, for C++ (development files)"
    DESCRIPTION "${about}
This package has the headers, the static libraries, what CMake's find_package()
and pkg-config look for, and examples.")
docent_package(command NAME docent SECTION admin
    DEPENDS "${library} (= ${debian_version})"
    RECOMMENDS ${server_packages} # for `docent server` and `docent demo`
    SUGGESTS bash-completion
    SUMMARY "run a command while holding a lock among machines, by ZooKeeper"
    DESCRIPTION [[
docent runs a command while it holds a lock, a permit of a semaphore, or the
lead among all machines: cron jobs that run once, daemons that run on one
machine and move when it dies. The command is ended when the lock is lost,
before anybody else can have it.

It also shows who holds and who waits for a lock, reads and writes nodes, and
starts a ZooKeeper server for development. The locks are those of Apache
Curator, and may be shared with Java programs.]])

set(CPACK_PROJECT_CONFIG_FILE "${CMAKE_CURRENT_BINARY_DIR}/DocentPackaging.cmake") # what finish.cmake must know
file(CONFIGURE OUTPUT "${CPACK_PROJECT_CONFIG_FILE}" @ONLY CONTENT [[
set(DOCENT_SOURCE_DIR "@PROJECT_SOURCE_DIR@")
set(DOCENT_DEBIAN_VERSION "@debian_version@")
set(DOCENT_DISTRIBUTION "@distribution@")
set(DOCENT_MAINTAINER "@DOCENT_PACKAGE_MAINTAINER@")
set(DOCENT_PACKAGE_library "@library@")
set(DOCENT_PACKAGE_headers libdocent-dev)
set(DOCENT_PACKAGE_command docent)
set(DOCENT_STRIP "@CMAKE_STRIP@")
]])
include(CPack)
