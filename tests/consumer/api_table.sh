#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Compiles the table of the API as a user's file in each standard that we support, both at a time. Says in a line what came of each.
# usage: api_table.sh NAME COMPILER_OPTIONS...; CXX=compiler, if it is not c++
set -euo pipefail
cd "$(dirname "$0")"

compiler=${CXX:-c++}
version=$("$compiler" --version | head -n 1)
compile() { # STANDARD NAME COMPILER_OPTIONS...
    "$compiler" "-std=$1" -fsyntax-only -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror "${@:3}" api_table.cpp
    echo "api_table: $2, $version, $1: without a warning"
}

compile c++20 "$@" &
compile c++2b "$@"
wait $!
