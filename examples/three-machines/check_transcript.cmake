# SPDX-License-Identifier: Apache-2.0
# Fails unless PROGRAM with ARGUMENTS ends with 0 and prints the first ```text block of DOCUMENT. Numbers may differ.
cmake_minimum_required(VERSION 3.25)

execute_process(COMMAND "${PROGRAM}" ${ARGUMENTS} OUTPUT_VARIABLE printed ERROR_VARIABLE complaints RESULT_VARIABLE status)
message("${printed}${complaints}")
if(NOT status EQUAL 0)
    message(FATAL_ERROR "${PROGRAM} ended with ${status}")
endif()

file(READ "${DOCUMENT}" page)
if(NOT page MATCHES "\n```text\n([^`]*)```")
    message(FATAL_ERROR "${DOCUMENT} has no text block")
endif()
set(said "${CMAKE_MATCH_1}")
foreach(text said printed)
    string(REGEX REPLACE "[0-9]+(ms|s|m)?" "N" ${text} "${${text}}")
endforeach()
if(NOT printed STREQUAL said)
    message(FATAL_ERROR "${DOCUMENT} says something else:\n${said}")
endif()
