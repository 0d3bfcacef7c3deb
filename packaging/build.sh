#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Makes a source package of this tree, and builds this package for the Debian release of this machine. As root it first installs
# the packages that debian/control names. The results are in FOLDER and replace the results of the previous build.
# usage: build.sh [--arch arm64] [FOLDER]
#   --arch arm64  cross-builds for ARM64 in a fresh minimal system of this release; .ci/elsewhere says what this needs
#   FOLDER        in build/, or for a native build a path outside of this tree; default: build/packages or build/packages-arm64
set -euo pipefail
cd "$(dirname "$0")/.."
usage() {
    sed -n 's/^# \(usage: .*\)/\1/p' "$0" >&2
    exit 64
}
begins_elsewhere=
if [ "${1:-}" = --arch ]; then
    [ $# -ge 2 ] || usage
    DOCENT_ARCH=$2 begins_elsewhere=yes
    shift 2
fi
[[ $# -le 1 && ${1:-} != -* ]] || usage
. cmake/install-packages.sh # from here on, DOCENT_ARCH is empty for this machine's own architecture
folder=${1:-build/packages${DOCENT_ARCH:+-$DOCENT_ARCH}}
if [[ ${folder#./} != build/?* && $(realpath -m "$folder")/ == "$PWD"/* ]]; then
    echo "${0##*/}: $folder would become a part of the source package; choose a folder in build/, or outside of this tree" >&2
    exit 64
fi
if [ -n "$begins_elsewhere" ] && [ -n "$DOCENT_ARCH" ]; then
    # shellcheck source=/dev/null
    exec .ci/elsewhere --keep "$folder" "$(. /etc/os-release && echo "$VERSION_CODENAME")" \
        env DOCENT_ARCH="$DOCENT_ARCH" packaging/build.sh "$folder"
fi

install_packages dpkg-dev
mkdir -p "$folder"
rm -f "$folder"/{,lib}docent*_*
rm -rf "$folder/docent-build"
log=$(realpath "$folder")/build.log

quietly() {
    "$@" >>"$log" 2>&1 && return
    tail -n 30 "$log" | cut -c 1-200 >&2
    echo "${0##*/}: this failed: $*; see $log" >&2
    exit 1
}

for_arch=(${DOCENT_ARCH:+-a "$DOCENT_ARCH"})
[ -z "$DOCENT_ARCH" ] || export DEB_BUILD_PROFILES=cross # for debian/control
build_dep=(apt-get build-dep -y --no-install-recommends --no-remove "${apt_options[@]}" "${for_arch[@]}" ./)
if ! dpkg-checkbuilddeps "${for_arch[@]}" 2>"$log"; then
    if [ "$(id -u)" -ne 0 ]; then
        cat "$log" >&2
        echo "${0##*/}: packages are missing; as root, run: apt-get build-dep --no-install-recommends ./" >&2
        exit 1
    fi
    echo "Installing the packages that debian/control names"
    export DEBIAN_FRONTEND=noninteractive
    if ! { has_package_lists && "${build_dep[@]}" >>"$log" 2>&1; }; then
        quietly apt-get update "${apt_options[@]}"
        quietly "${build_dep[@]}"
    fi
fi

echo "Building the packages"
export DEB_BUILD_OPTIONS="noautodbgsym ${DEB_BUILD_OPTIONS:-}" DEB_CXXFLAGS_STRIP=-g # the packages have no debugging symbols
project=$PWD
cd "$folder"
quietly dpkg-source --build "$project"
quietly dpkg-source --extract docent_*.dsc docent-build
cd docent-build
quietly dpkg-buildpackage --no-sign "${for_arch[@]}"
cd ..
rm -rf docent-build
ls -- *docent*.deb docent_*.dsc
