# SPDX-License-Identifier: Apache-2.0
include(GNUInstallDirs)

# Warnings of our own code; never handed on to users.
add_library(docent_warnings INTERFACE)
target_compile_options(docent_warnings INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wold-style-cast
    -Woverloaded-virtual -Wconversion $<$<BOOL:${DOCENT_WARNINGS_AS_ERRORS}>:-Werror>
    $<$<BOOL:${CMAKE_UNITY_BUILD}>:-Wno-shadow> # names that another file has for itself
    # GCC 12 is wrong about Asio's coroutine frames and about appending to strings (its bug 105651).
    $<$<CXX_COMPILER_ID:GNU>:-Wno-mismatched-new-delete$<SEMICOLON>-Wno-restrict>)

# Faster builds with what is installed; never required.
if(PROJECT_IS_TOP_LEVEL)
    find_program(DOCENT_CCACHE ccache)
    if(DOCENT_CCACHE AND NOT DEFINED CMAKE_CXX_COMPILER_LAUNCHER)
        # Sloppy as ccache needs it for precompiled headers; of what it does not look at then, we use nothing.
        set(CMAKE_CXX_COMPILER_LAUNCHER env CCACHE_SLOPPINESS=pch_defines,time_macros "${DOCENT_CCACHE}")
    endif()
    find_program(DOCENT_MOLD mold)
    if(DOCENT_MOLD)
        add_link_options(-fuse-ld=mold)
    endif()
    mark_as_advanced(DOCENT_CCACHE DOCENT_MOLD)
endif()

# docent_precompile(docent HEADERS <vector> <boost/asio/post.hpp>): what most of the target's files include, and nothing of ours.
# Each file still includes what it uses: clang-tidy compiles without.
option(DOCENT_PRECOMPILE "Precompile the headers that most files include" OFF)
function(docent_cache_precompiled target) # for ccache: what is included must be seen, and be the same when it is made again
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
    # Nothing is to be relocated when a program starts, which is a third of what that costs, and each test is a program.
    add_link_options($<$<STREQUAL:$<TARGET_PROPERTY:TYPE>,EXECUTABLE>:-no-pie>)
endif()
if(DOCENT_SANITIZE MATCHES thread)
    # ThreadSanitizer does not understand the fence by which Asio orders the last owner of a count after the others; with this,
    # Asio counts without fences.
    add_compile_definitions(BOOST_ASIO_DISABLE_STD_ATOMIC)
endif()
if(DOCENT_COVERAGE)
    add_compile_options(--coverage -O0)
    add_link_options(--coverage)
endif()

# Programs that compute little: they are compiled in two thirds of the time without optimisation. An emulator would take long.
if(NOT CMAKE_CROSSCOMPILING)
    set(DOCENT_UNOPTIMISED $<$<CONFIG:Debug>:-O0>)
endif()

# docent_add_tests(unit.client SOURCES files_of_the_folder.cpp [LABELS unit] [LIBRARIES more] [TIMEOUT seconds] [SERVERS] [OPTIMISED])
# Builds one program from the sources and registers each of its tests, as unit.client.Suite.Name. With SERVERS a PooledServer
# of these tests may be one that was used before. With OPTIMISED the options of the build count, else -O0. With a sanitizer each
# unit or scenario program is one test.
function(docent_add_tests target)
    cmake_parse_arguments(PARSE_ARGV 1 arg "SERVERS;OPTIMISED" "TIMEOUT" "LABELS;SOURCES;LIBRARIES")
    add_executable(${target} ${arg_SOURCES})
    if(NOT target MATCHES "^unit") # whose files give the same short names to different things
        set_target_properties(${target} PROPERTIES UNITY_BUILD_BATCH_SIZE 16) # as that of docent
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
    if(NOT arg_TIMEOUT)
        set(arg_TIMEOUT 120)
    endif()
    set(reports)
    if(DOCENT_SANITIZE)
        math(EXPR arg_TIMEOUT "3 * ${arg_TIMEOUT}")
        # A test fails for each report: its status hides a report of a thread if the process exits meanwhile, and of a child.
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
        set_tests_properties(${target} PROPERTIES LABELS "${arg_LABELS}" TIMEOUT 1800 COST ${cost} ${reports})
        return()
    endif()
    # PRE_TEST: ctest asks the binary for its tests when it runs; a build needs no run of each one.
    gtest_discover_tests(${target} TEST_PREFIX "${target}." DISCOVERY_MODE PRE_TEST DISCOVERY_TIMEOUT 60
        PROPERTIES LABELS "${arg_LABELS}" TIMEOUT ${arg_TIMEOUT} ${fixtures} ${reports})
endfunction()

# Adds those of the folders that have a CMakeLists.txt.
function(docent_add_subdirectories)
    foreach(folder IN LISTS ARGN)
        if(EXISTS "${CMAKE_CURRENT_SOURCE_DIR}/${folder}/CMakeLists.txt")
            add_subdirectory(${folder})
        endif()
    endforeach()
endfunction()
