#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds the docent command and runs `docent demo`, on a server in memory, or with --real on a ZooKeeper server. As root on
# Debian (12 or newer) it first installs missing packages. Arguments go to `docent demo`.
set -euo pipefail
called_in=$PWD
cd "$(dirname "$0")"
. cmake/install-packages.sh

needed=("${for_command[@]}")
for argument in "$@"; do
    if [ "$argument" = --real ]; then needed+=(zookeeper-server java); fi
done
install_packages "${needed[@]}"

build=build/quickstart
if [ ! -e $build/build.ninja ]; then
    echo "Configuring"
    mkdir -p $build
    if ! cmake -S . -B $build -G Ninja -DCMAKE_BUILD_TYPE=Release -DDOCENT_BUILD_TESTS=OFF -DDOCENT_BUILD_BENCHMARKS=OFF \
        -DDOCENT_BUILD_EXAMPLES=OFF -DDOCENT_BUILD_LOGGING=OFF -DDOCENT_BUILD_PROMETHEUS=OFF -DCMAKE_UNITY_BUILD=ON >$build/configure.log 2>&1; then
        cat $build/configure.log >&2
        exit 1
    fi
fi
[ -e $build/src/cli/docent ] || echo "Building the docent command; the first time takes a few minutes"
build_quietly $build --target docent_cli

docent=$build/src/cli/docent
[ "$PWD" = "$called_in" ] || docent=$PWD/$docent # the demo prints commands with this name for the user
exec "$docent" demo "$@"
