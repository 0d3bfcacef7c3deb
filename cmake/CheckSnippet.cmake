# SPDX-License-Identifier: Apache-2.0
# Fails unless DOCUMENT shows, as a ```cpp block, exactly what stands between the two `// [readme]` lines of SOURCE.
file(READ "${SOURCE}" source)
file(READ "${DOCUMENT}" document)
string(REGEX MATCH "// \\[readme\\]\n(.*)// \\[readme\\]\n" found "${source}")
if(NOT found)
    message(FATAL_ERROR "${SOURCE} has no lines between two `// [readme]`")
endif()
string(FIND "${document}" "```cpp\n${CMAKE_MATCH_1}```" at)
if(at EQUAL -1)
    message(FATAL_ERROR "${DOCUMENT} does not show the code of ${SOURCE}: copy it there, between ```cpp and ```")
endif()
