# SPDX-License-Identifier: Apache-2.0
# Common properties of our libraries: kinds, versions, exported symbols, and generated headers.
include(GenerateExportHeader)

# The number of the binary interface, in the name of each shared library. Add 1 in each release for which programs must be
# compiled again. See CONTRIBUTING.md.
set(DOCENT_SOVERSION 0)

option(DOCENT_BUILD_BOTH "Build and install static and shared libraries, from the same objects" OFF)

# Our types contain types of Boost, so a program must be compiled with the Boost of docent's build.
set(DOCENT_GENERATED_INCLUDE_DIR "${PROJECT_BINARY_DIR}/include")
math(EXPR DOCENT_BOOST_VERSION "${Boost_VERSION_MAJOR} * 100000 + ${Boost_VERSION_MINOR} * 100 + ${Boost_VERSION_PATCH}")
configure_file(cmake/boost_version.hpp.in "${DOCENT_GENERATED_INCLUDE_DIR}/docent/detail/boost_version.hpp" @ONLY)

# One export header for all our libraries, shared and static, because both kinds may be made from the same objects. It belongs
# to an object library that is never built: the header of a static library would mark nothing.
add_library(docent_marks OBJECT EXCLUDE_FROM_ALL include/docent/docent.hpp)
set_target_properties(docent_marks PROPERTIES LINKER_LANGUAGE CXX)
set(DOCENT_EXPORT_HEADER_END "\n#include <docent/detail/boost_version.hpp>\n")
generate_export_header(docent_marks BASE_NAME docent EXPORT_FILE_NAME "${DOCENT_GENERATED_INCLUDE_DIR}/docent/export.hpp"
    CUSTOM_CONTENT_FROM_VARIABLE DOCENT_EXPORT_HEADER_END)

# docent_library(docent NAMES docent client recipes): call it after everything is linked to the target. BUILD_SHARED_LIBS
# chooses the kind of the target. If both kinds are needed, `${target}_twin` is the library of the other kind. A shared library
# exports only the symbols that public headers mark with DOCENT_EXPORT. Tests and benchmarks need other symbols, so they link to
# the static library. Each name is an alias docent::${name} in this tree: of the static library if tests or benchmarks are
# built, otherwise of the target. Users know the library by the first name.
function(docent_library target)
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "NAMES")
    list(GET arg_NAMES 0 name)
    set_target_properties(${target} PROPERTIES CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON DEFINE_SYMBOL "")
    target_include_directories(${target} PUBLIC "$<BUILD_INTERFACE:${DOCENT_GENERATED_INCLUDE_DIR}>")
    set(kinds static shared)
    if(BUILD_SHARED_LIBS)
        set(kinds shared static)
    endif()
    list(POP_FRONT kinds kind other)
    docent_describe_library(${target} ${kind} ${target} ${name})
    set(in_tree ${target})
    set(look_inside FALSE)
    if(DOCENT_BUILD_TESTS OR DOCENT_BUILD_BENCHMARKS)
        set(look_inside TRUE)
    endif()
    if(DOCENT_BUILD_BOTH OR (BUILD_SHARED_LIBS AND look_inside))
        set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ON)
        docent_add_twin(${target} ${other})
        docent_describe_library(${target}_twin ${other} ${target} ${name})
        if(BUILD_SHARED_LIBS AND look_inside)
            set(in_tree ${target}_twin)
        endif()
    endif()
    foreach(alias IN LISTS arg_NAMES)
        add_library(docent::${alias} ALIAS ${in_tree})
    endforeach()
endfunction()

# Adds a twin of the same objects and with the same dependencies. A twin that depends on docent depends on docent's twin.
function(docent_add_twin target kind)
    string(TOUPPER ${kind} type)
    get_target_property(objects ${target} SOURCES)
    list(FILTER objects INCLUDE REGEX "TARGET_OBJECTS") # objects of other targets in this library
    add_library(${target}_twin ${type} $<TARGET_OBJECTS:${target}> ${objects})
    if(NOT DOCENT_SANITIZE)
        target_link_options(${target}_twin PRIVATE $<$<STREQUAL:${kind},shared>:LINKER:--no-undefined>)
    endif()
    get_target_property(public ${target} INTERFACE_LINK_LIBRARIES)
    list(FILTER public EXCLUDE REGEX "LINK_ONLY") # private dependencies of a static library
    get_target_property(private ${target} LINK_LIBRARIES)
    list(REMOVE_ITEM private ${public})
    list(TRANSFORM public REPLACE "^docent$" docent_twin)
    target_link_libraries(${target}_twin PUBLIC ${public} PRIVATE ${private})
    target_compile_features(${target}_twin PUBLIC cxx_std_20)
    target_include_directories(${target}_twin PUBLIC "$<BUILD_INTERFACE:${DOCENT_GENERATED_INCLUDE_DIR}>"
        "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>" "$<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>")
endfunction()

function(docent_describe_library target kind name export_name)
    set_target_properties(${target} PROPERTIES OUTPUT_NAME ${name} EXPORT_NAME ${export_name} LINKER_LANGUAGE CXX INSTALL_RPATH "$ORIGIN"
        VERSION ${PROJECT_VERSION} SOVERSION ${DOCENT_SOVERSION})
    set_property(GLOBAL APPEND PROPERTY DOCENT_LIBRARIES ${target})
    set_property(TARGET ${target} PROPERTY DOCENT_KIND ${kind})
endfunction()
