#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Measures fleets of clients on one ZooKeeper server: the load of idle holders beside other clients, sizes of fleets beside a
model, long queues, and starts. See README.md in the folder above."""
import argparse
import math
import os
import queue
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import peers as known  # noqa: E402
from figures import parse  # noqa: E402
from servers import Missing, Process, ZooKeeper  # noqa: E402

WORKS = ("idle", "sizes", "queues", "starts")
HEARTBEATS = ("frequent", "relaxed")
CLIENTS_OF_PROCESS = 1250
STARTS_PER_SECOND = 1000
TICKS = os.sysconf("SC_CLK_TCK")
PAGE = os.sysconf("SC_PAGE_SIZE")
FULL = 0.75  # share of the processors; above this share, answers take much longer

# The requests of an idle holder: heartbeats in a session timeout, and the interval between reads of a watched node, in session
# timeouts. The holder watches two nodes: the node of its lock, and the configuration of the ensemble. It reads a watched node 1
# to 5/4 intervals after the last answer, with the next heartbeat.
BEATS = {"frequent": 16, "relaxed": 16 / 3}
LOOK_INTERVAL = {"frequent": 1, "relaxed": 3}


def requests_of_holder(heartbeats):
    """The average number of requests in a session timeout, as the server counts them."""
    beats = BEATS[heartbeats]
    return beats + 2 / (LOOK_INTERVAL[heartbeats] * 9 / 8 + 1 / beats / 2)


def arguments():
    parser = argparse.ArgumentParser(prog="fleet.sh", description=__doc__)
    numbers = lambda text: [int(each) for each in text.split(",")]  # noqa: E731
    parser.add_argument("--build", default="build/release", help="build folder (default: %(default)s)")
    parser.add_argument("--out", default="build/fleet", help="folder for table.md (default: %(default)s)")
    parser.add_argument("--works", type=lambda text: text.split(","), default=list(WORKS),
                        help="works to run (default: all): " + ", ".join(WORKS))
    parser.add_argument("--sizes", type=numbers, default=[1000, 2500, 5000, 10000],
                        help="clients of a fleet; the model takes the costs from the first two sizes (default: 1000,2500,5000,10000)")
    parser.add_argument("--queues", type=numbers, default=[100, 1000], help="waiters at each of ten locks (default: 100,1000)")
    parser.add_argument("--idle", type=int, default=50, help="idle holders beside Curator and kazoo (default: %(default)s)")
    parser.add_argument("--starts", type=int, default=1000, help="clients that start together (default: %(default)s)")
    parser.add_argument("--session-ms", type=int, default=10000, help="session timeout of a fleet (default: %(default)s)")
    parser.add_argument("--idle-session-ms", type=int, default=4000, help="session timeout of the idle holders (default: %(default)s)")
    parser.add_argument("--seconds", type=int, default=20, help="how long a fleet is measured (default: %(default)s)")
    parser.add_argument("--quick", action="store_true", help="all works, a few seconds each")
    result = parser.parse_args()
    unknown = [work for work in result.works if work not in WORKS]
    if unknown:
        parser.error(f"there is no work {unknown[0]}, but {', '.join(WORKS)}")
    if result.quick:
        result.sizes, result.queues, result.idle, result.starts = [10, 20], [3], 2, 20
        result.session_ms, result.seconds = 4000, 1
    return result


class Sample:
    """The requests that the server has received so far, its processor time and its memory."""

    def __init__(self, server):
        pid = server.processes[0].child.pid
        self.counts = server.counts(server.ports[0])
        self.time = time.monotonic()
        fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
        self.processor = (int(fields[11]) + int(fields[12])) / TICKS  # seconds
        self.kib = int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * PAGE // 1024


class Run:
    """A program of clients. It prints "ready" when its clients have settled, and its figures after the measured time."""

    def __init__(self, command, seconds):
        self.command = command
        self.ends = time.monotonic() + seconds
        self.child = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.lines = queue.Queue()
        threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        for line in self.child.stdout:
            self.lines.put(line)
        self.lines.put("")

    def line(self):
        try:
            line = self.lines.get(timeout=max(self.ends - time.monotonic(), 0))
        except queue.Empty:
            raise RuntimeError(f"took too long: {' '.join(self.command[-16:])}") from None
        if not line:
            raise RuntimeError(f"failed: {' '.join(self.command[-16:])}: {self.child.stderr.read()[-500:]}")
        return line

    def close(self):
        if self.child.poll() is None:
            self.child.kill()  # its child processes end with it
        self.child.wait()


class Fleet:
    def __init__(self, options, folder):
        self.options = options
        self.folder = folder
        self.tables = []
        self.servers = 0
        known.prepare(known.DOCENT, options.build, folder, options.out, options.quick)

    # ---- running

    def server(self):
        self.servers += 1
        return ZooKeeper(self.folder / f"server{self.servers}", 1)

    def words(self, clients, session_ms, settle_ms, ms):
        return ["--work", "holders", "--clients", str(clients), "--session-ms", str(session_ms), "--settle-ms", str(int(settle_ms)), "--ms",
                str(int(ms))]

    def docent(self, clients, heartbeats, session_ms, settle_ms, ms, more=()):
        processes = -(-clients // CLIENTS_OF_PROCESS)
        return [*known.DOCENT.command, *self.words(clients, session_ms, settle_ms, ms), "--heartbeats", heartbeats, "--processes",
                str(processes), *more]

    def measure(self, server, command, settle_ms, ms):
        """Returns figures of the clients, and of the server while the clients hold their locks."""
        empty = Sample(server)
        run = Run([*command, "--connect", f"127.0.0.1:{server.ports[0]}"], settle_ms / 1000 + ms / 1000 + 120)
        try:
            while run.line().strip() != "ready":
                pass
            before = Sample(server)
            time.sleep(ms / 1000 * 0.9)
            after = Sample(server)
            figures = parse(run.line())
        finally:
            run.close()
        seconds = after.time - before.time
        figures["per_s"] = (after.counts["zk_packets_received"] - before.counts["zk_packets_received"]) / seconds
        figures["processors"] = (after.processor - before.processor) / seconds
        figures["empty_kib"], figures["server_kib"] = empty.kib, after.kib
        figures["nodes"] = after.counts["zk_ephemerals_count"]
        figures["outstanding"] = after.counts["zk_outstanding_requests"]
        figures["max_latency_ms"] = after.counts["zk_max_latency"]
        print(" ".join(command[-14:]) + ": " + " ".join(f"{key}={value:g}" for key, value in figures.items()), flush=True)
        return figures

    def table(self, title, heading, rows):
        lines = [f"## {title}", "", "| " + " | ".join(heading) + " |", "|---" + "|---:" * (len(heading) - 1) + "|"]
        lines += ["| " + " | ".join(row) + " |" for row in rows]
        self.tables.append("\n".join(lines) + "\n")

    # ---- works

    def idle(self):
        """Measures the load of idle holders of docent, Curator and kazoo, one after the other, each run on a new server."""
        session = self.options.idle_session_ms
        settles, ms = ([4 * session], 12 * session) if not self.options.quick else ([2000, 8000, 32000], 1000)  # a busy machine needs longer
        count = self.options.idle
        commands = {f"docent, {kind}": lambda settle, kind=kind: self.docent(count, kind, session, settle, ms) for kind in HEARTBEATS}
        for peer in (known.CURATOR, known.KAZOO):
            try:
                known.prepare(peer, self.options.build, self.folder, self.options.out, self.options.quick)
                commands[peer.name] = lambda settle, peer=peer: [*peer.command, *self.words(count, session, settle, ms)]
            except Missing as missing:
                print(f"{peer.name} is left out; missing: {missing}", flush=True)
        rates = {}
        for name, command in commands.items():
            for settle in settles:
                server = self.server()  # sessions of the previous run may still live in its server
                try:
                    figures = self.measure(server, command(settle), settle, ms)
                finally:
                    server.close()
                if figures["held"] == count:
                    break
            else:
                raise RuntimeError(f"{name}: {figures['held']:.0f} of {count} clients hold their locks, so their requests are not comparable")
            rates[name] = figures["per_s"] * session / 1000 / count
        curator = rates.get(known.CURATOR.name)
        predicted = {f"docent, {kind}": requests_of_holder(kind) for kind in HEARTBEATS}
        rows = [[name, f"{rate:.2f}", f"{predicted[name]:.2f}" if name in predicted else "", f"{rate / curator:.2f}" if curator else ""]
                for name, rate in rates.items()]
        self.table(f"Requests of an idle holder in a session timeout of {session / 1000:g} s", ["Client", "measured", "model", "by Curator's"],
                   rows)

    def sizes(self):
        """Fleets of several sizes, beside a model that takes the costs from the first two sizes."""
        session = self.options.session_ms
        rows = []
        for heartbeats in HEARTBEATS:
            costs = Costs(heartbeats, session)
            for clients in self.options.sizes:
                ramp = 1000 * clients // STARTS_PER_SECOND
                settle, ms = (ramp + 4 * session, 1000 * self.options.seconds) if not self.options.quick else (2000, 1000)
                server = self.server()
                try:
                    figures = self.measure(server, self.docent(clients, heartbeats, session, settle, ms, ["--ramp-ms", str(ramp)]), settle, ms)
                except RuntimeError as failure:
                    if self.options.quick:
                        raise  # nothing may break in such a small fleet
                    rows.append([heartbeats, str(clients), *[""] * 7, str(failure)[:100]])
                    break
                finally:
                    server.close()
                rows.append([heartbeats, str(clients), *costs.beside(clients, figures), what_broke(clients, figures)])
            if costs.known():
                print(f"{heartbeats}: the model fills {FULL:g} of {os.cpu_count()} processors at {costs.most():.0f} clients")
        self.table(f"Holders on one server, session timeout {session / 1000:g} s",
                   ["Heartbeats", "clients", "requests/s", "model", "processors", "model", "server MiB", "model", "KiB a client", "what broke"],
                   rows)

    def queues(self):
        """Measures waiters at ten locks: first while no holder releases, then while holders take turns of a millisecond."""
        session, locks = self.options.session_ms, 10
        rows = []
        for waiters in self.options.queues:
            for hold_us in (0, 1000):
                clients = waiters * locks
                ramp = 2 * 1000 * clients // STARTS_PER_SECOND
                settle, ms = (ramp + 2 * session, 1000 * self.options.seconds) if not self.options.quick else (2000, 1000)
                more = ["--locks", str(locks), "--hold-us", str(hold_us), "--ramp-ms", str(ramp)]
                server = self.server()
                try:
                    figures = self.measure(server, self.docent(clients, "relaxed", session, settle, ms, more), settle, ms)
                    rows.append([f"{locks} x {waiters}", "no" if hold_us == 0 else "yes", f"{figures['nodes']:.0f}", f"{figures['turns_per_s']:.0f}",
                                 f"{figures['per_s']:.0f}", f"{figures['processors']:.2f}", f"{figures['server_kib'] / 1024:.0f}",
                                 f"{figures['kib_per_client']:.0f}", what_broke(clients, figures, held=locks if hold_us == 0 else 0)])
                except RuntimeError as failure:
                    if self.options.quick:
                        raise  # nothing may break with so few waiters
                    rows.append([f"{locks} x {waiters}", "no" if hold_us == 0 else "yes", *[""] * 6, str(failure)[:100]])
                finally:
                    server.close()
        self.table("Waiters at ten locks of one server, relaxed heartbeats",
                   ["Locks and waiters", "turns of 1 ms", "nodes", "turns/s", "requests/s", "processors", "server MiB", "KiB a client",
                    "what broke"], rows)

    def starts(self):
        """Measures how fast connections arrive when all clients start at once, and when their server restarts. The kernel
        counts the connections."""
        clients, session = self.options.starts, self.options.session_ms
        rows = []
        for heartbeats in HEARTBEATS:
            server = self.server()
            settle = 15000 if not self.options.quick else 3000
            command = self.docent(clients, heartbeats, session, settle, 60000)
            run = Run([*command, "--connect", f"127.0.0.1:{server.ports[0]}"], settle / 1000 + 180)
            try:
                rows.append([heartbeats, "start", *arrivals(server, clients, settle / 1000)])
                while run.line().strip() != "ready":
                    pass
                again = server.processes[0].child.args
                server.processes[0].close()
                time.sleep(1)
                server.processes[0] = Process(again, server.folder / "log-again")
                rows.append([heartbeats, "server restarts", *arrivals(server, clients, 30)])
            finally:
                run.close()
                server.close()
        self.table(f"{clients} clients connect to one server at once",
                   ["Heartbeats", "when", "connected", "most in 100 ms", "90 % within ms"], rows)


class Costs:
    """The model of a server's costs: straight lines through the figures of the first two fleets. The figures of the first fleet
    include the costs of a server without clients. The number of a client's requests is known without a measurement."""

    def __init__(self, heartbeats, session_ms):
        self.rate_of_client = requests_of_holder(heartbeats) * 1000 / session_ms
        self.fleets = []

    def known(self):
        return len(self.fleets) == 2 and self.slope("processors") > 0

    def slope(self, key):
        (few, before), (many, after) = self.fleets
        return (after[key] - before[key]) / (many - few)

    def predicted(self, key, clients):
        return self.fleets[0][1][key] + self.slope(key) * (clients - self.fleets[0][0])

    def most(self):
        few, before = self.fleets[0]
        return few + (FULL * os.cpu_count() - before["processors"]) / self.slope("processors")

    def beside(self, clients, figures):
        """Returns the figures of a fleet, each beside the model's figure. A figure that the model does not know is empty."""
        known = self.known()
        if len(self.fleets) < 2:
            self.fleets.append((clients, figures))
        return [f"{figures['per_s']:.0f}", f"{clients * self.rate_of_client:.0f}",
                f"{figures['processors']:.2f}", f"{self.predicted('processors', clients):.2f}" if known else "",
                f"{figures['server_kib'] / 1024:.0f}", f"{self.predicted('server_kib', clients) / 1024:.0f}" if known else "",
                f"{figures['kib_per_client']:.0f}"]


def what_broke(clients, figures, held=None):
    held = clients if held is None else held
    faults = []
    if figures["held"] < held:
        faults.append(f"{held - figures['held']:.0f} locks lost or not granted")
    if figures["losses"]:
        faults.append(f"{figures['losses']:.0f} sessions lost")
    if figures["presumed"]:
        faults.append(f"{figures['presumed']:.0f} losses presumed")
    if figures["reconnects"]:
        faults.append(f"{figures['reconnects']:.0f} reconnects")
    if figures["failed"]:
        faults.append(f"{figures['failed']:.0f} clients failed")
    return "; ".join(faults) or f"nothing; slowest answer {figures['max_latency_ms']:.0f} ms"


def connections(port):
    """The number of connections to a port of this machine, as the kernel counts them. The server may be too busy to answer."""
    local, established = f":{port:04X}", "01"
    count = 0
    for table in ("/proc/net/tcp", "/proc/net/tcp6"):
        try:
            lines = Path(table).read_text().splitlines()[1:]
        except OSError:
            continue
        count += sum(1 for fields in map(str.split, lines) if fields[1].endswith(local) and fields[3] == established)
    return count


def arrivals(server, clients, seconds):
    """Watches the connections to a server until all clients are connected. Returns their number, the most connections that came
    in 100 ms, and the time in which 90 % of the clients came."""
    came = []  # the time at which each count of connections was first reached
    end = time.monotonic() + seconds
    while time.monotonic() < end and len(came) < clients:
        count = connections(server.ports[0])
        came += [time.monotonic()] * (count - len(came))
        time.sleep(0.005)
    most = max((sum(1 for other in came if first <= other < first + 0.1) for first in came), default=0)
    nearly = came[math.ceil(0.9 * clients) - 1] if len(came) >= 0.9 * clients else None
    return [str(len(came)), str(most), f"{(nearly - came[0]) * 1000:.0f}" if nearly else ""]


def main():
    options = arguments()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # the exit ends all programs that run
    memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    folder = Path(tempfile.mkdtemp(prefix="docent-fleet-", dir=memory))
    out = Path(options.out)
    out.mkdir(parents=True, exist_ok=True)
    try:
        fleet = Fleet(options, folder)
        for work in options.works:
            getattr(fleet, work)()
            (out / "table.md").write_text("\n".join(fleet.tables))
        print("\n" + "\n".join(fleet.tables) + f"\n{out}/table.md")
        return 0
    except Missing as missing:
        print(f"fleet.sh: missing (Debian's names): {missing}", file=sys.stderr)
        return 64
    except RuntimeError as failure:
        print(f"fleet.sh: {failure}", file=sys.stderr)
        return 1
    finally:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())
