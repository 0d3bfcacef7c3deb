# SPDX-License-Identifier: Apache-2.0
include(GNUInstallDirs)

# Warnings for our code. Users do not get these options.
add_library(docent_warnings INTERFACE)
target_compile_options(docent_warnings INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wold-style-cast
    -Woverloaded-virtual -Wconversion $<$<BOOL:${DOCENT_WARNINGS_AS_ERRORS}>:-Werror>
    $<$<BOOL:${CMAKE_UNITY_BUILD}>:-Wno-shadow> # files of a unity build share their file-level names
    # GCC 12 warns without reason about Asio's coroutine frames and about appending to strings (GCC bug 105651).
    $<$<CXX_COMPILER_ID:GNU>:-Wno-mismatched-new-delete$<SEMICOLON>-Wno-restrict>)

# Tools that make builds faster, if they are installed.
if(PROJECT_IS_TOP_LEVEL)
    find_program(DOCENT_CCACHE ccache)
    if(DOCENT_CCACHE AND NOT DEFINED CMAKE_CXX_COMPILER_LAUNCHER)
        # ccache needs this setting for precompiled headers. Then it ignores macros such as __TIME__, which we do not use.
        set(CMAKE_CXX_COMPILER_LAUNCHER env CCACHE_SLOPPINESS=pch_defines,time_macros "${DOCENT_CCACHE}")
    endif()
    find_program(DOCENT_MOLD mold)
    if(DOCENT_MOLD)
        add_link_options(-fuse-ld=mold)
    endif()
    mark_as_advanced(DOCENT_CCACHE DOCENT_MOLD)
endif()

# docent_precompile(docent HEADERS <vector> <boost/asio/post.hpp>): precompiles headers that most files of the target include.
# The list has none of our headers. Each file still includes all headers that it uses, because clang-tidy runs without
# precompiled headers.
option(DOCENT_PRECOMPILE "Precompile the headers that most files include" OFF)
function(docent_cache_precompiled target) # lets ccache see the included headers, and rebuild the same bytes
    target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-fpch-preprocess>
        "$<$<CXX_COMPILER_ID:Clang>:SHELL:-Xclang -fno-pch-timestamp>")
endfunction()
function(docent_precompile target)
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "HEADERS")
    if(DOCENT_PRECOMPILE)
        target_precompile_headers(${target} PRIVATE ${arg_HEADERS})
        docent_cache_precompiled(${target})
    endif()
endfunction()

# Instrumentation of everything that is built here.
if(DOCENT_SANITIZE)
    add_compile_options(-fsanitize=${DOCENT_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all
        $<$<CXX_COMPILER_ID:Clang>:-fno-sanitize=function>) # Clang 14 cannot assemble coroutines with it
    add_link_options(-fsanitize=${DOCENT_SANITIZE})
    add_compile_definitions(DOCENT_SANITIZED)
endif()
if(DOCENT_SANITIZE MATCHES address)
    # Each test starts a program. Without PIE, nothing is relocated at the start, which saves a third of the start's time.
    add_link_options($<$<STREQUAL:$<TARGET_PROPERTY:TYPE>,EXECUTABLE>:-no-pie>)
endif()
if(DOCENT_SANITIZE MATCHES thread)
    # Asio uses a fence to order the last owner of a reference count after the other owners. ThreadSanitizer does not understand
    # fences. With this macro, Asio counts without fences.
    add_compile_definitions(BOOST_ASIO_DISABLE_STD_ATOMIC)
endif()
if(DOCENT_COVERAGE)
    add_compile_options(--coverage -O0)
    add_link_options(--coverage)
endif()

# For programs that compute little: they compile in two thirds of the time without optimisation. Emulators need optimised code.
if(NOT CMAKE_CROSSCOMPILING)
    set(DOCENT_UNOPTIMISED $<$<CONFIG:Debug>:-O0>)
endif()

# docent_add_tests(unit.client SOURCES files_of_the_folder.cpp [LABELS unit] [LIBRARIES more] [SERVERS] [OPTIMISED])
# Builds one program from the sources and registers each of its tests, as unit.client.Suite.Name. With SERVERS, a PooledServer
# of these tests may be a server that another test has used. Without OPTIMISED, a Debug build compiles the program with -O0.
# With a sanitizer, each unit or scenario program without SERVERS is one test.
function(docent_add_tests target)
    cmake_parse_arguments(PARSE_ARGV 1 arg "SERVERS;OPTIMISED" "" "LABELS;SOURCES;LIBRARIES")
    add_executable(${target} ${arg_SOURCES})
    if(NOT target MATCHES "^unit") # files of unit tests use the same file-level names
        set_target_properties(${target} PROPERTIES UNITY_BUILD_BATCH_SIZE 16) # the same size as for docent
    endif()
    target_link_libraries(${target} PRIVATE docent_test_support ${arg_LIBRARIES} docent_warnings GTest::gtest_main)
    set(precompiled docent_test_support)
    if(NOT arg_OPTIMISED)
        target_compile_options(${target} PRIVATE ${DOCENT_UNOPTIMISED})
        set(precompiled docent_test_headers)
    endif()
    if(DOCENT_PRECOMPILE)
        target_precompile_headers(${target} REUSE_FROM ${precompiled})
        docent_cache_precompiled(${target})
    endif()
    if("unit" IN_LIST arg_LABELS)
        add_dependencies(unit_tests ${target})
    endif()
    set(limit 600) # seconds; the longest of these tests takes half a minute, and more on a busy machine
    set(reports)
    if(DOCENT_SANITIZE)
        set(limit 1800)
        # Each report fails the test. The exit status hides reports of children, and reports of threads during the exit.
        set(reports FAIL_REGULAR_EXPRESSION "Sanitizer:|runtime.error:")
    endif()
    set(fixtures)
    if(arg_SERVERS)
        set(fixtures FIXTURES_REQUIRED servers)
        add_dependencies(${target} server_pool)
    endif()
    if(DOCENT_SANITIZE AND NOT arg_SERVERS AND arg_LABELS MATCHES "^(unit|scenario)$")
        # A program with a sanitizer takes longer to start and to end than most of its tests.
        add_test(NAME ${target} COMMAND ${target} --gtest_brief=1)
        set(cost 100)
        if(arg_LABELS STREQUAL "scenario")
            set(cost 1000) # the longest of all begins first
        endif()
        set_tests_properties(${target} PROPERTIES LABELS "${arg_LABELS}" TIMEOUT ${limit} COST ${cost} ${reports})
        return()
    endif()
    # PRE_TEST: ctest asks the program for its tests when ctest runs. So a build need not run each program.
    gtest_discover_tests(${target} TEST_PREFIX "${target}." DISCOVERY_MODE PRE_TEST DISCOVERY_TIMEOUT 60
        PROPERTIES LABELS "${arg_LABELS}" TIMEOUT ${limit} ${fixtures} ${reports})
endfunction()

# Adds each of the folders that has a CMakeLists.txt.
function(docent_add_subdirectories)
    foreach(folder IN LISTS ARGN)
        if(EXISTS "${CMAKE_CURRENT_SOURCE_DIR}/${folder}/CMakeLists.txt")
            add_subdirectory(${folder})
        endif()
    endforeach()
endfunction()
