# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# What the scripts here share; to be sourced with their arguments: [BUILD_FOLDER].

fail() {
    echo "$(basename "$0"): $*" >&2
    exit 64
}

[ $# -le 1 ] || fail "usage: $(basename "$0") [BUILD_FOLDER]"
build=${1:-build/release}

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
    "$(find_program delay_proxy)" "$server_port" "$1" >"$folder/proxy" &
    proxy_pid=$!
    until [ -s "$folder/proxy" ]; do
        kill -0 "$proxy_pid" 2>/dev/null || fail "the proxy did not start"
        sleep 0.1
    done
    # shellcheck disable=SC2034 # for whoever sources this
    proxy_port=$(cat "$folder/proxy")
}
