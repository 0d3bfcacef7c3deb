#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# A nightly job on three machines: see docs/tutorials/nightly-job.md. Each machine has a server. Two machines start the same job,
# and one of these is lost while it works. usage: run.sh [DOCENT]
set -euo pipefail
set +m # setsid gives each machine its process groups

docent=${1:-docent}
command -v "$docent" >/dev/null || { echo "run.sh: cannot find $docent: name it, as in run.sh build/dev/src/cli/docent" >&2; exit 64; }
command -v java >/dev/null || { echo "run.sh: needs Java: on Debian, apt install default-jre-headless libzookeeper-java" >&2; exit 69; }
jar=/usr/share/java/zookeeper.jar
[ -e $jar ] || { echo "run.sh: needs ZooKeeper's servers: on Debian, apt install libzookeeper-java" >&2; exit 69; }

work=$(mktemp -d)
net=127.$((RANDOM % 250 + 1)).$((RANDOM % 250 + 1)) # an address for each machine
declare -A server job
machines=(one two three)
address() { case $1 in one) echo "$net.1" ;; two) echo "$net.2" ;; three) echo "$net.3" ;; esac }
say() { printf '%-6s %s\n' "$1" "$2"; }

lose() { # machine; kills all its processes at once
    local pid pids=("${server[$1]:-}" "${job[$1]:-}")
    for pid in "${pids[@]}"; do [ -z "$pid" ] || kill -KILL -- "-$pid" 2>/dev/null || true; done
    for pid in "${pids[@]}"; do [ -z "$pid" ] || wait "$pid" 2>/dev/null || true; done
    server[$1]='' job[$1]=''
}
clean_up() {
    trap '' INT TERM
    for machine in "${machines[@]}"; do lose "$machine"; done
    rm -rf "$work"
}
trap clean_up EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

start_server() { # machine
    local dir=$work/$1 number=0 id=0 machine
    mkdir -p "$dir"
    {
        printf '%s\n' "dataDir=$dir" tickTime=500 initLimit=20 syncLimit=10 clientPort=22181 "clientPortAddress=$(address "$1")" \
            admin.enableServer=false
        for machine in "${machines[@]}"; do
            number=$((number + 1))
            [ "$machine" != "$1" ] || id=$number
            echo "server.$number=$(address "$machine"):22888:23888"
        done
    } >"$dir/zoo.cfg"
    echo $id >"$dir/myid"
    setsid java -Xmx128m -XX:+UseSerialGC -Dzookeeper.log.dir="$dir" -cp $jar:/usr/share/java/slf4j-nop.jar \
        org.apache.zookeeper.server.quorum.QuorumPeerMain "$dir/zoo.cfg" >"$dir/server.log" 2>&1 &
    server[$1]=$!
}

# Starts the job. On each machine, cron would do so at the same minute.
nightly() { # machine
    DOCENT_CONNECT=$servers DOCENT_SESSION_TIMEOUT=4s WHO=$1 \
        setsid "$docent" lock /nightly --once-per 12h --verbose --label "$1" -- "$work/job.sh" >"$work/$1.out" 2>&1 &
    job[$1]=$!
}
cat >"$work/job.sh" <<EOF
#!/bin/sh
echo "begun \$WHO \$DOCENT_FENCING_TOKEN" >>"$work/report"
while [ ! -e "$work/morning" ]; do sleep 0.1; done # there is much to do
echo "done \$WHO \$DOCENT_FENCING_TOKEN" >>"$work/report"
EOF
chmod +x "$work/job.sh"

within_a_minute() { # command
    for _ in $(seq 600); do
        if "$@"; then return; fi
        sleep 0.1
    done
    echo "run.sh: not after a minute: $*; docent said:" >&2
    cat "$work"/*.out >&2
    exit 1
}
reports() { grep -qs "^$1" "$work/report"; }
waits() { "$docent" --connect "$servers" inspect /nightly --json 2>"$work/inspect.out" | grep -q "\"$1\""; }
token() { sed -n "s/^begun $1 //p" "$work/report"; }

servers=$(address one):22181,$(address two):22181,$(address three):22181
for machine in "${machines[@]}"; do start_server "$machine"; done
for attempt in $(seq 20); do
    if "$docent" --connect "$servers" ls / >"$work/ls.out" 2>&1; then break; fi # the command waits for the servers, too
    [ "$attempt" != 20 ] || { cat "$work/ls.out" "$work"/*/server.log >&2; exit 1; }
done
say all "three servers are up"

nightly one
within_a_minute reports "begun one"
say one "the nightly job has begun, with token $(token one)"
nightly two
within_a_minute waits two
say two "waits for its turn"

lose one
SECONDS=0
say one "LOST, with its server, its docent and its job"
within_a_minute reports "begun two"
say two "the nightly job has begun, with token $(token two)"
after=$SECONDS
touch "$work/morning"
wait "${job[two]}" || { cat "$work/two.out" >&2; exit 1; }
say two "the nightly job is done"

start_server one
nightly one
wait "${job[one]}" || { cat "$work/one.out" >&2; exit 1; }
say one "is back, and its cron starts the job again"
say one "$(sed -n 's/.*: done already/done already/p' "$work/one.out")"

[ "$(grep -c ^done "$work/report")" = 1 ] || { echo "run.sh: the job was not done once" >&2; exit 1; }
[ "$(token two)" -gt "$(token one)" ] || { echo "run.sh: the later token is not larger" >&2; exit 1; }
say all "the job was done once; two began $after s after one was lost"
