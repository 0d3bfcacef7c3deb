#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Does the same as lock_workload, with kazoo's Lock. Prints one line of key=value figures.

kazoo_workload.py --connect H:P --work free --n N [--warmup N]
kazoo_workload.py --connect H:P --work contended --clients N [--hold-us N] [--pause-us N] --ms N [--warmup-ms N]
kazoo_workload.py --connect H:P --work holders --clients N [--session-ms N] [--settle-ms N] --ms N
"""
import sys
import threading
import time

from kazoo.client import KazooClient


class Durations:
    """Durations in seconds. Prints their 50th and 99th percentiles in microseconds."""

    def __init__(self, name):
        self.name = name
        self.values = []

    def at(self, fraction):
        ordered = sorted(self.values)
        return ordered[min(len(ordered) - 1, int(len(ordered) * fraction))] * 1e6 if ordered else 0

    def __str__(self):
        return f"{self.name}_p50_us={self.at(0.5):.0f} {self.name}_p99_us={self.at(0.99):.0f}"


def connect(options):
    client = KazooClient(hosts=options["connect"], timeout=int(options.get("session-ms", 30000)) / 1000)
    client.start()
    return client


def free(options):
    count, warmup = int(options["n"]), int(options.get("warmup", 10))
    client = connect(options)
    lock = client.Lock("/benchmark/kazoo-free", "kazoo")
    acquires, releases = Durations("acquire"), Durations("release")
    for i in range(-warmup, count):
        begin = time.perf_counter()
        lock.acquire()
        acquired = time.perf_counter()
        lock.release()
        if i >= 0:
            acquires.values.append(acquired - begin)
            releases.values.append(time.perf_counter() - acquired)
    client.stop()
    return f"n={count} warmup={warmup} {acquires} {releases}"


def holders(options):
    """Sessions that each hold a lock and do nothing else."""
    locks = [connect(options).Lock(f"/benchmark/fleet/{i}", "kazoo") for i in range(int(options["clients"]))]
    held = sum(lock.acquire() for lock in locks)
    time.sleep(int(options.get("settle-ms", 5000)) / 1000)
    print("ready", flush=True)
    time.sleep(int(options["ms"]) / 1000)
    for lock in locks:
        lock.client.stop()
    return f"clients={len(locks)} held={held}"


class Contest:
    """Clients that take turns, each with a session."""

    def __init__(self, options):
        self.clients = [connect(options) for _ in range(int(options["clients"]))]
        self.hold_us = int(options.get("hold-us", 0))
        self.length = int(options["ms"]) / 1000
        self.begin = time.perf_counter() + int(options.get("warmup-ms", 500)) / 1000
        self.end = self.begin + self.length
        self.handoffs = Durations("handoff")
        self.turns = self.all_turns = self.inside = self.overlaps = 0
        self.pause_us = int(options.get("pause-us", 0))
        self.released = self.last = None
        self.again = 0

    def take_turns(self, client):
        lock = client.Lock("/benchmark/kazoo-contended", "kazoo")
        while time.perf_counter() < self.end:
            lock.acquire()
            granted = time.perf_counter()
            self.inside += 1
            self.overlaps += self.inside != 1
            self.all_turns += 1
            if self.begin <= granted < self.end:
                self.turns += 1
                if self.last is client:
                    self.again += 1
                elif self.released is not None:
                    self.handoffs.values.append(granted - self.released)
            if self.hold_us:
                time.sleep(self.hold_us / 1e6)
            self.inside -= 1
            self.last, self.released = client, time.perf_counter()
            lock.release()
            if self.pause_us:
                time.sleep(self.pause_us / 1e6)

    def run(self):
        threads = [threading.Thread(target=self.take_turns, args=(client,)) for client in self.clients]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for client in self.clients:
            client.stop()
        return (f"clients={len(self.clients)} hold_us={self.hold_us} per_s={self.turns / self.length:.1f} {self.handoffs} "
                f"overlaps={self.overlaps} turns={self.all_turns} again={self.again / max(self.turns, 1):.3f}")


def main():
    names, values = sys.argv[1::2], sys.argv[2::2]
    options = {name[2:]: value for name, value in zip(names, values)}
    works = {"free": free, "contended": lambda options: Contest(options).run(), "holders": holders}
    print(f"peer=kazoo work={options['work']} {works[options['work']](options)}")


main()
