# SPDX-License-Identifier: Apache-2.0
"""Plots of a comparison, by gnuplot, as SVG."""
import shutil
import subprocess

from peers import DOCENT
from works import CONTENDED, QUEUES

STYLE = """set terminal svg size {width},360 dynamic font 'sans,12' background '#ffffff'
set output '{file}'
set title {title}
set grid ytics lc rgb '#dddddd'
set border 3 lc rgb '#888888'
set tics nomirror
"""

# A colour for each of nine curves: gnuplot's default colours repeat after eight.
COLOURS = ["#000000", "#e69f00", "#56b4e9", "#009e73", "#cc2f2f", "#0072b2", "#d55e00", "#cc79a7", "#7a5c00"]


def quoted(text):
    return "'" + text.replace("'", "''") + "'"


def block(name, lines):
    return f"${name} << END\n" + "\n".join(lines) + "\nEND\n"


def cell(value):
    return "NaN" if value is None else f"{value:.3f}"


def bars(file, title, label, columns, rows):
    """Groups of bars: `rows` are (name, values)."""
    if not any(value is not None for _, values in rows for value in values):
        return
    shown = [i for i in range(len(columns)) if any(values[i] is not None for _, values in rows)]
    script = STYLE.format(width=760, file=file, title=quoted(title))
    script += block("data", [f'"{name}" ' + " ".join(cell(value) for value in values) for name, values in rows])
    script += f"set ylabel {quoted(label)}\nset yrange [0:*]\nset style data histogram\nset style histogram clustered gap 1\n"
    script += "set style fill solid 0.8 noborder\nset xtics rotate by -30\nset key top left\n"
    script += "plot " + ", ".join(f"$data using {i + 2}:xtic(1) title {quoted(columns[i])}" for i in shown)
    run(script)


def lines(file, title, xlabel, ylabel, curves):
    """Curves are (name, points); the x axis is logarithmic."""
    if not curves:
        return
    script = STYLE.format(width=760, file=file, title=quoted(title))
    for i, (_, points) in enumerate(curves):
        script += block(f"curve{i}", [f"{x} {cell(y)}" for x, y in points])
    script += f"set xlabel {quoted(xlabel)}\nset ylabel {quoted(ylabel)}\nset logscale x\nset yrange [0:*]\nset key outside right\n"
    ticks = sorted({x for _, points in curves for x, _ in points})
    script += "set xtics (" + ", ".join(map(str, ticks)) + ")\n"
    script += "plot " + ", ".join(f"$curve{i} using 1:2 with linespoints lw 2 pt {4 + i} ps 0.6 "
                                  f"lc rgb '{COLOURS[i % len(COLOURS)]}' title {quoted(name)}"
                                  for i, (name, _) in enumerate(curves))
    run(script)


def run(script):
    subprocess.run(["gnuplot"], input=script + "\n", text=True, check=True)


def draw(comparison, rows):
    if not shutil.which("gnuplot"):
        print("no plots; missing: gnuplot-nox")
        return
    out = comparison.out
    ways = sorted({way for servers, way, _ in rows if servers == 1})
    if not ways:
        return
    slowest = [row for servers, way, row in rows if servers == 1 and way == ways[-1]]
    named = f"{ways[-1]} ms each way" if ways[-1] else "loopback"
    bars(out / "round-trips.svg", f"Round trips, one server, {named}", "round trips", ["acquire", "hand-off"],
         [(row.peer, [row.acquire, row.handoff]) for row in slowest])
    most = max(servers for servers, _, _ in rows)
    far_ensemble = [row for servers, way, row in rows if servers == most and way == ways[-1]]
    if most > 1:
        bars(out / "round-trips-ensemble.svg", f"Round trips, {most} servers, {named}", "round trips", ["acquire", "hand-off"],
             [(row.peer, [row.acquire, row.handoff]) for row in far_ensemble])
    nearest = [row for servers, way, row in rows if servers == 1 and way == ways[0]]
    bars(out / "requests.svg", "Requests per lock and unlock", "requests", ["free", "10 clients"],
         [(row.peer, [row.requests_free, row.requests_contended]) for row in nearest])
    for name, way_rows, where in (("contended", nearest, "loopback" if ways[0] == 0 else f"{ways[0]} ms each way"),
                                  ("contended-far", slowest if len(ways) > 1 else [], named)):
        curves = [(row.peer, list(zip(CONTENDED, row.turns))) for row in way_rows if any(turn is not None for turn in row.turns)]
        lines(out / f"{name}.svg", f"Turns per second, relative to docent; {where}", "clients", "docent = 1", curves)
    queue = [(n, comparison.figures.ratio((1, 0, DOCENT.name, f"queue{n}", "per_s"), (1, 0, DOCENT.name, "queue100", "per_s")))
             for n in QUEUES]
    if all(ratio is not None for _, ratio in queue):
        lines(out / "queue.svg", "Turns per second of one long queue, divided by turns of 100 waiters", "waiters", "100 waiters = 1",
              [("docent", queue)])
