#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Checks the packages that build.sh has made in FOLDER: their dependencies, and whether lintian has complaints.
# usage: check.sh [FOLDER] (default: build/packages)
set -euo pipefail
cd "$(dirname "$0")/.."
. cmake/install-packages.sh

folder=${1:-build/packages}
for file in {libdocent0,libdocent-dev,libdocent-logging0,libdocent-prometheus0,docent}'_*.deb' 'docent_*.changes'; do
    compgen -G "$folder/$file" >/dev/null && continue
    echo "${0##*/}: there is no $file in $folder; make the packages with packaging/build.sh, or name their folder" >&2
    exit 1
done
install_packages lintian
failed=0
fail() {
    echo "${0##*/}: $*" >&2
    failed=1
}

brought_by() { dpkg-deb --field "$folder/$1"_*.deb Depends Recommends; } # the packages that apt installs with PACKAGE

needs() { # PACKAGE REGEX...
    local pattern
    for pattern in "${@:2}"; do
        brought_by "$1" | grep -E "[ ,]$pattern( \(|,|\$)" >/dev/null || fail "$1 does not depend on $pattern, but: $(brought_by "$1")"
    done
}

does_without() { # PACKAGE WORD...
    local word
    for word in "${@:2}"; do
        ! brought_by "$1" | grep -F -- "$word" || fail "$1 depends on $word"
    done
}

needs libdocent0 'libzookeeper-st2(t64)?' 'libssl3(t64)?' 'libboost-thread[0-9.]+'
does_without libdocent0 spdlog prometheus
needs libdocent-logging0 libdocent0 'libspdlog[0-9.]+(-fmt[0-9]+)?'
needs libdocent-prometheus0 libdocent0 'libprometheus-cpp-core[0-9.]+'
does_without libdocent-dev spdlog prometheus java
# Programs must be compiled with the Boost that the library is linked to.
needs libdocent-dev "$(brought_by libdocent0 | grep -oE 'libboost-thread[0-9]+\.[0-9]+' | head -n 1)-dev"
needs docent libdocent0
does_without docent java jre spdlog prometheus

lintian --allow-root --fail-on error,warning --tag-display-limit 0 "$folder"/docent_*.changes || fail "lintian has complaints"
[ $failed = 0 ] || exit 1
echo "${0##*/}: the packages in $folder have the right dependencies, and lintian has no complaints"
