#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs what BUILD_FOLDER holds, once with the static libraries and once with the shared ones; builds a user's project against
# each, and runs it.
# usage: run.sh BUILD_FOLDER
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
built=$(cd "$1" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

quietly() { "$@" >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }; }

# install_tree KIND: into $work/KIND. It is moved there, because an installed tree may be moved.
install_tree() {
    local component
    for component in development tools "$1"; do
        quietly cmake --install "$built" --prefix "$work/first" --component "$component"
    done
    mv "$work/first" "$work/$1"
    if grep -rlF -e "$here" -e "$built" "$work/$1" --include='*.cmake' --include='*.hpp' --include='*.pc'; then
        echo "these installed files know where they were built" >&2
        exit 1
    fi
    "$work/$1/bin/docent" --version
}

use_cmake_package() {
    quietly cmake -S "$here" -B "$work/build-$1" -G Ninja -DCMAKE_PREFIX_PATH="$work/$1"
    quietly cmake --build "$work/build-$1"
    "$work/build-$1/consumer"
    [ ! -e "$work/build-$1/consumer_logging" ] || "$work/build-$1/consumer_logging"
}

for kind in static shared; do
    echo "=== $kind"
    install_tree "$kind"
    use_cmake_package "$kind"
done
