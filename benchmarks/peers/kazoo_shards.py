#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Does the same as shard_worker, with kazoo's SetPartitioner. Usage: kazoo_shards.py CONNECT_STRING ID ITEMS"""
import sys
import threading

from kazoo.client import KazooClient


def say(what, items):
    for item in items:
        sys.stdout.write(f"{what} {item}\n")
    sys.stdout.flush()


def main(servers, identifier, count):
    ended = threading.Event()
    threading.Thread(target=lambda: (sys.stdin.read(), ended.set()), daemon=True).start()
    client = KazooClient(hosts=servers, timeout=4)
    client.start()
    mine = []
    partitioner = None
    while not ended.is_set():
        if partitioner is None or partitioner.failed:
            say("end", mine)
            mine = []
            partitioner = client.SetPartitioner("/moves/kazoo", set=[str(n) for n in range(int(count))], identifier=identifier,
                                                time_boundary=2)
        elif partitioner.release:
            say("end", mine)
            mine = []
            partitioner.release_set()
        elif partitioner.acquired:
            if not mine:
                mine = list(partitioner)
                say("begin", mine)
            ended.wait(0.02)
        elif partitioner.allocating:
            partitioner.wait_for_acquire(0.1)
    say("end", mine)
    partitioner.finish()
    client.stop()


main(*sys.argv[1:])
