#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# docent and Apache Curator alternately, in one run, on a server of their own.
#
# usage: benchmarks/compare.sh [BUILD_FOLDER]
#
# BUILD_FOLDER is build/release by default. Settings from the environment:
#   ROUNDS      how often each workload runs (default 5; ratios are of medians over the rounds)
#   ONE_WAY_MS  a delay in each direction (default 0: no proxy)
#   WORKS       which of `free contended latch` (default: all)
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=common.sh
. "$(dirname "$0")/common.sh"

rounds=${ROUNDS:-5}
one_way_ms=${ONE_WAY_MS:-0}
works=${WORKS:-free contended latch}
jars=/usr/share/java

command -v javac >/dev/null || fail "there is no Java compiler (Debian: apt-get install default-jdk-headless)"
class_path=$folder
for jar in curator-recipes curator-framework curator-client zookeeper guava slf4j-nop; do
    [ -f "$jars/$jar.jar" ] || fail "there is no $jars/$jar.jar (Debian: apt-get install libcurator-recipes-java libslf4j-java)"
    class_path=$class_path:$jars/$jar.jar
done
[ ! -f "$jars/failureaccess.jar" ] || class_path=$class_path:$jars/failureaccess.jar # part of guava.jar in Debian 12
workload=$(find_program lock_workload)
javac -cp "$class_path" -d "$folder" "$(dirname "$0")/java/CuratorWorkload.java"

start_server
connect=127.0.0.1:$server_port
if [ "$one_way_ms" != 0 ]; then
    start_proxy "$one_way_ms"
    connect=127.0.0.1:$proxy_port
fi

run_docent() { "$workload" --connect "$connect" "$@"; }
run_curator() { java -XX:+UseSerialGC -cp "$class_path" CuratorWorkload "$connect" "$@" 2>/dev/null; }

median() { sed -n "s/.* $2=\([0-9.]*\).*/\1/p" "$1" | sort -n | awk '{v[NR] = $1} END {print v[int((NR + 1) / 2)]}'; }

# compare NAME "KEYS" docent-arguments -- curator-arguments: both lines of each round, then the ratio of each key's medians.
compare() {
    local name=$1 keys=$2 key round
    shift 2
    local ours=()
    while [ "$1" != -- ]; do
        ours+=("$1")
        shift
    done
    shift
    rm -f "$folder/ours" "$folder/theirs"
    for ((round = 0; round < rounds; ++round)); do
        run_docent "${ours[@]}" | tee -a "$folder/ours"
        run_curator "$@" | tee -a "$folder/theirs"
    done
    for key in $keys; do
        awk -v name="$name" -v key="$key" -v a="$(median "$folder/ours" "$key")" -v b="$(median "$folder/theirs" "$key")" \
            -v rtt="$round_trip_us" 'BEGIN {
                printf "ratio of %s, %s: docent=%s curator=%s docent/curator=%.2f", name, key, a, b, a / b
                if (key ~ /_us$/) printf " in round trips: docent=%.2f curator=%.2f", a / rtt, b / rtt
                printf "\n"
            }'
    done
    echo
}

run_docent --work rtt --n 200 | tee "$folder/rtt"
round_trip_us=$(sed -n 's/.*exists_p50_us=//p' "$folder/rtt")
echo
free=2000
cycles=500 # per client, of two
elections=20
if [ "$one_way_ms" != 0 ]; then
    free=100
    cycles=50
fi

compare_free() {
    local kind
    for kind in mutex read write semaphore semaphore3 multi3; do
        compare "a free $kind" "acquire_p50_us release_p50_us" \
            --work free --kind $kind --n "$free" --warmup "$free" -- free $kind "$free" "$free"
    done
}
compare_contended() {
    local handoff="per_s handoff_p50_us"
    compare "2 clients" "$handoff" --work contended --clients 2 --cycles "$cycles" -- contended 2 "$cycles" 0
    compare "10 clients" "$handoff" \
        --work contended --clients 10 --cycles $((cycles / 5)) -- contended 10 $((cycles / 5)) 0
    compare "10 clients, 40 ms hold" "$handoff" \
        --work contended --clients 10 --cycles 10 --hold-us 40000 -- contended 10 10 40000
}
compare_latch() {
    local settle_ms=$((100 + 12 * one_way_ms))
    compare "a leader latch" "lead_p50_us handoff_p50_us" \
        --work latch --n "$elections" --warmup 5 --settle-ms "$settle_ms" -- latch "$elections" 5 "$settle_ms"
}
for work in $works; do "compare_$work"; done
