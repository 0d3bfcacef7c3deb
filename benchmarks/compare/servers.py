# SPDX-License-Identifier: Apache-2.0
"""The servers of a run: on free ports of the loopback, with data in memory. They are ended by process id."""
import os
import pwd
import re
import shutil
import signal
import socket
import subprocess
import time
import urllib.request
from pathlib import Path

STARTING_TAKES = 60  # seconds at most
ANSWERING_TAKES = 20  # seconds at most
NEEDED_NUMBERS = {"zk_packets_received", "zk_outstanding_requests", "zk_ephemerals_count", "zk_max_latency"}
JARS = Path("/usr/share/java")


class Missing(Exception):
    """Names the missing packages of Debian."""


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Process:
    """A program that runs until close()."""

    def __init__(self, command, log, cwd=None):
        self.log = Path(log)
        with open(self.log, "wb") as out:
            self.child = subprocess.Popen(command, stdout=out, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, cwd=cwd)

    def await_(self, ready, what):
        end = time.monotonic() + STARTING_TAKES
        while not ready():
            if self.child.poll() is not None or time.monotonic() > end:
                raise RuntimeError(f"{what} did not start: {self.log.read_text(errors='replace')[-500:]}")
            time.sleep(0.05)

    def close(self):
        if self.child.poll() is None:
            self.child.send_signal(signal.SIGTERM)
            try:
                self.child.wait(10)
            except subprocess.TimeoutExpired:
                self.child.kill()
        self.child.wait()


def answers(port):
    try:
        socket.create_connection(("127.0.0.1", port), 1).close()
        return True
    except OSError:
        return False


class Servers:
    """Servers of one kind: a single server, or a cluster."""

    def __init__(self, folder, count):
        self.folder = Path(folder)
        self.folder.mkdir()
        self.ports = [free_port() for _ in range(count)]
        self.processes = []

    def start(self, commands, ready, cwd=None):
        for i, command in enumerate(commands):
            self.processes.append(Process(command, self.folder / f"log{i}", cwd))
        for i, process in enumerate(self.processes):
            process.await_(lambda port=self.ports[i]: ready(port), self.name)

    def requests(self):
        """The number of requests that all servers have received so far; None if they do not count them."""
        return None

    def close(self):
        for process in self.processes:
            process.close()
        shutil.rmtree(self.folder, ignore_errors=True)


class ZooKeeper(Servers):
    name = "zookeeper"
    jars = ["zookeeper", "slf4j-simple"]
    tls = []  # lines of the configuration

    def __init__(self, folder, count):
        if not (JARS / "zookeeper.jar").exists():
            raise Missing("libzookeeper-java")
        super().__init__(folder, count)
        self.prepare()
        members = [f"server.{i + 1}=127.0.0.1:{free_port()}:{free_port()}" for i in range(count)] if count > 1 else []
        self.start([self.command(i, port, members) for i, port in enumerate(self.ports)], lambda port: "zk_version" in self.mntr(port))

    def command(self, index, port, members):
        folder = self.folder / f"server{index}"
        (folder / "data").mkdir(parents=True)
        (folder / "data" / "myid").write_text(f"{index + 1}\n")
        lines = [f"dataDir={folder / 'data'}", f"clientPort={port}", "clientPortAddress=127.0.0.1", "tickTime=2000", "initLimit=10",
                 "syncLimit=5", "maxClientCnxns=0", "clientPortListenBacklog=1000", "admin.enableServer=false",
                 "4lw.commands.whitelist=*", *self.tls, *members]
        (folder / "zoo.cfg").write_text("\n".join(lines) + "\n")
        return ["java", "-Xmx512m", "-XX:+UseSerialGC", "-Dorg.slf4j.simpleLogger.defaultLogLevel=warn", "-cp",
                ":".join(str(JARS / f"{name}.jar") for name in self.jars), "org.apache.zookeeper.server.quorum.QuorumPeerMain",
                str(folder / "zoo.cfg")]

    def prepare(self):
        """Runs before the start. For subclasses."""

    @staticmethod
    def mntr(port):
        try:
            with socket.create_connection(("127.0.0.1", port), 5) as connection:
                connection.sendall(b"mntr")
                return b"".join(iter(lambda: connection.recv(65536), b"")).decode()
        except OSError:
            return ""

    def counts(self, port):
        """The numbers of mntr. A busy server may send no answer or a part of it. Then this asks again."""
        end = time.monotonic() + ANSWERING_TAKES
        while True:
            numbers = {name: int(number) for name, number in re.findall(r"(zk_\w+)\s+(\d+)\s", self.mntr(port))}
            if NEEDED_NUMBERS <= numbers.keys():
                return numbers
            if time.monotonic() > end:
                raise RuntimeError(f"the server on port {port} has not answered mntr for {ANSWERING_TAKES} s, so its requests are not known")
            time.sleep(0.1)

    def requests(self):
        return sum(self.counts(port)["zk_packets_received"] for port in self.ports)

    def version(self):
        return re.search(r"zk_version\s+([\w.]+)", self.mntr(self.ports[0])).group(1)


class ZooKeeperWithTls(ZooKeeper):
    """One server that also has a port for TLS. Netty serves both ports."""

    name = "zookeeper-tls"
    jars = [*ZooKeeper.jars, "netty-codec", "netty-resolver"]  # zookeeper.jar does not name the last two

    def prepare(self):
        if not shutil.which("openssl"):
            raise Missing("openssl")
        self.tls_port = free_port()
        key, certificate, both = (self.folder / f"{name}.pem" for name in ("key", "certificate", "both"))
        # One certificate is for the server, for its clients, and for the authority.
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2", "-subj",
                        "/CN=benchmark", "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", str(key), "-out", str(certificate)],
                       check=True, stderr=subprocess.DEVNULL)
        both.write_text(key.read_text() + certificate.read_text())
        self.tls = ["serverCnxnFactory=org.apache.zookeeper.server.NettyServerCnxnFactory", f"secureClientPort={self.tls_port}",
                    "secureClientPortAddress=127.0.0.1", f"ssl.keyStore.location={both}", "ssl.keyStore.type=PEM",
                    f"ssl.trustStore.location={certificate}", "ssl.trustStore.type=PEM"]
        self.client_options = ["--tls-ca", str(certificate), "--tls-cert", str(both)]


class Etcd(Servers):
    name = "etcd"

    def __init__(self, folder, count):
        if not shutil.which("etcd"):
            raise Missing("etcd-server")
        super().__init__(folder, count)
        peers = [f"http://127.0.0.1:{free_port()}" for _ in self.ports]
        cluster = ",".join(f"s{i}={url}" for i, url in enumerate(peers))
        self.start([["etcd", "--name", f"s{i}", "--data-dir", str(self.folder / f"data{i}"), "--log-level", "error",
                     "--listen-client-urls", f"http://127.0.0.1:{port}", "--advertise-client-urls", f"http://127.0.0.1:{port}",
                     "--listen-peer-urls", peers[i], "--initial-advertise-peer-urls", peers[i], "--initial-cluster", cluster]
                    for i, port in enumerate(self.ports)], lambda port: '"health":"true"' in self.get(port, "health"))

    @staticmethod
    def get(port, page):
        try:
            return urllib.request.urlopen(f"http://127.0.0.1:{port}/{page}", timeout=5).read().decode()
        except OSError:
            return ""

    def requests(self):
        return sum(float(line.split()[-1]) for port in self.ports for line in self.get(port, "metrics").splitlines()
                   if line.startswith("grpc_server_msg_received_total"))

    def version(self):
        return re.search(r'"etcdserver":"([^"]+)"', self.get(self.ports[0], "version")).group(1)


class Redis(Servers):
    name = "redis"

    def __init__(self, folder, count):
        if not shutil.which("redis-server"):
            raise Missing("redis-server")
        super().__init__(folder, count)
        self.start([["redis-server", "--port", str(port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no", "--dir",
                     str(self.folder)] for port in self.ports], answers)

    def version(self):
        out = subprocess.run(["redis-server", "--version"], capture_output=True, text=True, check=True).stdout
        return re.search(r"v=([\d.]+)", out).group(1)


class Postgres(Servers):
    name = "postgresql"

    def __init__(self, folder, count):
        found = sorted(Path("/usr/lib/postgresql").glob("*/bin/postgres"))
        if not found:
            raise Missing("postgresql")
        super().__init__(folder, count)
        self.program = found[-1]
        user = []
        if os.getuid() == 0:  # PostgreSQL refuses to run as root
            try:
                owner = pwd.getpwnam("postgres")
            except KeyError:
                raise Missing("postgresql") from None
            os.chown(self.folder, owner.pw_uid, owner.pw_gid)
            user = ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"]
        data = self.folder / "data"
        subprocess.run([*user, str(self.program.with_name("initdb")), "-D", str(data), "-U", "postgres", "-A", "trust", "-N"],
                       check=True, stdout=subprocess.DEVNULL, cwd=self.folder)
        self.start([[*user, str(self.program), "-D", str(data), "-p", str(port), "-c", "listen_addresses=127.0.0.1", "-c",
                     "unix_socket_directories=", "-c", "max_connections=100"] for port in self.ports], answers, self.folder)
        end = time.monotonic() + STARTING_TAKES
        while "ready to accept" not in self.processes[0].log.read_text(errors="replace") and time.monotonic() < end:
            time.sleep(0.05)

    def version(self):
        out = subprocess.run([str(self.program), "--version"], capture_output=True, text=True, check=True).stdout
        return re.search(r"(\d+\.\d+)", out).group(1)


class Delay:
    """Proxies to servers that delay all bytes in both directions."""

    def __init__(self, program, folder, ports, one_way_ms):
        self.processes = []
        self.ports = list(ports)
        if one_way_ms == 0:
            return
        for i, port in enumerate(ports):
            process = Process([program, str(port), str(one_way_ms)], Path(folder) / f"proxy-{port}-{one_way_ms}")
            self.processes.append(process)
            process.await_(lambda log=process.log: log.read_text().endswith("\n"), "the proxy")
            self.ports[i] = int(process.log.read_text())

    def connect(self):
        return ",".join(f"127.0.0.1:{port}" for port in self.ports)

    def close(self):
        for process in self.processes:
            process.close()
