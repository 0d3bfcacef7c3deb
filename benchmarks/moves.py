#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Counts how 64 shards move among workers, with docent's Partitioner and with kazoo's SetPartitioner.

usage: benchmarks/moves.py [--build BUILD] [--items N] [--workers N] [--stopped SECONDS] [--peers docent,kazoo]

It starts a server and lets the workers settle. Then a worker joins, the worker leaves in order, a worker is stopped for longer
than its session lives and then goes on ("flap"), and a worker is killed. For each change it prints how many shards have another
worker afterwards ("moved"), the fewest possible moves, how often the work on a shard was ended ("stops"), and the longest time
for which a shard had no worker.
"""
import argparse
import pathlib
import signal
import subprocess
import sys
import threading
import time

FOLDER = pathlib.Path(__file__).resolve().parent


class Worker:
    def __init__(self, board, name, command):
        self.board, self.name = board, name
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.reader = threading.Thread(target=self.read, daemon=True)
        self.reader.start()

    def read(self):
        for line in self.process.stdout:
            what, item = line.split()
            self.board.note(self.name, what, item)

    def leave(self):
        self.process.stdin.close()
        self.process.wait()
        self.reader.join()

    def kill(self):
        self.process.kill()
        self.process.wait()
        self.reader.join()
        self.board.forget(self.name)


class Board:
    """The worker of each item, and counts of the changes."""

    def __init__(self, count):
        self.count = count
        self.mutex = threading.Lock()
        self.owners = {}
        self.free_since = {}
        self.reset()

    def reset(self):
        with self.mutex:
            self.stops, self.longest, self.before = 0, 0.0, dict(self.owners)

    def note(self, name, what, item):
        with self.mutex:
            if what == "begin":
                if self.owners.get(item) not in (None, name):
                    print(f"two workers on {item}: {self.owners[item]} and {name}", file=sys.stderr)
                self.owners[item] = name
                if item in self.free_since:
                    self.longest = max(self.longest, time.monotonic() - self.free_since.pop(item))
            elif self.owners.get(item) == name:
                self.end(item)

    def end(self, item):
        del self.owners[item]
        self.stops += 1
        self.free_since[item] = time.monotonic()

    def forget(self, name):
        with self.mutex:
            for item in [item for item, owner in self.owners.items() if owner == name]:
                self.end(item)

    def shares(self):
        with self.mutex:
            shares = {}
            for owner in self.owners.values():
                shares[owner] = shares.get(owner, 0) + 1
            return shares

    def moved(self):
        with self.mutex:
            return sum(1 for item, owner in self.owners.items() if item in self.before and self.before[item] != owner)


def settle(board, workers, quiet=6.0, longest=120.0):
    """Waits until each worker has its share, and nothing has changed for a while."""
    end, since, last = time.monotonic() + longest, time.monotonic(), None
    while time.monotonic() < end:
        shares = board.shares()
        now = (tuple(sorted(shares.items())), board.stops)
        if now != last:
            last, since = now, time.monotonic()
        fair = len(shares) == workers and sum(shares.values()) == board.count
        if fair and time.monotonic() - since > quiet:
            return
        time.sleep(0.05)
    sys.exit(f"the workers do not settle: {board.shares()}")


def run(peer, command, servers, options):
    board = Board(options.items)
    workers = {}

    def start(name):
        workers[name] = Worker(board, name, [*command, servers, name, str(options.items)])

    def change(what, fewest, act):
        board.reset()
        act()
        settle(board, len(workers))
        print(f"{peer:7} {what:6} moved {board.moved():3} of at least {fewest:3}, stops {board.stops:3}, "
              f"longest without a worker {board.longest:5.2f} s", flush=True)

    def flap():
        process = workers["w1"].process
        process.send_signal(signal.SIGSTOP)
        time.sleep(options.stopped)
        process.send_signal(signal.SIGCONT)

    def kill():
        workers.pop("w0").kill()

    names = [f"w{n}" for n in range(options.workers)]
    for name in names:
        start(name)
    settle(board, len(workers))
    join = options.items // (options.workers + 1)
    change("join", join, lambda: start("x"))
    change("leave", board.shares()["x"], lambda: workers.pop("x").leave())
    change("flap", 0, flap)
    change("kill", board.shares()["w0"], kill)
    for worker in workers.values():
        worker.leave()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default=str(FOLDER.parent / "build/release"))
    parser.add_argument("--items", type=int, default=64)
    parser.add_argument("--workers", type=int, default=4)
    parser.add_argument("--stopped", type=float, default=5.0, help="seconds for which the flapping worker stands still")
    parser.add_argument("--peers", default="docent,kazoo")
    options = parser.parse_args()
    commands = {"docent": [f"{options.build}/benchmarks/shard_worker"],
                "kazoo": ["/usr/bin/python3", str(FOLDER / "peers/kazoo_shards.py")]}
    server = subprocess.Popen([f"{options.build}/src/cli/docent", "server", "--port", "0"], stdout=subprocess.PIPE, text=True)
    try:
        servers = next(word for word in server.stdout.readline().replace(",", " ").split() if word.startswith("127.0.0.1:"))
        for peer in options.peers.split(","):
            run(peer, commands[peer], servers, options)
    finally:
        server.terminate()
        server.wait()


main()
