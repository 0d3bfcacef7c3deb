#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds everything and runs all tests. As root on Debian (12 or newer) it first installs missing packages.
# Arguments go to ctest, e.g. ./run-tests.sh -L unit
set -euo pipefail
cd "$(dirname "$0")"
. cmake/install-packages.sh

install_packages "${for_tests[@]}"

build=build/dev
mkdir -p $build
options=(${CI:+-DDOCENT_WARNINGS_AS_ERRORS=ON})
if [ ! -e $build/build.ninja ]; then
    echo "Building everything; the first time takes a few minutes"
    options+=(-DCMAKE_UNITY_BUILD=ON) # takes a third of the time; a build folder that exists keeps its setting
fi
if ! cmake --preset dev "${options[@]}" >$build/configure.log 2>&1; then
    cat $build/configure.log >&2
    exit 1
fi
SECONDS=0
build_quietly $build
echo "Built in $SECONDS s"

jobs=$(nproc)
jobs=$((jobs > 2 ? jobs : 2))
exec ctest --preset dev -j $((jobs * 3)) "$@" # tests wait during more than two thirds of their time
