#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Compares the locks of several systems in one run, on servers that it starts. See README.md in the folder above."""
import argparse
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import peers as known  # noqa: E402
import report  # noqa: E402
from figures import Figures, parse  # noqa: E402
from servers import Delay, Missing, ZooKeeper, ZooKeeperWithTls  # noqa: E402
from works import (LOCAL_HANDOVERS, TLS_ONE_WAY_MS, does, kept_works, lock_kind, own_works, pairs, sizes, tls_works,  # noqa: E402
                   works)

RUN_TAKES = 120  # seconds at most


def arguments():
    parser = argparse.ArgumentParser(prog="compare.sh", description=__doc__)
    numbers = lambda text: [int(each) for each in text.split(",")]  # noqa: E731
    names = lambda text: text.split(",")  # noqa: E731
    parser.add_argument("--build", default="build/release", help="build folder (default: %(default)s)")
    parser.add_argument("--out", default="build/compare", help="folder for the table, CSV files and plots (default: %(default)s)")
    parser.add_argument("--cache", default="build/compare", help="folder in which etcd's client is compiled once (default: %(default)s)")
    parser.add_argument("--rounds", type=int, default=3, help="how often everything runs (default: %(default)s)")
    parser.add_argument("--pairs", type=int, default=10,
                        help="how often docent and its yardsticks take turns on loopback, and docent with TLS and docent without TLS "
                             "(default: %(default)s)")
    parser.add_argument("--ways", type=numbers, default=[0, 1, 10], help="delays each way, in ms (default: 0,1,10)")
    parser.add_argument("--servers", type=numbers, default=[1, 3], help="sizes of ensembles (default: 1,3)")
    parser.add_argument("--peers", type=names, help="peers to run (default: all): " + ", ".join(peer.name for peer in known.ALL))
    parser.add_argument("--works", type=names,
                        help="works to run (default: all): free, semaphore, handoff, latch, contended2, contended10, contended50, own, "
                             "kept, pairs, tls")
    parser.add_argument("--quick", action="store_true", help="run each work once, for a short time, and leave out missing peers")
    parser.add_argument("--installed", action="store_true", help="install nothing, and leave out missing peers")
    result = parser.parse_args()
    if result.quick:
        result.rounds, result.pairs, result.ways, result.servers = 1, 1, [0], [1]
    return result


class Comparison:
    def __init__(self, options, folder):
        self.options = options
        self.folder = folder
        self.out = Path(options.out)
        self.out.mkdir(parents=True, exist_ok=True)
        self.peers = self.find_peers()
        self.figures = Figures(self.out / "runs.csv")
        self.versions = {}
        self.failures = []

    def find_peers(self):
        present = []
        wanted = self.options.peers
        for peer in known.ALL:
            if wanted and peer.name not in wanted:
                continue
            try:
                known.prepare(peer, self.options.build, self.folder, self.options.cache, self.options.quick)
                present.append(peer)
            except Missing as missing:
                if not (self.options.quick or self.options.installed):
                    raise
                print(f"{peer.name} is left out; missing: {missing}", flush=True)
        return present

    def wants(self, work):
        return not self.options.works or work in self.options.works

    def run(self):
        if known.DOCENT in self.peers and self.wants("tls"):
            self.run_tls()
        for count in [] if self.options.works == ["tls"] else self.options.servers:
            peers = [peer for peer in self.peers if count == 1 or peer.clusters]
            servers = self.start_servers({peer.servers for peer in peers}, count)
            try:
                self.warm_up(peers, servers)
                for round_ in range(self.options.rounds):
                    for one_way_ms in self.options.ways:
                        self.run_way(round_, count, one_way_ms, [peer for peer in peers if peer.servers in servers], servers)
                    if count == 1 and self.wants("own"):
                        self.run_direct(round_, servers, own_works(self.options.quick))
                if count == 1 and 0 in self.options.ways and self.wants("pairs"):
                    self.run_pairs(servers)
            finally:
                for each in servers.values():
                    each.close()
        self.figures.close()

    def start_servers(self, kinds, count):
        servers = {}
        try:
            for kind in sorted(kinds, key=lambda kind: kind.name):
                try:
                    servers[kind] = kind(self.folder / f"{kind.name}{count}", count)
                except Missing as missing:
                    if not (self.options.quick or self.options.installed):
                        raise
                    print(f"{kind.name} is left out; missing: {missing}", flush=True)
                    continue
                self.versions[kind.name] = servers[kind].version()
        except BaseException:
            for each in servers.values():
                each.close()
            raise
        return servers

    def warm_up(self, peers, servers):
        """Warms up each server. A server that has just started would be slow for the first peer."""
        for kind, server in servers.items():
            peer = next(peer for peer in peers if peer.servers is kind)
            self.warm_up_with(peer.command, server.ports)

    def warm_up_with(self, command, ports):
        self.measure([*command, "--connect", ",".join(f"127.0.0.1:{port}" for port in ports), "--work", "contended", "--clients", "10",
                      "--warmup-ms", "0", "--ms", "100" if self.options.quick else "5000"])

    def run_way(self, round_, count, one_way_ms, peers, servers):
        proxy = known.of_build(self.options.build, "delay_proxy", "docent's benchmarks")
        ways = {}
        try:
            for kind in {peer.servers for peer in peers}:
                ways[kind] = Delay(proxy, self.folder, servers[kind].ports, one_way_ms)
                rtt = self.measure([*known.rtt_command(kind, self.options.build), "--connect", ways[kind].connect(), "--work", "rtt",
                                    "--n", str(sizes(one_way_ms, self.options.quick).rtts)])
                self.figures.add(round_, count, one_way_ms, kind.name, "rtt", rtt)
            for work, words in works(one_way_ms, count, self.options.quick).items():
                if not self.wants(work):
                    continue
                for peer in (peer for peer in peers if does(peer.name, work)):
                    self.run_work(round_, count, one_way_ms, peer, servers[peer.servers], ways[peer.servers], work, words)
            if count == 1 and known.DOCENT in peers and self.wants("kept"):
                self.run_all(round_, one_way_ms, ways[ZooKeeper].connect(), kept_works(one_way_ms, self.options.quick))
        finally:
            for way in ways.values():
                way.close()

    def run_work(self, round_, count, one_way_ms, peer, servers, way, work, words):
        before = servers.requests()
        figures = self.measure([*peer.command, "--connect", way.connect(), *lock_kind(peer.name, work), *words])
        after = servers.requests()
        cycles = figures.get("turns") or figures.get("n", 0) + figures.get("warmup", 0)
        if before is not None and cycles and work != "latch":  # a run of latch contains more than these cycles
            figures["requests"] = (after - before) / cycles
        self.note(round_, count, one_way_ms, peer.name, work, figures)

    def run_pairs(self, servers):
        """Reverses the order in each second pair, so that no peer has an advantage by its place."""
        for pair in range(self.options.pairs):
            for first, group in pairs(self.options.quick):
                in_turn = group if pair % 2 == 0 else group[::-1]
                self.run_direct(self.options.rounds + pair, servers, [first, *in_turn] if first else in_turn)

    def run_tls(self):
        """Measures docent with TLS and docent without TLS in turn, on a server for this purpose, with a round trip of 1 ms."""
        for server in self.start_servers({ZooKeeperWithTls}, 1).values():
            proxy = known.of_build(self.options.build, "delay_proxy", "docent's benchmarks")
            ends = [("plain", server.ports[0], []), ("tls", server.tls_port, server.client_options)]
            delays = []
            try:
                for _, port, options in ends:
                    self.warm_up_with([*known.DOCENT.command, *options], [port])
                    delays.append(Delay(proxy, self.folder, [port], TLS_ONE_WAY_MS))
                ways = [(name, delay, options) for (name, _, options), delay in zip(ends, delays)]
                both, only_tls = tls_works(self.options.quick)
                for pair in range(self.options.pairs):
                    for name, way, options in ways if pair % 2 == 0 else ways[::-1]:
                        for work, words in both.items():
                            self.run_work(pair, 1, TLS_ONE_WAY_MS, known.DOCENT, server, way, f"{work}-{name}", [*words, *options])
                for work, words in only_tls.items():
                    name, way, options = ways[1]
                    self.run_work(0, 1, TLS_ONE_WAY_MS, known.DOCENT, server, way, f"{work}-{name}", [*words, *options])
            finally:
                for delay in delays:
                    delay.close()
                server.close()

    def run_direct(self, round_, servers, works_of_all):
        if ZooKeeper in servers:
            self.run_all(round_, 0, f"127.0.0.1:{servers[ZooKeeper].ports[0]}", works_of_all)

    def run_all(self, round_, one_way_ms, connect, works_of_all):
        """Runs the works of the present peers, one after the other, on one server."""
        present = {peer.name: peer for peer in self.peers}
        for name, work, words in works_of_all:
            if name not in present:
                continue
            figures = self.measure([*present[name].command, "--connect", connect, *words])
            if work is not None:
                self.note(round_, 1, one_way_ms, name, work, figures)

    def note(self, round_, count, one_way_ms, name, work, figures):
        """Prints, stores and checks the figures of a run."""
        values = " ".join(f"{key}={value:g}" for key, value in figures.items())
        print(f"round {round_ + 1}: {count} server(s), {one_way_ms} ms, {name}, {work}: {values}", flush=True)
        self.figures.add(round_, count, one_way_ms, name, work, figures)
        if figures.get("overlaps"):
            self.failures.append(f"{name}: two clients held the lock at once: {work}")
        if work == "local-two-processes" and figures.get("most_in_a_row", 0) > 1 + LOCAL_HANDOVERS:
            self.failures.append(f"{figures['most_in_a_row']:.0f} turns in a row while others waited: {work}")

    def measure(self, command):
        """Returns the figures of a run. A failed run has no figures, and the comparison fails in the end."""
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=RUN_TAKES, check=True)
            return parse(done.stdout)
        except subprocess.TimeoutExpired:
            self.failures.append(f"took longer than {RUN_TAKES} s: {' '.join(command[-12:])}")
        except subprocess.CalledProcessError as failed:
            self.failures.append(f"failed: {' '.join(command[-12:])}: {failed.stderr[-300:]}")
        print(self.failures[-1], flush=True)
        return {}


def main():
    options = arguments()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # the exit ends all programs that run
    memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    folder = Path(tempfile.mkdtemp(prefix="docent-compare-", dir=memory))
    folder.chmod(0o711)  # PostgreSQL runs as another user
    begin = time.monotonic()
    try:
        comparison = Comparison(options, folder)
        comparison.run()
        report.write(comparison, time.monotonic() - begin, "memory" if memory else "files")
        for failure in comparison.failures:
            print(failure, file=sys.stderr)
        print(f"{comparison.out}/table.md, {comparison.out}/summary.csv, {comparison.out}/runs.csv")
        return 1 if comparison.failures else 0
    except Missing as missing:
        print(f"compare.sh: missing (Debian's names): {missing}", file=sys.stderr)
        return 64
    finally:
        shutil.rmtree(folder, ignore_errors=True)


sys.exit(main())
