#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Runs in each container of compose.yaml, and starts one of three ZooKeeper servers.
set -eu
case $MACHINE in
one) id=1 ;;
two) id=2 ;;
three) id=3 ;;
*) echo "machine.sh: MACHINE is one, two or three, not '$MACHINE'" >&2; exit 64 ;;
esac
mkdir -p /data
echo $id >/data/myid
cat >/data/zoo.cfg <<EOF
dataDir=/data
tickTime=500
initLimit=20
syncLimit=10
clientPort=2181
admin.enableServer=false
server.1=one:2888:3888
server.2=two:2888:3888
server.3=three:2888:3888
EOF
# Podman starts one container after the other. A server that begins before the other servers have names misses the first
# election, and the next election comes 10 s later. After 30 s, a server without a name may be lost, so this server starts
# without it.
left=300
for name in one two three; do
    until [ $left -eq 0 ] || getent hosts $name >/dev/null; do
        left=$((left - 1))
        sleep 0.1
    done
done
exec java -Xmx256m -cp /usr/share/java/zookeeper.jar:/usr/share/java/slf4j-simple.jar \
    org.apache.zookeeper.server.quorum.QuorumPeerMain /data/zoo.cfg
