#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs the packages that build.sh has made as a user would, in a fresh minimal system of this machine's release, where nothing
# else of ours is: the command first, then what it takes to develop, and a user's project in every way; sees that their removal
# leaves nothing. Must be root. Needs some 3 GB in build/, and takes some minutes.
# usage: test.sh [FOLDER], of the packages: build/packages
set -euo pipefail
cd "$(dirname "$0")/.."
packages=$(realpath --relative-to=. "${1:-build/packages}")
with=()
for package in "$packages"/*.deb; do
    [ -e "$package" ] || { echo "${0##*/}: no packages in $packages; packaging/build.sh makes them" >&2; exit 1; }
    with+=(--with "$package")
done
# shellcheck source=/dev/null
exec .ci/elsewhere "${with[@]}" "$(. /etc/os-release && echo "$VERSION_CODENAME")" packaging/as_user.sh "$packages"
