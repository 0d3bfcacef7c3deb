# SPDX-License-Identifier: Apache-2.0
# What names the version names the same, and the ports have the form that their tools want.
# Variables: PROJECT, the folder of the project; VERSION; PYTHON, or nothing if there is none
file(READ "${PROJECT}/packaging/vcpkg/vcpkg.json" port)
string(JSON port_version GET "${port}" version)
if(NOT port_version STREQUAL VERSION)
    message(FATAL_ERROR "packaging/vcpkg/vcpkg.json has version ${port_version}, the project ${VERSION}")
endif()

# Newest first: at most one section without a version, then this version's.
file(READ "${PROJECT}/CHANGELOG.md" changelog)
string(REGEX MATCHALL "\n## [^\n]*" sections "${changelog}")
list(GET sections 0 first)
if(first MATCHES "Unreleased")
    list(GET sections 1 first)
endif()
string(REPLACE "." "\\." pattern "${VERSION}")
if(NOT first MATCHES "^\n## \\[${pattern}\\] - [0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]$")
    message(FATAL_ERROR "CHANGELOG.md should begin with `## [${VERSION}] - YYYY-MM-DD`, or have it behind `## [Unreleased]`")
endif()

if(PYTHON)
    execute_process(COMMAND "${PYTHON}" -c "import ast, sys; ast.parse(open(sys.argv[1]).read())" "${PROJECT}/packaging/conan/conanfile.py"
        RESULT_VARIABLE result)
    if(NOT result EQUAL 0)
        message(FATAL_ERROR "packaging/conan/conanfile.py is no Python")
    endif()
endif()
file(READ "${PROJECT}/packaging/conan/conanfile.py" recipe) # it copies what is there
string(REGEX MATCH "for pattern in \\(([^)]*)\\)" matched "${recipe}")
string(REGEX MATCHALL "\"[^\"]+\"" patterns "${CMAKE_MATCH_1}")
foreach(pattern IN LISTS patterns)
    string(REGEX REPLACE "\"|/\\*" "" path "${pattern}")
    if(NOT EXISTS "${PROJECT}/${path}")
        message(FATAL_ERROR "packaging/conan/conanfile.py copies ${path}, which is not there")
    endif()
endforeach()
list(LENGTH patterns number)
if(number LESS 5)
    message(FATAL_ERROR "packaging/conan/conanfile.py copies nothing")
endif()

# Each option that the ports set is one of ours.
file(READ "${PROJECT}/CMakeLists.txt" project)
file(READ "${PROJECT}/packaging/vcpkg/portfile.cmake" portfile)
string(REGEX MATCHALL "DOCENT_BUILD_[A-Z]+" options "${portfile}${recipe}")
list(REMOVE_DUPLICATES options)
foreach(option IN LISTS options)
    if(NOT project MATCHES "option\\(${option} " AND NOT option MATCHES "_$")
        message(FATAL_ERROR "packaging/ sets ${option}, and there is no such option")
    endif()
endforeach()
message(STATUS "version ${VERSION} everywhere")
