#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs the workload `loss` several times. The holder's network goes silent. The holder must learn of its loss before the next
# client is granted the lock.
#
# usage: benchmarks/loss.sh [BUILD_FOLDER]
#
# Settings from the environment: RUNS (default 20), SESSION_MS (default 4000). Exits 1 if any margin is not positive.
set -euo pipefail

fail() {
    echo "$(basename "$0"): $*" >&2
    exit 64
}

[ $# -le 1 ] || fail "usage: $(basename "$0") [BUILD_FOLDER]"
build=${1:-build/release}

find_program() { # NAME; prints the program's path in the build folder
    local found
    found=$(find "$build" -type f -name "$1" -perm -u+x 2>/dev/null | head -n 1)
    [ -n "$found" ] || fail "there is no $1 in $build; build it first"
    echo "$found"
}

folder=$(mktemp -d)
server_pid=
proxy_pid=
finish() {
    local pid
    for pid in $proxy_pid $server_pid; do
        kill "$pid" 2>/dev/null || true
        wait "$pid" 2>/dev/null || true
    done
    rm -rf "$folder"
}
trap finish EXIT

start_server() { # sets server_port
    local docent
    docent=$(find_program docent)
    "$docent" server --port 0 >"$folder/server" &
    server_pid=$!
    until grep -q listens "$folder/server" 2>/dev/null; do
        kill -0 "$server_pid" 2>/dev/null || fail "the server did not start"
        sleep 0.1
    done
    server_port=$(sed -n 's/.*127\.0\.0\.1:\([0-9]*\).*/\1/p' "$folder/server")
}

start_proxy() { # ONE_WAY_MS; sets proxy_port
    "$(find_program delay_proxy)" "$server_port" "$1" >"$folder/proxy" &
    proxy_pid=$!
    until [ -s "$folder/proxy" ]; do
        kill -0 "$proxy_pid" 2>/dev/null || fail "the proxy did not start"
        sleep 0.1
    done
    proxy_port=$(cat "$folder/proxy")
}

runs=${RUNS:-20}
workload=$(find_program lock_workload)

start_server
start_proxy 0
for ((run = 0; run < runs; ++run)); do
    "$workload" --connect "127.0.0.1:$proxy_port" --direct "127.0.0.1:$server_port" --session-ms "${SESSION_MS:-4000}" \
        --proxy-pid "$proxy_pid" --work loss
done | awk '{print; fflush(); sub(/.*margin_ms=/, ""); n++; if ($0 > 0) good++}
            END {printf "margin positive in %d of %d runs\n", good, n; exit good != n}'
