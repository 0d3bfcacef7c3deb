#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""How many locks and unlocks per second ensembles serve, where one machine cannot show it.

A closed queueing network, solved exactly by mean value analysis: each client goes round between a pause (its round trips, and how long
it holds) and the servers of its lock's ensemble, which take one cycle after the other. A path belongs to one ensemble, by its hash.

usage: model.py [FOLDER]                    the plot of benchmarks/README.md, and its table
       model.py --fit CYCLE_US PER_S N...   predicted rates for N clients, in that of one: one of them alone takes CYCLE_US for a
                                            cycle, and all together make PER_S at most
"""
import sys
import zlib
from pathlib import Path

import plots

PAUSE = 200  # of a client, in the time that servers take for one cycle: 20 ms where one ensemble serves 10 000 cycles per second
CLIENTS = (50, 100, 200, 400, 800, 1600, 3200)
ENSEMBLES = (1, 2, 4, 8)


def cycles_per_time(clients, pause, service=1.0):
    """What so many clients get done, and how long each waits at the servers for a cycle."""
    waiting, rate, response = 0.0, 0.0, service
    for n in range(1, clients + 1):
        response = service * (1 + waiting)
        rate = n / (response + pause)
        waiting = rate * response
    return rate, response


def shards(clients, ensembles):
    """How many clients each ensemble gets when a hash of the lock's path says where it lives."""
    counts = [0] * ensembles
    for i in range(clients):
        counts[zlib.crc32(f"/locks/{i}".encode()) % ensembles] += 1
    return counts


def sharded(clients, ensembles, pause):
    return sum(cycles_per_time(count, pause)[0] for count in shards(clients, ensembles))


def fit(words):
    cycle, most, counts = float(words[0]) / 1e6, float(words[1]), [int(word) for word in words[2:]]
    service = 1 / most
    alone = cycles_per_time(1, cycle - service, service)[0]
    for count in counts:
        print(f"clients={count} predicted={cycles_per_time(count, cycle - service, service)[0] / alone:.2f}")


def main():
    if len(sys.argv) > 1 and sys.argv[1] == "--fit":
        return fit(sys.argv[2:])
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else ".")
    curves = []
    print("| clients | " + " | ".join(f"{k} ensemble{'s' if k > 1 else ''}" for k in ENSEMBLES) + " | wait, one ensemble |")
    print("|---:|" + "---:|" * (len(ENSEMBLES) + 1))
    for clients in CLIENTS:
        rates = [sharded(clients, k, PAUSE) for k in ENSEMBLES]
        print(f"| {clients} | " + " | ".join(f"{rate:.2f}" for rate in rates) + f" | {cycles_per_time(clients, PAUSE)[1]:.0f} |")
    for k in ENSEMBLES:
        curves.append((f"{k} ensemble{'s' if k > 1 else ''}", [(n, sharded(n, k, PAUSE)) for n in CLIENTS]))
    plots.lines(folder / "sharding.svg", "Locks and unlocks, in what one ensemble can serve (model)", "clients", "of one ensemble", curves)
    return None


main()
