#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Computes how many locks and unlocks per second several ensembles serve, because one machine cannot show it.

The model is a closed queueing network, solved exactly by mean value analysis. Each client alternates between a pause and a
cycle at the servers of an ensemble. The pause contains the round trips and the time of the hold. An ensemble serves one cycle
after the other. The hash of a lock's path chooses the ensemble.

usage: model.py [FOLDER]                    writes the plot of benchmarks/README.md, and prints its table
       model.py --fit CYCLE_US PER_S N...   prints predicted rates for N clients, divided by the rate of one client. A client
                                            alone takes CYCLE_US for a cycle. All clients together make PER_S cycles per second
                                            at most.
"""
import sys
import zlib
from pathlib import Path

import plots

PAUSE = 200  # a client's pause, in cycles of an ensemble: 20 ms if an ensemble serves 10 000 cycles per second
CLIENTS = (50, 100, 200, 400, 800, 1600, 3200)
ENSEMBLES = (1, 2, 4, 8)


def cycles_per_time(clients, pause, service=1.0):
    """The rate of cycles of all clients, and the time that a client waits at the servers for a cycle."""
    waiting, rate, response = 0.0, 0.0, service
    for n in range(1, clients + 1):
        response = service * (1 + waiting)
        rate = n / (response + pause)
        waiting = rate * response
    return rate, response


def shards(clients, ensembles):
    """The number of clients of each ensemble, if a hash of the lock's path chooses the ensemble."""
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
    plots.lines(folder / "sharding.svg", "Locks and unlocks, divided by the most of one ensemble (model)", "clients", "one ensemble = 1", curves)
    return None


main()
