#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Does what docs/tutorials/lock-in-your-service.md asks its reader to do, and fails unless the page's claims hold.
# usage: check.sh WORKER FENCED_WORKER DOCENT PAGE
set -euo pipefail

worker=$(realpath "$1") fenced_worker=$(realpath "$2") docent=$(realpath "$3") page=$(realpath "$4")
project=$(dirname "$(realpath "$0")")
folder=$(mktemp -d)
started=()
clean_up() {
    local pid
    for pid in "${started[@]}"; do kill -KILL "$pid" 2>/dev/null || true; done
    rm -rf "$folder"
}
trap clean_up EXIT

fail() {
    echo "check.sh: $1" >&2
    tail -n +1 "$folder"/*.out >&2
    exit 1
}
until_true() { # MESSAGE COMMAND: fails with the message if the command stays false for half a minute
    local i
    for ((i = 0; i < 600; ++i)); do
        ! "${@:2}" 2>/dev/null || return 0
        sleep 0.05
    done
    fail "$1"
}
await() { # FILE TEXT: waits until the program has printed the text
    until_true "$1 does not print: $2" grep -q "$2" "$folder/$1.out"
}
holds_the_store() { grep -q ": FLOCK .* $1 " /proc/locks; }         # PID
waits_for_the_store() { grep -q -- "-> FLOCK .* $1 " /proc/locks; } # PID
is_stopped() { [ "$(cut -d ' ' -f 3 "/proc/$1/stat")" = T ]; }      # PID
token_of() { sed -n 's/.*holds the lock, token //p' "$folder/$1.out"; }
ends_with() { # STATUS PID
    local status=0
    wait "$2" || status=$?
    [ "$status" -eq "$1" ] || fail "a program ended with $status instead of $1"
}

awk '/^```/ { shown = $0 == "```cmake"; next } shown' "$page" | sed 's/(program worker)/(program worker fenced_worker)/' |
    cmp - "$project/CMakeLists.txt" || fail "$page shows another CMakeLists.txt"
cd "$folder"
"$docent" server --port 0 >server.out 2>&1 & server=$!
started+=("$server")
await server listens
address=$(grep -o '127\.0\.0\.1:[0-9]*' server.out)

# A holder is killed: the next worker gets the lock with a larger token.
"$worker" one "$address" >one.out 2>&1 & one=$!
started+=("$one")
await one 'step 1'
"$worker" two "$address" >two.out 2>&1 & two=$!
started+=("$two")
await two 'waits for the lock'
await one 'step 5'
"$docent" inspect /tutorial/lock --connect "$address" >inspect.out
await inspect 'holds lock one'
await inspect 'waits lock two'
! grep -q 'holds the lock' two.out || fail "two hold the lock at once"
kill -KILL $one
await two 'step 1'
[ "$(token_of two)" -gt "$(token_of one)" ] || fail "the second token is not larger"

# A holder stands still until its lock is lost: the store refuses its write.
"$fenced_worker" red "$address" >red.out 2>&1 & red=$!
started+=("$red")
await red 'step 1'
"$fenced_worker" blue "$address" >blue.out 2>&1 & blue=$!
started+=("$blue")
# In a container, /proc/locks shows who waits for a lock only while the process that took the lock lives: this one sleeps.
flock --no-fork store.guard sleep 1000 & store=$!
started+=("$store")
until_true "the store is not locked" holds_the_store "$store"
until_true "red does not write to the store" waits_for_the_store $red
kill -STOP $red # after red has checked its lock and before it writes
until_true "red does not stop" is_stopped $red
kill -KILL "$store" # unlocks
await blue 'step 2'
kill -CONT $red
ends_with 1 $red
await red 'the store refused the token'
ends_with 0 $blue
ends_with 0 $two
await two 'has released the lock'
[ "$(cat store.txt)" = "$(token_of blue) blue, step 20" ] || fail "the store has another text"
