#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Makes the packages for the Debian release that it runs on, in build/packages: the library, what it takes to develop with it, and
# the command. As root it first installs what is missing.
# usage: build.sh [MAINTAINER], as "Name <address>"
set -euo pipefail
cd "$(dirname "$0")/.."
. cmake/install-packages.sh

install_packages "${for_command[@]}" spdlog prometheus-cpp dpkg-dev pkg-config

build=build/packages
mkdir -p $build
# As Debian compiles its own, but for the debugging symbols, which nobody would see.
eval "$(DEB_BUILD_MAINT_OPTIONS=hardening=+all DEB_CFLAGS_MAINT_STRIP=-g DEB_CXXFLAGS_MAINT_STRIP='-g -O2' dpkg-buildflags --export=sh)"
options=(-DDOCENT_BUILD_TESTS=OFF -DDOCENT_BUILD_BENCHMARKS=OFF -DDOCENT_BUILD_EXAMPLES=OFF -DCMAKE_UNITY_BUILD=ON
    -DBUILD_SHARED_LIBS=ON # the command links to the library's package
    -DCMAKE_INSTALL_PREFIX=/usr -DCMAKE_INSTALL_LIBDIR="lib/$(dpkg-architecture -q DEB_HOST_MULTIARCH)"
    -DDOCENT_ZSH_FOLDER=share/zsh/vendor-completions
    -DZooKeeperST_LIBRARY="/usr/lib/$(dpkg-architecture -q DEB_HOST_MULTIARCH)/libzookeeper_st.so.2" # by a name that it has without its -dev package, too
    ${1:+"-DDOCENT_PACKAGE_MAINTAINER=$1"})
if ! cmake --preset release -B $build "${options[@]}" >$build/configure.log 2>&1; then
    cat $build/configure.log >&2
    exit 1
fi
build_quietly $build
packaging/pack.sh $build
