# SPDX-License-Identifier: Apache-2.0
# Fails unless systemd-analyze (SYSTEMD_ANALYZE) accepts the unit that DOCUMENT shows between ```ini and ```. The programs of
# the unit need not be installed here: the check replaces them. It writes the unit to FOLDER. It prints "cannot check units
# here", which skips the test, if there is no systemd-analyze, or if systemd-analyze overlooks a mistake.
cmake_minimum_required(VERSION 3.25)
set(program "${CMAKE_COMMAND}") # a program that exists and can be executed

# Sets `complaints` to the messages about `unit`, without messages about other units of this machine.
function(verify unit)
    file(WRITE "${FOLDER}/docent-shown.service" "${unit}")
    execute_process(COMMAND "${SYSTEMD_ANALYZE}" verify "${FOLDER}/docent-shown.service"
        OUTPUT_VARIABLE said ERROR_VARIABLE said)
    string(REGEX MATCHALL "[^\n]*docent-shown\\.service[^\n]*" lines "${said}")
    set(complaints "${lines}" PARENT_SCOPE)
endfunction()

file(READ "${DOCUMENT}" text)
if(NOT text MATCHES "\n```ini\n(\\[Unit\\]\n[^`]*)```")
    message(FATAL_ERROR "${DOCUMENT} shows no unit")
endif()
set(unit "${CMAKE_MATCH_1}")
if(NOT unit MATCHES "\nExecStart=/usr/bin/docent elect [^\n]* -- /usr/local/bin/scheduler\n")
    message(FATAL_ERROR "${DOCUMENT}: the unit does not start docent elect")
endif()
string(REPLACE "/usr/bin/docent" "${program}" unit "${unit}")
string(REPLACE "/usr/local/bin/scheduler" "${program}" unit "${unit}")

string(REPLACE "KillMode=mixed" "KillMode=mistaken" mistaken "${unit}")
if(SYSTEMD_ANALYZE)
    verify("${mistaken}")
endif()
if(NOT complaints)
    message("cannot check units here")
    return()
endif()
verify("${unit}")
if(complaints)
    string(REPLACE ";" "\n" complaints "${complaints}")
    message(FATAL_ERROR "${DOCUMENT}: systemd does not take the unit:\n${complaints}")
endif()
