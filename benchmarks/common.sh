# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# What the scripts here share; to be sourced with their arguments: PEERS_FOLDER [BUILD_FOLDER].

fail() {
    echo "$(basename "$0"): $*" >&2
    exit 64
}

if [ $# -lt 1 ] || [ $# -gt 2 ]; then fail "usage: $(basename "$0") PEERS_FOLDER [BUILD_FOLDER]"; fi
peers=$1
build=${2:-build/release}

find_program() { # NAME: its path in the build folder
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
    local docent
    [ -f "$peers/delay_proxy.py" ] || fail "there is no delay_proxy.py in $peers"
    command -v python3 >/dev/null || fail "there is no python3"
    docent=$(find_program docent)
    proxy_port=$((server_port + 1))
    python3 "$peers/delay_proxy.py" "$proxy_port" "$server_port" "$1" &
    proxy_pid=$!
    until "$docent" --connect "127.0.0.1:$proxy_port" exists / 2>/dev/null; do
        kill -0 "$proxy_pid" 2>/dev/null || fail "the proxy did not start on port $proxy_port"
    done
}
