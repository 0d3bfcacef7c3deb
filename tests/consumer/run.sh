#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs what BUILD_FOLDER holds, builds a user's project against that, and runs it.
# usage: run.sh BUILD_FOLDER
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cmake --install "$1" --prefix "$work/first" >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
mv "$work/first" "$work/prefix" # an installed tree may be moved
if grep -rlF -e "$here" -e "$(cd "$1" && pwd)" "$work/prefix" --include='*.cmake' --include='*.hpp'; then
    echo "these installed files know where they were built" >&2
    exit 1
fi
cmake -S "$here" -B "$work/build" -G Ninja -DCMAKE_PREFIX_PATH="$work/prefix" >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
cmake --build "$work/build"
"$work/build/consumer"
[ ! -e "$work/build/consumer_logging" ] || "$work/build/consumer_logging"
"$work/prefix/bin/docent" --version
