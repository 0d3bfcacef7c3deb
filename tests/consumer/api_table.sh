#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Compiles the table of the API as a user's file: by each of our compilers that is here, in each standard that it knows, two at a
# time. Says in a line what came of each.
# usage: api_table.sh NAME COMPILER_OPTIONS...
set -euo pipefail
cd "$(dirname "$0")"

compile() { # COMPILER STANDARD NAME COMPILER_OPTIONS...
    "$1" "-std=$2" -fsyntax-only -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror "${@:4}" api_table.cpp || exit 255
    echo "api_table: $3, $1, $2: without a warning"
}
export -f compile

variants=()
for compiler in g++-12 clang++-14; do
    if command -v "$compiler" >/dev/null; then
        variants+=("$compiler c++20" "$compiler c++2b")
    else
        echo "api_table: $1, $compiler: not here"
    fi
done
[ ${#variants[@]} -gt 0 ] || { echo "no compiler" >&2; exit 1; }
# shellcheck disable=SC2016 # the shell that is started expands it
printf '%s\n' "${variants[@]}" | xargs -P 2 -I {} bash -c 'read -r compiler standard <<<"$1"; compile "$compiler" "$standard" "${@:2}"' _ {} "$@"
