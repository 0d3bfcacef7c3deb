#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs the build of BUILD_FOLDER, once with static libraries and once with shared ones. Builds a user's project
# against each, and runs it. Also builds a project that fetches docent's sources.
# usage: run.sh BUILD_FOLDER [WAY...]; WAY: static, shared, fetch_content (default: all); CXX=compiler (default: c++)
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=${here%/tests/consumer}
built=$(cd "$1" && pwd)
shift
ways=("$@")
[ ${#ways[@]} -gt 0 ] || ways=(static shared fetch_content)
work=$built/consumer-$(basename "${CXX:-c++}") # the same each time, for ccache
trap 'rm -rf "$work"' EXIT
rm -rf "$work"
mkdir "$work"
launcher=$(command -v ccache || true)

log=$work/log # output of quiet commands
quietly() { "$@" >"$log" 2>&1 || { cat "$log"; exit 1; }; }

# install_tree KIND: installs into $work/first, and moves this to $work/KIND, because users may move an installed tree.
install_tree() {
    local component
    for component in development tools "$1" "$1-development"; do # there is no component static-development
        quietly cmake --install "$built" --prefix "$work/first" --component "$component"
    done
    mv "$work/first" "$work/$1"
    if grep -rlF -e "$here" -e "$built" "$work/$1" --include='*.cmake' --include='*.hpp' --include='*.pc'; then
        echo "these installed files know where they were built" >&2
        exit 1
    fi
    "$work/$1/bin/docent" --version
    local file
    for file in man/man1/docent.1 bash-completion/completions/docent zsh/site-functions/_docent; do
        [ -s "$work/$1/share/$file" ] || { echo "$file is not installed" >&2; exit 1; }
    done
}

use_cmake_package() {
    quietly cmake -S "$here" -B "$work/build-$1" -G Ninja -DCMAKE_PREFIX_PATH="$work/$1" -DCMAKE_CXX_COMPILER_LAUNCHER="$launcher"
    quietly cmake --build "$work/build-$1" -j 2
    "$work/build-$1/consumer"
    "$work/build-$1/exceptions"
    "$work/build-$1/api_table"
    local part
    for part in logging prometheus; do
        [ ! -e "$work/build-$1/consumer_$part" ] || "$work/build-$1/consumer_$part"
    done
}

# use_examples KIND: the examples are a project, too. Builds one of them here; packaging/test.sh builds all.
use_examples() {
    quietly cmake -S "$root/examples" -B "$work/examples-$1" -G Ninja -DCMAKE_PREFIX_PATH="$work/$1" -DCMAKE_CXX_COMPILER_LAUNCHER="$launcher"
    quietly cmake --build "$work/examples-$1" --target first_steps
    quietly ctest --test-dir "$work/examples-$1" --no-tests=error -R 'examples.first_steps$'
    echo "examples: $1, configured all, built and run first_steps"
}

with_pkg_config() { # KIND OPTION PACKAGE...
    local options=("${@:2}")
    [ "$1" = shared ] || options=(--static "${options[@]}")
    PKG_CONFIG_PATH="$(dirname "$(find "$work/$1" -name docent.pc)")" pkg-config "${options[@]}"
}

# use_pkg_config KIND: does the same without CMake.
use_pkg_config() {
    compile_with_pkg_config "$1" consumer.cpp docent docent-testing
    local part
    for part in logging prometheus; do
        [ ! -e "$work/$1/lib/pkgconfig/docent-$part.pc" ] || compile_with_pkg_config "$1" "consumer_$part.cpp" "docent-$part"
    done
}

compile_with_pkg_config() {
    local kind=$1 source=$2 object=$work/by-hand-$1.o flags libraries
    flags=$(with_pkg_config "$kind" --cflags "${@:3}")
    libraries=$(with_pkg_config "$kind" --libs "${@:3}")
    # shellcheck disable=SC2086 # flags are words
    $launcher "${CXX:-c++}" -std=c++20 $flags -c "$here/$source" -o "$object"
    # shellcheck disable=SC2086
    "${CXX:-c++}" "$object" -o "$work/by-hand-$kind" $libraries
    LD_LIBRARY_PATH="$(dirname "$(find "$work/$kind" -name 'libdocent.*' -print -quit)")" "$work/by-hand-$kind"
}

# compile_api_table KIND: compiles it with C++23; CMake has compiled it with C++20.
compile_api_table() {
    local flags version
    flags=$(with_pkg_config "$1" --cflags docent)
    version=$("${CXX:-c++}" --version | head -n 1)
    # shellcheck disable=SC2086 # flags are words
    $launcher "${CXX:-c++}" -std=c++2b -fsyntax-only -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror "$here/api_table.cpp" $flags
    echo "api_table: $1, $version, C++20 and C++23: without a warning"
}

# check_shared_library: the library has a version, and exports its API but no internal symbols.
check_shared_library() {
    local library
    library=$(find "$work/shared" -name libdocent.so)
    readelf -d "$library" | grep -q 'SONAME.*libdocent\.so\.[0-9]' || { echo "libdocent.so has no version" >&2; exit 1; }
    nm -DC --defined-only "$library" >"$work/log"
    grep -q ' T docent::Client::start()' "$work/log" || { echo "libdocent.so does not export Client" >&2; exit 1; }
    if grep -E ' [TBD] docent::(detail|posix)::[A-Za-z]+::' "$work/log"; then
        echo "libdocent.so exports internal symbols" >&2
        exit 1
    fi
}

# refuse_other_boost KIND: a compile with another Boost's headers fails, with one line that says what to do.
refuse_other_boost() {
    mkdir -p "$work/other/boost"
    printf '#define BOOST_VERSION 107400\n#define BOOST_LIB_VERSION "1_74"\n' >"$work/other/boost/version.hpp"
    if "${CXX:-c++}" -std=c++20 -fsyntax-only -I"$work/other" -I"$work/$1/include" "$here/consumer.cpp" 2>"$work/log"; then
        echo "a program with another Boost was compiled" >&2
        exit 1
    fi
    grep -m 1 -o 'This docent was built with Boost.*' "$work/log" || { cat "$work/log"; exit 1; }
}

# refuse_missing_component KIND: find_package() names the component that it has not found.
refuse_missing_component() {
    mkdir "$work/missing"
    printf '%s\n' 'cmake_minimum_required(VERSION 3.25)' 'project(missing LANGUAGES CXX)' \
        'find_package(docent REQUIRED COMPONENTS recipes foo)' >"$work/missing/CMakeLists.txt"
    if cmake -S "$work/missing" -B "$work/missing/build" -G Ninja -DCMAKE_PREFIX_PATH="$work/$1" >"$work/log" 2>&1; then
        echo "a component that does not exist was found" >&2
        exit 1
    fi
    grep -m 1 -o 'there is no component foo.*' "$work/log" || { cat "$work/log"; exit 1; }
}

# use_tree KIND: runs in a subshell.
use_tree() {
    log=$work/log-$1
    use_cmake_package "$1"
    use_pkg_config "$1"
    [ "$1" = static ] || return 0 # these two compile the same code for both kinds
    use_examples "$1"
    compile_api_table "$1"
}

# use_fetch_content: builds a project that has docent as a part of itself, from a clone of this tree with all changes. Runs
# in a subshell.
use_fetch_content() {
    local clone=$work/clone build=$work/build-fetch_content
    log=$work/log-fetch_content
    mkdir "$clone"
    tar -C "$root" -c --exclude=./.git --exclude=./.cache --exclude=./build --exclude='./build-*' . | tar -C "$clone" -x
    quietly git -C "$clone" init --initial-branch=main
    quietly git -C "$clone" add --all
    quietly git -C "$clone" -c user.name=docent -c user.email=docent@example.org commit --message='All changes'
    quietly cmake -S "$root/examples/fetch_content" -B "$build" -G Ninja -DDOCENT_REPOSITORY="file://$clone" \
        -DCMAKE_UNITY_BUILD=ON -DCMAKE_CXX_COMPILER_LAUNCHER="$launcher" -DCMAKE_BUILD_TYPE=Debug -DCMAKE_CXX_FLAGS_DEBUG=-O0
    quietly cmake --build "$build" -j 2
    "$build/app"
    quietly cmake --install "$build" --prefix "$work/nothing"
    [ ! -e "$work/nothing" ] || { echo "docent is installed with the project that fetches it" >&2; exit 1; }
}

use() { if [ "$1" = fetch_content ]; then use_fetch_content; else use_tree "$1"; fi; }

for kind in static shared; do
    install_tree "$kind"
done
for way in "${ways[@]}"; do # all at the same time
    use "$way" >"$work/out-$way" 2>&1 &
    pids+=($!)
done
result=0
for way in "${ways[@]}"; do
    wait "${pids[0]}" || result=1
    pids=("${pids[@]:1}")
    echo "=== $way"
    cat "$work/out-$way"
done
[ $result = 0 ] || exit 1
check_shared_library
refuse_other_boost shared
refuse_missing_component static
