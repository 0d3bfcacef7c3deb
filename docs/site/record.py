#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Records what docent shows on a terminal, as an SVG that plays in a browser.

usage: record.py DOCENT demo|top OUTPUT.svg

It runs the real command. `demo` is docent demo. `top` is docent top, on a server that this script starts. Other commands take
locks, a semaphore and an election there. Needs python3-pyte, and the interpreter of Debian's packages."""

import contextlib
import dataclasses
import fcntl
import html
import os
import pathlib
import pty
import re
import select
import shlex
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import time

import pyte

CELL_WIDTH, CELL_HEIGHT, FONT_SIZE = 7.83, 17, 13
MARGIN, TITLE_HEIGHT = 14, 30
HOLD = 5.0  # seconds for which the last screen stays before the recording begins again
COLOURS = {"default": "#d5dee6", "black": "#5c6b78", "red": "#f2777a", "green": "#8fce7f", "brown": "#f2c35d", "blue": "#6db7ec",
           "magenta": "#d59ae0", "cyan": "#6fd3d3", "white": "#ffffff"}
BACKGROUND, BAR = "#10212e", "#1b3346"


@dataclasses.dataclass(frozen=True)
class Scene:
    """A recording: the command, the size of its terminal, and the keys to type with their times in seconds."""
    words: tuple
    columns: int
    lines: int
    keys: tuple = ()


DOWN, ENTER, ESCAPE = b"\x1bOB", b"\r", b"\x1b"
LEAVE_SCREEN = b"\x1b[?1049l"
SCENES = {"demo": Scene(("demo",), 106, 38),
          "top": Scene(("top",), 94, 14, ((3.0, DOWN), (4.5, ENTER), (10.5, ESCAPE), (13.0, b"q")))}

# These commands run again and again while docent top is recorded.
CONTENDERS = [
    *(f"lock /jobs/import --label db{i}:import -- sleep 1.3" for i in range(1, 5)),
    *(f"semaphore /licences/cad --permits 2 --label ws{i} -- sleep 2.1" for i in range(1, 6)),
    *(f"read-lock /shared/config --label app{i} -- sleep 1.7" for i in range(1, 4)),
    "write-lock /shared/config --label admin -- sleep 0.8",
    *(f"elect /app/leader --id web{i} -- sleep 600" for i in range(1, 4)),
]


def record(scene, environment):
    """The screens of a run: time in seconds, and lines of spans (column, text, colour, background, bold)."""
    screen = pyte.Screen(scene.columns, scene.lines)
    stream = pyte.ByteStream(screen)
    if scene.lines > 24:
        stream.feed(f"$ docent {' '.join(scene.words)}\r\n".encode())
    child, terminal = pty.fork()
    if child == 0:
        time.sleep(0.1)  # until the terminal has its size
        os.execvpe("docent", ["docent", *scene.words], environment)
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", scene.lines, scene.columns, 0, 0))
    begin = time.monotonic()
    keys = list(scene.keys)
    found = [(0.0, picture(screen))]
    while True:
        while keys and keys[0][0] <= time.monotonic() - begin:
            os.write(terminal, keys.pop(0)[1])
        if not select.select([terminal], [], [], 0.05)[0]:
            continue
        data = read(terminal)
        stream.feed(data.split(LEAVE_SCREEN)[0])  # keeps the last picture of a program that uses the whole screen
        if found[-1][1] != picture(screen):
            found.append((time.monotonic() - begin, picture(screen)))
        if not data or LEAVE_SCREEN in data:
            break
    _, status = os.waitpid(child, 0)
    if status != 0:
        sys.exit(f"docent {' '.join(scene.words)} ended with {os.waitstatus_to_exitcode(status)}")
    return found


def read(terminal):
    """The new output of the command; nothing after its end."""
    try:
        return os.read(terminal, 65536)
    except OSError:
        return b""


def picture(screen):
    return tuple(spans(screen, line) for line in range(screen.lines))


def spans(screen, line):
    """The text of a line in parts, each with one style. Blank parts are left out."""
    result = []
    for column in range(screen.columns):
        cell = screen.buffer[line][column]
        front, back = cell.fg, cell.bg
        if cell.reverse:
            front, back = (BACKGROUND if back == "default" else back), ("white" if front == "default" else front)
        if result and result[-1][2:] == (front, back, cell.bold):
            result[-1] = (result[-1][0], result[-1][1] + cell.data, front, back, cell.bold)
        else:
            result.append((column, cell.data, front, back, cell.bold))
    return tuple(trimmed(span) for span in result if span[1].strip() or span[3] != "default")


def trimmed(span):
    column, text, front, back, bold = span
    if back != "default":
        return span
    return (column + len(text) - len(text.lstrip()), text.strip(), front, back, bold)


def colour(name, default):
    return default if name == "default" else COLOURS.get(name, name if name.startswith("#") else f"#{name}")


def shown(text):
    """Text for SVG. No-break spaces replace the spaces, because viewers join several spaces."""
    return html.escape(text, quote=False).replace(" ", "\u00a0")


def drawn(line, row):
    """A line of a screen as SVG."""
    result = []
    for column, text, front, back, bold in line:
        x, y = MARGIN + column * CELL_WIDTH, TITLE_HEIGHT + MARGIN + row * CELL_HEIGHT
        width = len(text) * CELL_WIDTH
        if back != "default":
            result.append(f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{CELL_HEIGHT}" fill="{colour(back, "")}"/>')
        style = f' fill="{colour(front, "")}"' if front != "default" else ""
        style += ' font-weight="bold"' if bold else ""
        result.append(f'<text x="{x:.1f}" y="{y + FONT_SIZE:.1f}" textLength="{width:.1f}"{style}>{shown(text)}</text>')
    return "".join(result)


def periods(found):
    """Row, line, and begin and end of its display. The end is None for a line that stays."""
    for row in range(len(found[0][1])):
        begin, line = 0.0, found[0][1][row]
        for time_, lines in found[1:]:
            if lines[row] != line:
                if line:
                    yield row, line, begin, time_
                begin, line = time_, lines[row]
        if line:
            yield row, line, begin, None


def svg(scene, found):
    """The recording as SVG. A viewer that cannot play it shows the last screen."""
    width = 2 * MARGIN + scene.columns * CELL_WIDTH
    height = TITLE_HEIGHT + 2 * MARGIN + scene.lines * CELL_HEIGHT
    title = "docent " + " ".join(scene.words)
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" width="{width:.0f}" height="{height:.0f}" '
             f'role="img" aria-label="{title} on a terminal">',
             "<!-- SPDX-License-Identifier: Apache-2.0 -->",
             f"<!-- Written by docs/site/record.py from a run of {title}. -->",
             f'<rect width="100%" height="100%" rx="8" fill="{BACKGROUND}"/>',
             f'<path d="M0 {TITLE_HEIGHT}V8a8 8 0 0 1 8-8H{width - 8:.0f}a8 8 0 0 1 8 8V{TITLE_HEIGHT}z" fill="{BAR}"/>',
             '<circle cx="18" cy="15" r="5" fill="#f2777a"/><circle cx="36" cy="15" r="5" fill="#f2c35d"/>'
             '<circle cx="54" cy="15" r="5" fill="#8fce7f"/>',
             f'<text x="{width / 2:.0f}" y="19.5" text-anchor="middle" fill="#9fb3c2" font-family="sans-serif" font-size="12">{title}</text>',
             f'<rect width="0" height="0"><animate id="t" attributeName="x" from="0" to="0" begin="0s;t.end" '
             f'dur="{found[-1][0] + HOLD:.1f}s"/></rect>',
             f'<g font-family="\'DejaVu Sans Mono\', Menlo, Consolas, monospace" font-size="{FONT_SIZE}" fill="{COLOURS["default"]}">']
    for row, line, begin, end in periods(found):
        if end is None:
            change = f'<set attributeName="visibility" to="hidden" begin="t.begin" end="t.begin+{begin:.2f}s"/>' if begin > 0 else ""
            parts.append(f"<g>{drawn(line, row)}{change}</g>")
        else:
            parts.append(f'<g visibility="hidden">{drawn(line, row)}<set attributeName="visibility" to="visible" '
                         f'begin="t.begin+{begin:.2f}s" end="t.begin+{end:.2f}s"/></g>')
    return "\n".join([*parts, "</g>", "</svg>"]) + "\n"


@contextlib.contextmanager
def contenders(environment):
    """Runs a server and clients that take turns. Yields an environment in which commands find this server."""
    server = subprocess.Popen(["docent", "server", "--port", "0"], env=environment, stdout=subprocess.PIPE, text=True)
    clients = []
    try:
        address = re.search(r"127\.0\.0\.1:\d+", server.stdout.readline()).group()
        environment = environment | {"DOCENT_CONNECT": address}
        for words in CONTENDERS:
            again = f"while docent {shlex.join(words.split())}; do :; done"
            clients.append(subprocess.Popen(["sh", "-c", again], env=environment, start_new_session=True, stdout=subprocess.DEVNULL,
                                            stderr=subprocess.DEVNULL))
            time.sleep(0.2)
        time.sleep(6)
        yield environment
    finally:
        for client in clients:
            os.killpg(client.pid, signal.SIGTERM)
            client.wait()
        server.terminate()
        server.wait()


def main(docent, name, output):
    scene = SCENES[name]
    with tempfile.TemporaryDirectory() as folder:
        pathlib.Path(folder, "docent").symlink_to(pathlib.Path(docent).resolve())
        environment = {key: value for key, value in os.environ.items() if not key.startswith("DOCENT_") and key != "NO_COLOR"}
        environment |= {"PATH": f"{folder}:{environment['PATH']}", "TERM": "xterm-256color"}
        os.environ["PATH"] = environment["PATH"]
        with contenders(environment) if name == "top" else contextlib.nullcontext(environment) as surroundings:
            found = record(scene, surroundings)
    pathlib.Path(output).write_text(svg(scene, found))
    print(f"{output}: {len(found)} screens, {found[-1][0]:.1f} s, {pathlib.Path(output).stat().st_size // 1024} KiB")


main(*sys.argv[1:])
