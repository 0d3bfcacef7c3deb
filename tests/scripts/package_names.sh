#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Checks that cmake/install-packages.sh chooses the right package names from the packages that apt offers on each release.
# `apt-cache` is a function here. It knows the packages in `offered`, one `NAME VERSION` per line.
# shellcheck disable=SC2317 # functions are called by other functions
set -euo pipefail
cd "$(dirname "$0")/../.."
DOCENT_ARCH= # the names must not depend on the architecture of the build around this test
. cmake/install-packages.sh

apt-cache() {
    case $1 in
    policy) awk -v name="$2" '$1 == name { print name ":\n  Installed: (none)\n  Candidate: " $2 }' <<<"$offered" ;;
    pkgnames) awk '{ print $1 }' <<<"$offered" ;;
    esac
}
has_header() { [ "$1" = "$header" ]; } # an installed header
header=nothing
compiler=true # a compiler exists

failed=0
expect() { # EXPECTED COMMAND...
    local printed
    printed=$("${@:2}")
    [ "$printed" = "$1" ] || { echo "$release: ${*:2}: expected \"$1\", printed \"$printed\"" >&2; failed=1; }
}

release="Debian 12, with a default Boost that is too old"
offered='libboost-dev 1.74.0.3
libboost1.74-dev 1.74.0+ds1-21
libboost1.81-dev 1.81.0-5+deb12u1
libboost-thread1.81-dev 1.81.0-5+deb12u1
clang 1:14.0-55.7~deb12u1
clang-format-99 1:99.0.6-12'
expect libboost1.81-dev package_of_boost
expect libboost-json1.81-dev package_of_boost json
expect clang-format-99 find_missing clang-format-99
clang++() { return 1; } # not installed
expect libclang-rt-14-dev package_of_clang_runtime
expect libzookeeper-st2 package_of_zookeeper_library

release="Debian 12, for ARM64"
DOCENT_ARCH=arm64
expect libboost1.81-dev:arm64 find_missing boost
expect zlib1g-dev:arm64 find_missing zlib
expect no-such-tool find_missing no-such-tool
DOCENT_ARCH=

release="Debian 13, with a default Boost that is new enough, and with a newer Boost"
offered='libboost-dev 1.83.0.2+b2
libboost1.83-dev 1.83.0-4.2
libboost-thread1.83-dev 1.83.0-4.2
libboost1.88-dev 1.88.0-1
libboost-thread1.88-dev 1.88.0-1
clang 1:19.0-63'
expect libboost-dev package_of_boost
expect libboost-thread-dev package_of_boost thread
expect "" find_missing clang-format-99
expect libclang-rt-19-dev package_of_clang_runtime
clang++() { echo 18.1.8; } # another version is installed
expect libclang-rt-18-dev package_of_clang_runtime

release="Debian 13 where the headers of Boost 1.88 are installed"
header=boost/asio/any_completion_handler.hpp
version_of_boost_headers() { echo 1.88; }
expect libboost-thread1.88-dev package_of_boost thread

release="headers of Boost that no package of apt contains"
version_of_boost_headers() { echo 1.86; }
expect libboost-thread-dev package_of_boost thread

release="another release, with Boost 1.100 and other names"
header=nothing
offered='libboost-dev 1.74.0.3ubuntu7
libboost1.9-dev 1.9.0-1
libboost1.90-dev 1.90.0-1
libboost1.100-dev 1.100.0-1
libboost-thread1.100-dev 1.100.0-1
libzookeeper-st2t64 3.9.1-1build4'
expect libboost1.100-dev package_of_boost
expect libzookeeper-st2t64 package_of_zookeeper_library

release="another release without a Boost that is new enough"
offered='libboost-dev 1.74.0.3ubuntu7
libboost1.74-dev 1.74.0-14'
expect libboost1.81-dev package_of_boost # apt then says that this package does not exist

release="no lists of packages"
offered=
expect libboost-dev package_of_boost

exit $failed
