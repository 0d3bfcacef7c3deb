#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Compiles the table of the API as a user's file: each of the compilers that there are, in each standard that it knows.
# usage: api_table.sh INCLUDE_FOLDER GENERATED_INCLUDE_FOLDER
set -eu
here=$(dirname "$0")
compiled=0
for compiler in g++-12 clang++-14; do
    command -v "$compiler" >/dev/null || { echo "no $compiler here"; continue; }
    for standard in c++20 c++2b; do
        "$compiler" -std=$standard -fsyntax-only -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror \
            -I "$1" -I "$2" "$here/api_table.cpp"
        echo "$compiler -std=$standard: sound"
        compiled=$((compiled + 1))
    done
done
[ $compiled -gt 0 ] || { echo "no compiler" >&2; exit 1; }
