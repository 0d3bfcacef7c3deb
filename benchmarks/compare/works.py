# SPDX-License-Identifier: Apache-2.0
"""The works of each peer, and their lengths."""
from dataclasses import dataclass

CONTENDED = (2, 10, 50)
QUEUES = (100, 1000, 3000, 10000)  # waiters of one client
LOCAL_HANDOVERS = 100
KEEP = ["--keep-ms", "60000"]
TLS_ONE_WAY_MS = 0.5  # a round trip of 1 ms
DOCENT, CURATOR, RAW = "docent", "Curator", "raw C client"


@dataclass
class Sizes:
    cycles: int      # of a free lock
    warm_cycles: int
    ms: int          # the time in which turns count
    warm_ms: int
    rtts: int


def sizes(one_way_ms, quick):
    if quick:
        return Sizes(20, 5, 300, 100, 20)
    if one_way_ms == 0:
        return Sizes(1500, 1500, 2500, 2000, 500)
    if one_way_ms < 5:
        return Sizes(150, 150, 2000, 1500, 100)
    return Sizes(30, 15, 2500, 1500, 30)


def works(one_way_ms, servers, quick):
    """Name and arguments of each work, in the order in which they run."""
    size = sizes(one_way_ms, quick)
    window = ["--ms", str(size.ms), "--warmup-ms", str(size.warm_ms)]
    contended = CONTENDED if servers == 1 else (10,)
    hold_us = 20000 if quick else max(120000, 8000 * one_way_ms)  # all other clients queue by then, and are served (etcd: 100 ms)
    handoff_ms = size.ms if quick else 4000
    result = {"free": ["--work", "free", "--n", str(size.cycles), "--warmup", str(size.warm_cycles)]}
    result["semaphore"] = result["free"]
    if one_way_ms > 0 or quick:  # on loopback, most of the time would be the scheduler's
        result["handoff"] = ["--work", "contended", "--clients", "3", "--hold-us", str(hold_us), "--pause-us", str(hold_us // 2),
                             "--ms", str(handoff_ms), "--warmup-ms", str(size.warm_ms)]
        if servers == 1:
            result["latch"] = ["--work", "latch", "--n", "3" if quick else "20", "--warmup", "1" if quick else "5",
                               "--settle-ms", str(30 if quick else 100 + 12 * one_way_ms)]
    for clients in contended:
        result[f"contended{clients}"] = ["--work", "contended", "--clients", str(clients), *window]
    return result


def own_works(quick):
    """Works of docent alone, and of processes that have just started: (peer, name, arguments), in the order of the runs."""
    window = ["--ms", "300" if quick else "3000", "--warmup-ms", "100" if quick else "1500"]
    result = []
    for clients in [2] if quick else CONTENDED:  # a process that has just started: nothing is compiled yet
        cold = ["--work", "contended", "--clients", str(clients), "--ms", "300" if quick else "1500", "--warmup-ms", "0"]
        result += [(peer, f"cold{clients}", cold) for peer in (DOCENT, CURATOR)]
    for waiters in [20] if quick else QUEUES:
        result.append((DOCENT, f"queue{waiters}", ["--work", "queue", "--n", str(waiters), *window]))
    return result


def pairs(quick):
    """Works for docent's goals on loopback, where two runs of a program differ by a third. Each entry has a first run, or None,
    and a group of runs that are compared: (peer, name, arguments). The first run has no name and does not count. It warms up the
    server, which needs seconds until it is fast with a thousand requests at a time."""
    size = sizes(0, quick)
    window = ["--ms", str(size.ms), "--warmup-ms", str(size.warm_ms)]
    long_window = window if quick else ["--ms", "6000", "--warmup-ms", "1500"]  # a thousand turns come at once, a few times a second
    side_by_side = "50" if quick else "1000"
    free = ["--n", str(size.cycles), "--warmup", str(size.warm_cycles)]
    result = [(None, [(DOCENT, "own-free", ["--work", "free", "--kind", "mutex", *free]), (RAW, "own-free", ["--work", "free", *free]),
                      (DOCENT, "coroutine", ["--work", "coroutine", *free])])]
    for work, count in (("many", "--locks"), ("transaction", "--n")):
        words = ["--work", work, count, side_by_side]
        first = (DOCENT, None, [*words, "--ms", str(size.ms), "--warmup-ms", "0"])
        result.append((first, [(peer, work, [*words, *long_window]) for peer in (DOCENT, RAW)]))
    for clients in [2] if quick else CONTENDED:
        contended = ["--work", "contended", "--clients", str(clients), *window]
        result.append((None, [(peer, f"contended{clients}", contended) for peer in (DOCENT, CURATOR)]))
    result.append((None, local_works(window)))
    return result


def local_works(window):
    """Threads of one process take turns: with hand-offs by nodes, with hand-offs in memory, and without a lock."""
    local = ["--work", "local", "--threads", "16", *window]
    return [(DOCENT, "local", local), (DOCENT, "local-handed-on", [*local, "--local-handovers", str(LOCAL_HANDOVERS)]),
            (RAW, "turns", ["--work", "turns", "--threads", "16", *window])]


def kept_works(one_way_ms, quick):
    """Works with nodes that a process keeps or that its threads share, and the system's time to wake the next thread: (peer,
    name, arguments)."""
    size = sizes(one_way_ms, quick)
    window = ["--ms", str(size.ms), "--warmup-ms", str(size.warm_ms)]
    result = local_works(window)
    _, _, handed_on = result[1]
    result.append((DOCENT, "local-two-processes", [*handed_on, "--processes", "2"]))
    for kind, threads in (("mutex", 1), ("read", 8)):
        result += [(DOCENT, f"recall-{kind}", ["--work", "recall", "--kind", kind, "--n", str(size.cycles), *KEEP]),
                   (DOCENT, f"kept-{kind}", ["--work", "kept", "--kind", kind, "--threads", str(threads), *KEEP, *window])]
    result.append((DOCENT, "kept-read-one-object", ["--work", "kept", "--kind", "read", "--threads", "8", "--objects", "one", *KEEP, *window]))
    return result


def tls_works(quick):
    """Arguments by name: works that docent runs with and without TLS, and works that it runs only with TLS."""
    cycles = ["--n", "20", "--warmup", "5"] if quick else ["--n", "500", "--warmup", "300"]
    both = {"rtt": ["--work", "rtt", "--n", "20" if quick else "200"], "free": ["--work", "free", *cycles]}
    return both, {"reconnect": ["--work", "reconnect", "--n", "3" if quick else "20"]}


def lock_kind(peer_name, work):
    """The option for the kind of lock, for programs that know several kinds."""
    if peer_name not in (DOCENT, CURATOR):
        return []
    return {"free": ["--kind", "mutex"], "semaphore": ["--kind", "semaphore"]}.get(work, [])


def does(peer_name, work):
    """Only docent and Curator have a semaphore and a leader latch."""
    return work not in ("semaphore", "latch") or peer_name in (DOCENT, CURATOR)
