# SPDX-License-Identifier: Apache-2.0
"""Takes turns with kazoo.cpp, or with: docent lock /examples/kazoo --kazoo -- CMD

Usage: python3 kazoo_turns.py CONNECT_STRING
"""
import sys

from kazoo.client import KazooClient

zk = KazooClient(hosts=sys.argv[1])
zk.start()
zk.ensure_path("/examples/kazoo")
lock = zk.Lock("/examples/kazoo", "somebody in Python", extra_lock_patterns=["lock-"])
with lock:
    print("it is our turn; in the queue:", lock.contenders())
zk.stop()
