#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Checks that the compiler accepts SOURCE, and refuses it with each of MACROS. The error message must contain MESSAGE.
# usage: refused.sh SOURCE "MACRO..." MESSAGE COMPILER FLAG...
set -euo pipefail
source=$1 macros=$2 message=$3
compile=("${@:4}" -std=c++20 -fsyntax-only "$source")
"${compile[@]}"
for macro in $macros; do
    if output=$("${compile[@]}" "-D$macro" 2>&1); then
        echo "$source was compiled with $macro" >&2
        exit 1
    fi
    grep -m 1 -e "$message" <<<"$output" || { echo "$output" >&2; exit 1; }
done
