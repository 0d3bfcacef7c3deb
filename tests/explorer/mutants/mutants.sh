#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# mutants.sh EXPLORER [SECONDS]: looks for each bug of mutants.txt in one world, SECONDS (30) long, in one process. EXPLORER is
# built from a copy with these bugs: see ../README.md. Fails if a bug is not found, or if the explorer finds a bug in the code
# without one.
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
try 3 1 "mutex, one session at the leader" "the deletion of one ahead of our own session admits"
try 4 1 "$pair" "a node that was found by its guid is trusted without being read"
try 5 1 "$pair" "a lock is granted though the session is not certain any more"
try 6 1 "$pair" "a create in doubt is not removed when the acquire is cancelled"
try 7 1 "pair: mutex, two sessions at leader and follower" "a node is looked for without sync, and made again under the same guid"
try 8 0 "$pair" "a release does not wait for the server"
try 9 1 "$pair" "a lease survives a presumed loss"
try 10 1 "$pair" "a lost lease does not remove its node"
try 11 1 "$pair" "a claim is kept in a new session"
try 12 0 "semaphore of 2, one session at the leader" "a semaphore waits without a watch on the permits"
try 13 1 "$semaphore" "permits are kept without the gate's session"
try 14 2 "mutex, three sessions at the leader" "a removal by guid goes without sync, and nobody looks there again"
try 16 2 "pair: mutex, two sessions at leader and follower" "watch events after a reconnect admit"
try 17 1 "$pair" "a removal whose lost reply is taken for an answer"
try 18 1 "pair: multi-lock of 2, one session at the leader" "a multi-lock keeps the locks behind the one it waits for"
try 19 1 "pair: guarded transaction, two sessions at the leader" "a transaction in doubt is sent again"
try 15 1 "read/write with downgrade, two sessions at the leader" "a reader trusts the deletion of the nearest of several writers"
kept="kept: mutex, two sessions at the leader"
try 21 0 "$kept" "who comes to a kept mutex does not recall it"
try 22 1 "$kept" "a kept mutex is taken though the session is not certain any more"
try 23 0 "kept: read lock, two sessions at the leader" "a recalled node is given back though somebody holds by it"
try 24 1 "$pair" "an unreadable node ahead counts as gone"
try 25 1 "$pair" "a node ahead is not watched when it can be read again"
try 20 0 "four: mutex" "one who does not know all ahead trusts the deletion of the last one it knows"
$good
