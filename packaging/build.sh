#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Makes the packages for the Debian release that it runs on, in build/packages: the library, what it takes to develop with it, and
# the command. As root it first installs what is missing.
# usage: build.sh [--arch arm64] [MAINTAINER]
#   --arch arm64  cross-builds for ARM64 in a fresh minimal system of this release, into build/packages-arm64; see .ci/elsewhere
#                 for what that needs
#   MAINTAINER    "Name <address>"
set -euo pipefail
cd "$(dirname "$0")/.."
begins_elsewhere=
if [ "${1:-}" = --arch ]; then
    DOCENT_ARCH=${2:?--arch needs a value: arm64} begins_elsewhere=yes
    shift 2
fi
. cmake/install-packages.sh
build=build/packages${DOCENT_ARCH:+-$DOCENT_ARCH}
if [ -n "$begins_elsewhere" ] && [ -n "$DOCENT_ARCH" ]; then
    mkdir -p "$build"
    rm -f "$build"/*.deb
    # shellcheck source=/dev/null
    exec .ci/elsewhere --back "$build/*.deb" --back "$build/include" "$(. /etc/os-release && echo "$VERSION_CODENAME")" \
        env DOCENT_ARCH="$DOCENT_ARCH" packaging/build.sh "$@"
fi

install_packages "${for_command[@]}" spdlog prometheus-cpp dpkg-dev pkg-config file

mkdir -p "$build"
eval "$(dpkg-architecture ${DOCENT_ARCH:+-a "$DOCENT_ARCH"} --print-set)"
# As Debian compiles its own, but for the debugging symbols, which nobody would see.
eval "$(DEB_BUILD_MAINT_OPTIONS=hardening=+all DEB_CFLAGS_MAINT_STRIP=-g DEB_CXXFLAGS_MAINT_STRIP='-g -O2' dpkg-buildflags --export=sh)"
options=(-DDOCENT_BUILD_TESTS=OFF -DDOCENT_BUILD_BENCHMARKS=OFF -DDOCENT_BUILD_EXAMPLES=OFF -DCMAKE_UNITY_BUILD=ON
    -DBUILD_SHARED_LIBS=ON # the command links to the library's package
    -DCMAKE_INSTALL_PREFIX=/usr -DCMAKE_INSTALL_LIBDIR="lib/$DEB_HOST_MULTIARCH"
    -DDOCENT_ZSH_FOLDER=share/zsh/vendor-completions
    -DZooKeeperST_LIBRARY="/usr/lib/$DEB_HOST_MULTIARCH/libzookeeper_st.so.2" # by a name that it has without its -dev package, too
    ${1:+"-DDOCENT_PACKAGE_MAINTAINER=$1"})
if ! cmake --preset release -B "$build" "${toolchain[@]}" "${options[@]}" >"$build/configure.log" 2>&1; then
    cat "$build/configure.log" >&2
    exit 1
fi
build_quietly "$build"
packaging/pack.sh "$build"
