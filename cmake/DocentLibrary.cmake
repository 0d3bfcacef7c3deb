# SPDX-License-Identifier: Apache-2.0
# What our libraries have in common: kinds, versions, what they export, and the headers that are written when they are built.
include(GenerateExportHeader)

# The number of the binary interface, in the name of each shared library: one more with each release that programs must be compiled
# anew for. See CONTRIBUTING.md.
set(DOCENT_SOVERSION 0)

option(DOCENT_BUILD_BOTH "Build and install static and shared libraries, of the same objects" OFF)

# Types of Boost are part of our types, so a program must see the Boost that we were built with.
set(DOCENT_GENERATED_INCLUDE_DIR "${PROJECT_BINARY_DIR}/include")
math(EXPR DOCENT_BOOST_VERSION "${Boost_VERSION_MAJOR} * 100000 + ${Boost_VERSION_MINOR} * 100 + ${Boost_VERSION_PATCH}")
configure_file(cmake/boost_version.hpp.in "${DOCENT_GENERATED_INCLUDE_DIR}/docent/detail/boost_version.hpp" @ONLY)

# One header for all kinds of all our libraries, because they may be made of the same objects. An object library, never built,
# because for a static one the header would mark nothing.
add_library(docent_marks OBJECT EXCLUDE_FROM_ALL include/docent/docent.hpp)
set_target_properties(docent_marks PROPERTIES LINKER_LANGUAGE CXX)
set(DOCENT_EXPORT_HEADER_END "\n#include <docent/detail/boost_version.hpp>\n")
generate_export_header(docent_marks BASE_NAME docent EXPORT_FILE_NAME "${DOCENT_GENERATED_INCLUDE_DIR}/docent/export.hpp"
    CUSTOM_CONTENT_FROM_VARIABLE DOCENT_EXPORT_HEADER_END)

# docent_library(docent NAMES docent client recipes): to be called when all is linked to the target. Its kind is what
# BUILD_SHARED_LIBS says. Only what public headers mark with DOCENT_EXPORT is seen outside of a shared library, so tests, which
# need what is inside, link the static one. Where both kinds are needed, `${target}_twin` is the other one. Each name is an alias
# docent::${name} in this tree: of the static one if there is one and somebody looks inside, else of the target; the first is what
# users know it by.
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

# Of the library's objects, linked to what that is linked to, where it is ours to its twin.
function(docent_add_twin target kind)
    string(TOUPPER ${kind} type)
    get_target_property(objects ${target} SOURCES)
    list(FILTER objects INCLUDE REGEX "TARGET_OBJECTS") # that it is made of, too
    add_library(${target}_twin ${type} $<TARGET_OBJECTS:${target}> ${objects})
    if(NOT DOCENT_SANITIZE)
        target_link_options(${target}_twin PRIVATE $<$<STREQUAL:${kind},shared>:LINKER:--no-undefined>)
    endif()
    get_target_property(public ${target} INTERFACE_LINK_LIBRARIES)
    list(FILTER public EXCLUDE REGEX "LINK_ONLY") # what a static library's user must link to, too
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
