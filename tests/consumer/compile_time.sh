#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Measures how long a user's file takes to compile. One file includes docent.hpp and makes five calls, blocking or
# awaited. The other includes boost/asio.hpp and spawns a coroutine with a timer. Alternates between them and takes the
# best of ROUNDS, because a machine may be busy.
# usage: compile_time.sh [ROUNDS] [COMPILER OPTIONS...]; BUILD=the configured build folder (default: build/dev)
set -euo pipefail
cd "$(dirname "$0")"
rounds=${1:-5}
build=${BUILD:-../../build/dev}
options=("${@:2}")
[ "${#options[@]}" -gt 0 ] || options=(-O2)

compile_ms() { # FILE; sets ms
    local begin end
    begin=$(date +%s%N)
    "${CXX:-c++}" -std=c++20 "${options[@]}" -I../../include -I"$build/include" -c "$1" -o /dev/null
    end=$(date +%s%N)
    ms=$(((end - begin) / 1000000))
}
best() { printf '%s\n' "$@" | sort -n | head -n 1; }
ratio() { echo "$(($1 / $2)).$(printf '%02d' $((100 * $1 / $2 % 100)))"; }

asio=() calls=() awaits=()
for ((i = 0; i < rounds; ++i)); do
    compile_ms asio_timer.cpp
    asio+=("$ms")
    compile_ms five_calls.cpp
    calls+=("$ms")
    compile_ms five_awaits.cpp
    awaits+=("$ms")
done
a=$(best "${asio[@]}") c=$(best "${calls[@]}") w=$(best "${awaits[@]}")
echo "compile_time asio_ms=$a calls_ms=$c calls_ratio=$(ratio "$c" "$a") awaits_ms=$w awaits_ratio=$(ratio "$w" "$a")" \
    "options='${options[*]}'"
