#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds the packages in a minimal system of a Debian release, checks them there, and installs, uses, upgrades and removes them
# in another minimal system, as users do. Must be root. Needs up to 5 GB in build/, and takes some minutes.
# usage: test.sh bookworm|trixie|forky
set -euo pipefail
cd "$(dirname "$0")/.."
[ $# -eq 1 ] || { sed -n 's/^# \(usage: .*\)/\1/p' "$0" >&2; exit 64; }
suite=$1
folder=build/packages-$suite

# shellcheck disable=SC2016 # the inner shell expands these variables
.ci/elsewhere --keep "$folder" "$suite" bash -ec 'packaging/build.sh "$1"; packaging/check.sh "$1"' - "$folder"
.ci/elsewhere --with "$folder" "$suite" packaging/as_user.sh "$folder"
