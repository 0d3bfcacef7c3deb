#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# applies.sh SOURCE-TREE: fails if mutants.patch does not fit the source tree any more, which needs not be a repository. Nothing is
# changed. Ends with 77 where there is no git.
set -euo pipefail

tree=$(cd "$1" && pwd)
patch=$tree/tests/explorer/mutants/mutants.patch

if ! command -v git >/dev/null; then
    echo "skipped: no git, which compares patches with files"
    exit 77
fi
# A repository that the tree only lies in is none of ours: there, git would pass over all files outside of it.
export GIT_CEILING_DIRECTORIES=${tree%/*}
cd "$tree"
if git apply --check --reverse "$patch" 2>/dev/null; then
    echo "the patch has been applied to this tree"
    exit 0
fi
git apply --check --verbose "$patch"
