# SPDX-License-Identifier: Apache-2.0
"""kazoo for docent's tests. It reads commands from standard input, as java/Peer.java does. Peer.java describes the form of
commands and answers.

    open client=NAME connect=STRING
    acquire client=NAME path=PATH kind=KIND [try]   = THREAD ok acquired=true
    release
    contenders                                      = THREAD ok data=ID,ID
    close client=NAME

KIND is Lock, WriteLock or ReadLock. Each THREAD has one lock. The thread's name is the lock's identifier.
"""
import os
import queue
import sys
import threading
import traceback

try:
    from kazoo.client import KazooClient
except ImportError:  # the answer to the first command reports this
    KazooClient = None

# The kinds of docent's nodes that each kind of lock waits for.
DOCENTS = {"Lock": ["lock-"], "WriteLock": ["__READ__", "__WRIT__"], "ReadLock": ["__WRIT__"]}


class Peer:
    def __init__(self):
        self.clients = {}
        self.locks = {}
        self.threads = {}

    def accept(self, line):
        thread, verb, *words = line.split()
        if thread not in self.threads:
            self.threads[thread] = queue.SimpleQueue()
            threading.Thread(target=self.work, args=(thread,), daemon=True).start()
        self.threads[thread].put((verb, dict(word.partition("=")[::2] for word in words)))

    def work(self, thread):
        while True:
            verb, words = self.threads[thread].get()
            try:
                values = getattr(self, verb)(thread, words)
                result = " ".join(["ok"] + ["=".join(pair) for pair in values.items()])
            except Exception as e:
                traceback.print_exc()
                result = "error " + type(e).__name__
            print("= " + thread, result, flush=True)

    def open(self, thread, words):
        if KazooClient is None:
            raise ModuleNotFoundError("kazoo")
        client = KazooClient(hosts=words["connect"], timeout=10)
        client.start(timeout=60)
        self.clients[words["client"]] = client
        return {}

    def close(self, thread, words):
        self.clients[words["client"]].stop()
        return {}

    def acquire(self, thread, words):
        make = getattr(self.clients[words["client"]], words["kind"])
        self.locks[thread] = make(words["path"], thread, extra_lock_patterns=DOCENTS[words["kind"]])
        acquired = self.locks[thread].acquire(blocking="try" not in words)
        return {"acquired": str(acquired).lower()}

    def release(self, thread, words):
        return {"released": str(self.locks[thread].release()).lower()}

    def contenders(self, thread, words):
        return {"data": ",".join(self.locks[thread].contenders())}


if __name__ == "__main__":
    peer = Peer()
    for command in sys.stdin:
        peer.accept(command)
    os._exit(0)  # leaves the sessions open, as a crash does
