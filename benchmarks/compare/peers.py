# SPDX-License-Identifier: Apache-2.0
"""The peers of a comparison: the program, the settings and the promises of each."""
import os
import shutil
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

from servers import JARS, Etcd, Missing, Postgres, Redis, ZooKeeper

HERE = Path(__file__).resolve().parent.parent
CURATOR_JARS = ["curator-recipes", "curator-framework", "curator-client", "zookeeper", "guava", "slf4j-nop"]
GO_CLIENT = Path("/usr/share/gocode/src/go.etcd.io/etcd/clientv3")


@dataclass
class Promises:
    token: str
    order: str
    told: str
    failover: str


@dataclass
class Peer:
    name: str
    servers: type
    settings: str
    promises: Promises
    command: list = field(default_factory=list)  # the command of a run, without the options of the work
    clusters: bool = False  # whether it is also measured with a cluster of servers


ZK_FAILOVER = "yes: majority"

DOCENT = Peer("docent", ZooKeeper, "coroutines on one thread; `free`: blocking calls", Promises(
    "czxid", "FIFO", "stop token, before another can hold", ZK_FAILOVER), clusters=True)
CURATOR = Peer("Curator", ZooKeeper, "InterProcessMutex, a thread each client", Promises(
    "by hand: czxid", "FIFO", "connection listener, if one is added", ZK_FAILOVER), clusters=True)
KAZOO = Peer("kazoo", ZooKeeper, "Lock, a thread each client, one Python process", Promises(
    "by hand: czxid", "FIFO", "state listener, if one is added", ZK_FAILOVER), clusters=True)
RAW = Peer("raw C client", ZooKeeper, "the floor: no retries, no own-node watch, no loss", Promises(
    "-", "FIFO", "not at all", ZK_FAILOVER), clusters=True)
ETCD = Peer("etcd", Etcd, "clientv3/concurrency Mutex, lease of 30 s, a connection each client", Promises(
    "by hand: revision", "FIFO", "Session.Done, after the expiry is seen", "yes: majority"), clusters=True)
REDIS_POLL = Peer("Redis, polling", Redis, "SET NX PX 30000, Lua release, tried every 100 ms; hiredis, a thread each client", Promises(
    "no", "none", "not at all", "no: a replica may not have the key"))
REDIS_PUBSUB = Peer("Redis, pub/sub", Redis, "the same, and a published message wakes the waiters, as in Redisson", Promises(
    "no (Redisson: FencedLock)", "none", "not at all", "no: a replica may not have the key"))
PG_ADVISORY = Peer("PostgreSQL advisory", Postgres, "pg_advisory_lock, prepared; libpq, a thread each client", Promises(
    "no", "FIFO", "the next statement fails", "no: locks are not replicated"))
PG_ROW = Peer("PostgreSQL row", Postgres, "BEGIN; SELECT FOR UPDATE in one message; libpq, a thread each client", Promises(
    "not needed for rows of its transaction", "not promised", "the next statement fails", "the transaction is rolled back"))
ALL = [DOCENT, CURATOR, KAZOO, RAW, ETCD, REDIS_POLL, REDIS_PUBSUB, PG_ADVISORY, PG_ROW]


def find_program(build, name):
    for folder, _, files in os.walk(build):  # not rglob(), which fails if a folder disappears meanwhile
        path = os.path.join(folder, name)
        if name in files and os.access(path, os.X_OK):
            return path
    return None


def of_build(build, name, package):
    program = find_program(build, name)
    if not program:
        raise Missing(f"{package}, and a build with it")
    return program


def curator_command(folder):
    if not shutil.which("javac"):
        raise Missing("default-jdk-headless")
    jars = [JARS / f"{name}.jar" for name in CURATOR_JARS]
    for jar in jars:
        if not jar.exists():
            raise Missing("libcurator-recipes-java libslf4j-java")
    jars += [jar for jar in [JARS / "failureaccess.jar"] if jar.exists()]  # part of guava.jar in Debian 12
    class_path = ":".join(map(str, jars))
    subprocess.run(["javac", "-cp", class_path, "-d", str(folder), str(HERE / "peers/CuratorWorkload.java")], check=True)
    return ["java", "-XX:+UseSerialGC", "-cp", f"{folder}:{class_path}", "CuratorWorkload"]


def kazoo_command(_):
    if subprocess.run(["/usr/bin/python3", "-c", "import kazoo"], stderr=subprocess.DEVNULL, check=False).returncode != 0:
        raise Missing("python3-kazoo")
    return ["/usr/bin/python3", str(HERE / "peers/kazoo_workload.py")]


def etcd_command(cache, may_compile):
    program = Path(cache).resolve() / "etcd_workload"
    source = HERE / "peers/etcd/etcd_workload.go"
    if program.exists() and program.stat().st_mtime > source.stat().st_mtime:
        return [str(program)]
    if not may_compile:
        raise Missing("a run of compare.sh without --quick, which compiles etcd's client")
    if not shutil.which("go") or not GO_CLIENT.exists():
        raise Missing("golang-go golang-etcd-server-dev")
    program.parent.mkdir(parents=True, exist_ok=True)
    environment = {"PATH": "/usr/bin:/bin", "GO111MODULE": "off", "GOPATH": "/usr/share/gocode", "GOCACHE": str(program.with_name("go")),
                   "HOME": str(program.parent), "CGO_ENABLED": "0"}
    subprocess.run(["go", "build", "-o", str(program), str(source)], check=True, env=environment)
    return [str(program)]


def prepare(peer, build, folder, cache, quick):
    """Sets the peer's command. Throws Missing."""
    if peer is DOCENT:
        peer.command = [of_build(build, "lock_workload", "docent's benchmarks")]
    elif peer is RAW:
        peer.command = [of_build(build, "raw_workload", "docent's benchmarks")]
    elif peer is CURATOR:
        peer.command = curator_command(folder)
    elif peer is KAZOO:
        peer.command = kazoo_command(folder)
    elif peer is ETCD:
        peer.command = etcd_command(cache, not quick)
    elif peer.servers is Redis:
        peer.command = [of_build(build, "redis_workload", "libhiredis-dev"), "--kind", "poll" if peer is REDIS_POLL else "pubsub"]
    else:
        kind = "advisory" if peer is PG_ADVISORY else "row"
        peer.command = [of_build(build, "postgres_workload", "libpq-dev"), "--kind", kind]


def rtt_command(kind, build):
    """The command that measures a round trip to these servers, with the smallest request of a client."""
    of = {ZooKeeper: RAW, Etcd: ETCD, Redis: REDIS_POLL, Postgres: PG_ADVISORY}[kind]
    return of.command or [of_build(build, "raw_workload", "docent's benchmarks")]
