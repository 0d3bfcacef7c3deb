#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds the fuzzers and runs each. They begin with the inputs in tests/fuzz/corpus and in grown_corpus.tar.gz. The archive has
# inputs that ten minutes of each fuzzer have found, reduced to the smallest set that reaches as much code. The script fails at
# the first finding, and leaves the finding in build/fuzz/findings. New inputs stay in build/fuzz/corpus.
# usage: tests/fuzz/run.sh [SECONDS_FOR_EACH [TARGET...]]
set -euo pipefail
cd "$(dirname "$0")/../.."
seconds=${1:-4}
shift $(($# > 0 ? 1 : 0))
build=build/fuzz
mkdir -p $build/findings
[ -e $build/corpus ] || { mkdir -p $build/corpus.new && tar -xzf tests/fuzz/grown_corpus.tar.gz -C $build/corpus.new && mv $build/corpus.new $build/corpus; }
cmake --preset fuzz >$build/configure.log 2>&1 || { cat $build/configure.log >&2; exit 1; }
cmake --build $build --target fuzzers >$build/build.log 2>&1 || { grep -A 20 -m 1 'error:' $build/build.log >&2 || tail -n 20 $build/build.log >&2; exit 1; }
if [ $# -eq 0 ]; then
    for program in "$build"/tests/fuzz/fuzz.*; do set -- "$@" "${program##*/fuzz.}"; done
fi
for target in "$@"; do
    found=$build/corpus/$target
    mkdir -p "$found"
    log=$build/$target.log
    if ! "$build/tests/fuzz/fuzz.$target" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=1024 -max_len=4096 -print_final_stats=1 \
        -artifact_prefix="$build/findings/$target-" "$found" "tests/fuzz/corpus/$target" >"$log" 2>&1; then
        tail -n 40 "$log" >&2
        echo "fuzz.$target: a finding; see $build/findings" >&2
        exit 1
    fi
    echo "fuzz.$target: $(sed -n 's/^Done \(.*\) runs in \(.*\) second.*/\1 runs in \2 s/p' "$log"), nothing found"
done
