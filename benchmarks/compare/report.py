# SPDX-License-Identifier: Apache-2.0
"""Table, CSV and plots of a comparison."""
import csv
import platform
import statistics

import plots
from peers import ALL, CURATOR, DOCENT, RAW
from works import CONTENDED, LOCAL_HANDOVERS, QUEUES, TLS_ONE_WAY_MS

INTRODUCTION = """\
Medians of {rounds} round(s) on {machine}. In each round, all peers ran one after the other. The servers' data was in {place}.
On loopback, docent and its yardsticks (Curator, the raw C client, and docent's hand-offs by nodes) took turns {pairs} time(s)
more.

Acquire, release and hand-off are in round trips: the time of the smallest request to that server. A release ends with the
server's answer. A hand-off lasts from the call of release to the next client's grant, with three clients, so that a client
always waits. Requests are the requests of a lock and unlock. The columns that name only a number of clients have turns per second
without a pause between turns, divided by docent's: 0.50 is half as many. Again: the share of the turns of 10 clients that went
to the client of the previous turn, while other clients waited."""

HEADER = ("| | acquire | release | hand-off | requests, free | requests, 10 clients | " +
          " | ".join(f"{clients} clients" for clients in CONTENDED) + " | again |\n|---|" + "---:|" * (6 + len(CONTENDED)) + "\n")


def number(value, digits=2, none=""):
    return none if value is None else f"{value:.{digits}f}"


class Row:
    """A peer behind one delay: round trips, requests, and turns divided by docent's turns."""

    def __init__(self, figures, servers, one_way_ms, peer):
        where = (servers, one_way_ms)
        rtt = figures.median(*where, peer.servers.name, "rtt", "rtt_p50_us")

        def in_rtt(work, key):
            value = figures.median(*where, peer.name, work, key)
            return value / rtt if value is not None and rtt else None

        self.peer = peer.name
        self.acquire = in_rtt("free", "acquire_p50_us")
        self.release = in_rtt("free", "release_p50_us")
        self.handoff = in_rtt("handoff", "handoff_p50_us")
        # Only on loopback: there a run has so many cycles that the requests of the connection do not matter.
        self.requests_free = figures.median(*where, peer.name, "free", "requests") if one_way_ms == 0 else None
        self.requests_contended = figures.median(*where, peer.name, "contended10", "requests") if one_way_ms == 0 else None
        self.again = figures.median(*where, peer.name, "contended10", "again")
        self.turns = [figures.ratio((*where, peer.name, f"contended{clients}", "per_s"),
                                    (*where, DOCENT.name, f"contended{clients}", "per_s")) for clients in CONTENDED]

    def is_empty(self):
        return all(value is None for value in self.values())

    def values(self):
        return [self.acquire, self.release, self.handoff, self.requests_free, self.requests_contended, *self.turns]

    def line(self):
        first = [number(value) for value in self.values()[:3]]
        requests = [number(value, 1) for value in self.values()[3:5]]
        return "| " + " | ".join([self.peer, *first, *requests, *(number(value) for value in self.turns),
                                  "" if self.again is None else f"{100 * self.again:.0f} %"]) + " |\n"


def way_name(servers, one_way_ms):
    way = "on loopback" if one_way_ms == 0 else f"{one_way_ms} ms each way"
    return f"{'One server' if servers == 1 else f'{servers} servers'}, {way}"


def write_ways(out, comparison):
    figures = comparison.figures
    rows = []
    for servers in comparison.options.servers:
        for one_way_ms in comparison.options.ways:
            way = [Row(figures, servers, one_way_ms, peer) for peer in comparison.peers if servers == 1 or peer.clusters]
            way = [row for row in way if not row.is_empty()]
            if not way:
                continue
            out.write(f"## {way_name(servers, one_way_ms)}\n\n{HEADER}{''.join(row.line() for row in way)}\n")
            rows += [(servers, one_way_ms, row) for row in way]
    return rows


def criteria():
    """docent's goals: words, the bound, and two figures. The first figure is divided by the second."""
    for clients, least in zip(CONTENDED, (2.2, 2.5, 2.5)):
        key = (f"contended{clients}", "per_s")
        yield (f"{clients} clients: docent's turns per second, divided by Curator's", f"at least {least}", (1, 0, DOCENT.name, *key),
               (1, 0, CURATOR.name, *key))
    for clients in CONTENDED:
        key = (f"cold{clients}", "per_s")
        yield (f"the same, processes that have just started, {clients} clients", "", (1, 0, DOCENT.name, *key), (1, 0, CURATOR.name, *key))
    blocking, coroutine, floor = ((1, 0, name, work, "cycle_us") for name, work in
                                  ((DOCENT.name, "own-free"), (DOCENT.name, "coroutine"), (RAW.name, "own-free")))
    yield "a free cycle, blocking: docent's time, divided by the raw C client's", "at most 1.1", blocking, floor
    yield "the same by a coroutine", "", coroutine, floor
    yield "time of the blocking cycle, divided by the coroutine's", "at most 1.05", blocking, coroutine
    for work, words, wanted in (("many", "1000 locks side by side", "at least 0.9"),
                                ("transaction", "1000 guarded transactions side by side", "at least 0.9")):
        yield f"{words}: docent's rate, divided by the raw C client's", wanted, (1, 0, DOCENT.name, work, "per_s"), (1, 0, RAW.name, work, "per_s")
        yield ("the same: processor time of the client, divided by the raw C client's", "", (1, 0, DOCENT.name, work, "processor_us"),
               (1, 0, RAW.name, work, "processor_us"))
    for waiters in QUEUES[1:]:
        wanted = "at least 0.8" if waiters == 3000 else ""
        yield (f"{waiters} waiters of one client: turns per second, divided by turns of 100 waiters", wanted,
               (1, 0, DOCENT.name, f"queue{waiters}", "per_s"), (1, 0, DOCENT.name, "queue100", "per_s"))


def write_pairs(out, comparison, work, halves, words):
    """Writes two figures of docent and two of Curator, in round trips."""
    ways = [(servers, way) for servers in comparison.options.servers for way in comparison.options.ways if way > 0]
    for servers, way in ways:
        rtt = comparison.figures.median(servers, way, "zookeeper", "rtt", "rtt_p50_us")
        found = []
        for peer in (DOCENT, CURATOR):
            pair = [comparison.figures.median(servers, way, peer.name, work, f"{half}_p50_us") for half in halves]
            if rtt and None not in pair:
                found.append(f"{peer.name} {pair[0] / rtt:.2f} and {pair[1] / rtt:.2f}")
        if found:
            out.write(words.format(way_name(servers, way)) + f": {'; '.join(found)}.\n\n")


def write_criteria(out, figures):
    out.write("## docent beside Curator and the floor\n\n| | wanted | median | lowest to highest | pairs |\n|---|---|---:|---|---:|\n")
    for words, wanted, mine, theirs in criteria():
        ratios = figures.ratios(mine, theirs)
        if ratios:
            out.write(f"| {words} | {wanted} | {figures.ratio(mine, theirs):.2f} | {ratios[0]:.2f} to {ratios[-1]:.2f} | {len(ratios)} |\n")
    for waiters in QUEUES:
        kib = figures.median(1, 0, DOCENT.name, f"queue{waiters}", "kib_per_waiter")
        if kib is not None:
            out.write(f"| {waiters} waiters of one client: memory each, KiB | | {kib:.2f} | | |\n")
    out.write("\n")


def recall_cells(figures, where, kind):
    """The round trips that a recall takes more than a free lock, and the time of the recall divided by Curator's free mutex."""
    rtt = figures.median(*where, "zookeeper", "rtt", "rtt_p50_us")
    more = figures.median(*where, DOCENT.name, f"recall-{kind}", "more_us")
    curators = figures.ratio((*where, DOCENT.name, f"recall-{kind}", "recalled_p50_us"), (*where, CURATOR.name, "free", "acquire_p50_us"))
    return (number(more / rtt) if rtt and more is not None else "", number(curators))


def kept_rows(figures, ways):
    """Words, the goal, and a cell for each delay."""
    local = (DOCENT.name, "local", "per_s")
    far = [way for way in ways if way > 0]  # on loopback, most of the time would be the scheduler's
    for kind, words in (("mutex", "a kept mutex"), ("read", "kept readers by a writer")):
        cells = {way: recall_cells(figures, (1, way), kind) for way in far}
        yield f"recall of {words}: round trips more than a free lock", "at most 2.1", {way: cell[0] for way, cell in cells.items()}
        yield "its time, divided by the time of Curator's free lock", "", {way: cell[1] for way, cell in cells.items()}
    for kind, words, wanted in (("mutex", "kept mutex, one thread", "1 000 000"), ("read", "kept read lock, 8 threads", "4 000 000"),
                                ("read-one-object", "kept read lock, 8 threads by one lock object", "4 000 000")):
        work = (DOCENT.name, f"kept-{kind}", "per_s")
        rates = {way: figures.median(1, way, *work) for way in ways}
        yield f"{words}: locks and unlocks per second", f"at least {wanted}", {way: number(rate, 0) for way, rate in rates.items()}
        cycles = {way: figures.median(1, way, CURATOR.name, "free", "cycle_us") for way in ways}
        yield "the same, divided by the rate of Curator's free lock, one thread", "", {
            way: number(rates[way] * cycles[way] / 1e6, 0) for way in ways if rates[way] and cycles[way]}
    handed_on = {way: figures.ratio((1, way, DOCENT.name, "local-handed-on", "per_s"), (1, way, *local)) for way in ways}
    yield "16 threads that hand on in memory: turns per second, divided by turns by nodes", "at least 200", {
        way: number(ratio, 0) for way, ratio in handed_on.items()}
    floor = {way: figures.ratio((1, way, DOCENT.name, "local-handed-on", "per_s"), (1, way, RAW.name, "turns", "per_s")) for way in ways}
    yield "the same, divided by turns of 16 threads that only wake each other, without a lock", "", {
        way: number(ratio) for way, ratio in floor.items()}
    two = (DOCENT.name, "local-two-processes")
    apart = {way: figures.ratio((1, way, *two, "per_s"), (1, way, *local)) for way in ways}
    yield "the same with two processes, divided by turns by nodes", "", {way: number(ratio, 1) for way, ratio in apart.items()}
    rows = {way: figures.rows.get((1, way, *two, "most_in_a_row")) for way in ways}
    yield "most turns of one process in a row", f"at most {1 + LOCAL_HANDOVERS}", {way: f"{max(row):.0f}" for way, row in rows.items() if row}


def write_kept(out, comparison):
    ways = comparison.options.ways
    if 1 not in comparison.options.servers or not comparison.wants("kept") or DOCENT not in comparison.peers:
        return
    names = " | ".join("loopback" if way == 0 else f"{way} ms each way" for way in ways)
    out.write(f"## Locks that stay with their process\n\n| | wanted | {names} |\n|---|---|{'---:|' * len(ways)}\n")
    for words, wanted, cells in kept_rows(comparison.figures, ways):
        if any(cells.values()):
            out.write(f"| {words} | {wanted} | " + " | ".join(cells.get(way, "") for way in ways) + " |\n")
    out.write("\n")


def write_tls(out, figures):
    """docent with TLS beside docent without, in round trips of the server without TLS."""
    def of(work):
        return (1, TLS_ONE_WAY_MS, DOCENT.name, work)

    ratios = figures.ratios((*of("free-tls"), "cycle_us"), (*of("free-plain"), "cycle_us"))
    rtt = figures.median(*of("rtt-plain"), "exists_p50_us")
    if not ratios or not rtt:
        return
    out.write(f"## TLS, a round trip of {2 * TLS_ONE_WAY_MS:g} ms\n\nA free cycle with TLS takes {statistics.median(ratios):.2f} of the time "
              f"without (wanted: at most 1.1; {ratios[0]:.2f} to {ratios[-1]:.2f} in {len(ratios)} pairs).\n\n"
              "| | round trips: acquire | release | exists | requests of a cycle |\n|---|---:|---:|---:|---:|\n")
    for name, words in (("plain", "without TLS"), ("tls", "with TLS")):
        times = [figures.median(*of(f"free-{name}"), f"{half}_p50_us") for half in ("acquire", "release")]
        times.append(figures.median(*of(f"rtt-{name}"), "exists_p50_us"))
        cells = [number(time / rtt) if time is not None else "" for time in times]
        out.write(f"| {words} | {' | '.join(cells)} | {number(figures.median(*of(f'free-{name}'), 'requests'))} |\n")
    reconnects, resumed = (figures.median(*of("reconnect-tls"), key) for key in ("reconnects", "resumed"))
    if reconnects is not None:
        out.write(f"\n{resumed:.0f} of {reconnects:.0f} reconnects resumed the session of TLS. The server decides about that.\n")
    out.write("\n")


def write_promises(out, comparison):
    out.write("## What each peer promises\n\n"
              "| | fencing token | order | how a holder learns of a loss | fail-over | used as |\n|---|---|---|---|---|---|\n")
    for peer in ALL:
        if peer in comparison.peers:
            p = peer.promises
            out.write(f"| {peer.name} | {p.token} | {p.order} | {p.told} | {p.failover} | {peer.settings} |\n")
    versions = ", ".join(f"{name} {version}" for name, version in sorted(comparison.versions.items()))
    out.write(f"\nServers: {versions}.\n")


def write(comparison, seconds, place):
    figures = comparison.figures
    with open(comparison.out / "table.md", "w", encoding="utf-8") as out:
        out.write("# Comparison of locks\n\n" + INTRODUCTION.format(
            rounds=comparison.options.rounds, pairs=comparison.options.pairs, machine=platform.machine(), place=place) + "\n\n")
        rows = write_ways(out, comparison)
        write_pairs(out, comparison, "semaphore", ("acquire", "release"), "A free semaphore, {}: round trips to acquire and release")
        write_pairs(out, comparison, "latch", ("lead", "handoff"),
                    "A leader latch, {}: round trips until a single latch leads, and until the next latch leads after the leader resigns")
        write_criteria(out, figures)
        write_kept(out, comparison)
        write_tls(out, figures)
        write_promises(out, comparison)
    with open(comparison.out / "summary.csv", "w", newline="", encoding="utf-8") as out:
        writer = csv.writer(out)
        writer.writerow(["servers", "one_way_ms", "peer", "acquire_rtt", "release_rtt", "handoff_rtt", "requests_free",
                         "requests_10_clients", *(f"turns_of_docent_{clients}_clients" for clients in CONTENDED), "again_10_clients"])
        for servers, one_way_ms, row in rows:
            writer.writerow([servers, one_way_ms, row.peer, *(number(value, 3) for value in [*row.values(), row.again])])
    plots.draw(comparison, rows)
    print(f"{seconds / 60:.1f} min")
