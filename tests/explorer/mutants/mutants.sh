#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# mutants.sh EXPLORER [SECONDS]: looks for each bug of mutants.txt in one world, for SECONDS (default 30), in one process.
# EXPLORER is built from a copy with these bugs: see ../README.md. Fails if the explorer does not find a bug, or if it finds a
# violation without a bug.
set -euo pipefail

explorer=$1
seconds=${2:-30}
good=true

# try NUMBER FAULTS WORLD WHAT
try() {
    local out first
    out=$(DOCENT_MUTANT=$1 "$explorer" --processes 1 --faults "$2" --seconds "$seconds" --world "$3" || true)
    first=$(grep -m1 -B1 VIOLATION <<<"$out" | tr -s ' \n' ' ' || true)
    if [[ $1 == 0 ]]; then
        [[ -z $first ]] || good=false
        echo "no mutant: ${first:-nothing wrong}"
    else
        [[ -n $first ]] || good=false
        echo "mutant $1 ($4): ${first:-NOT FOUND in $3, faults $2}"
    fi
}

pair="pair: mutex, two sessions at the leader"
semaphore="pair: semaphore of 2, one session at the leader"
try 0 1 "$pair" ""
try 1 0 "mutex, three sessions at the leader" "the second nearest's deletion admits"
try 2 0 "read/write with downgrade, three sessions at the leader" "a writer's deletion admits the next writer"
try 3 1 "mutex, one session at the leader" "a deletion ahead, in our session, admits"
try 4 1 "$pair" "a node that was found by its GUID is not read"
try 5 1 "$pair" "a lock is granted without certainty"
try 6 1 "$pair" "a create in doubt stays when the acquire is cancelled"
try 7 1 "pair: mutex, two sessions at leader and follower" "a search without sync, the same GUID again"
try 8 0 "$pair" "a release does not wait for the server"
try 9 1 "$pair" "a lease survives a presumed loss"
try 10 1 "$pair" "a lost lease does not remove its node"
try 11 1 "$pair" "a claim is kept in a new session"
try 12 0 "semaphore of 2, one session at the leader" "a semaphore waits without a watch on the permits"
try 13 1 "$semaphore" "permits are kept without the gate's session"
try 14 2 "mutex, three sessions at the leader" "a removal by GUID without sync and later search"
try 16 2 "pair: mutex, two sessions at leader and follower" "watch events after a reconnect admit"
try 17 1 "$pair" "a removal with a lost reply counts as done"
try 18 1 "pair: multi-lock of 2, one session at the leader" "a multi-lock keeps locks behind the awaited lock"
try 19 1 "pair: guarded transaction, two sessions at the leader" "a transaction in doubt is sent again"
try 15 1 "read/write with downgrade, two sessions at the leader" "a reader trusts the nearest writer"
kept="kept: mutex, two sessions at the leader"
try 21 0 "$kept" "a contender does not recall a kept mutex"
try 22 1 "$kept" "a kept mutex is taken without certainty"
try 23 0 "kept: read lock, two sessions at the leader" "a recalled node is released although a holder uses it"
try 24 1 "$pair" "an unreadable node ahead counts as gone"
try 25 1 "$pair" "a node ahead is not watched when it can be read again"
try 20 0 "four: mutex" "an incomplete view trusts the last known deletion"
$good
