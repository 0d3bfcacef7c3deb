#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Packs what BUILD_FOLDER has built, static libraries and shared ones, into BUILD_FOLDER/*.deb.
# usage: pack.sh BUILD_FOLDER [COMPRESSION]
set -euo pipefail
cd "$1"
rm -rf ./*.deb _CPack_Packages
umask 022
if ! cpack --config CPackConfig.cmake -G DEB ${2:+-D CPACK_DEBIAN_COMPRESSION_TYPE="$2"} >cpack.log 2>&1; then
    cat cpack.log >&2
    exit 1
fi
rm -rf _CPack_Packages
ls -- *.deb
