#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the commands of the pages as a reader would, against a server that this script starts.

Each ```sh block must succeed. It runs unchanged, in an empty folder with stand-ins for the reader's programs
(./nightly-report.sh). The script skips a block if its section says "No test runs" before the block, or if other tests run all
its commands (ELSEWHERE). In the text, `docent ...` must be a command that exists, with options that its help names.
usage: commands.py DOCENT PAGE..."""
import os
import re
import shlex
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

NODES = ("/store/report",)  # nodes that pages mention without creating them
LASTING = ("scheduler", "worker", "fenced_worker", "work-on-a-shard") # programs that work until they are told to stop
LONGEST = 60                # seconds for a block

# Other tests run the project's scripts.
ELSEWHERE = {
    "./quickstart.sh": "integration.cli runs the demo",
    "./run-tests.sh": "runs this script",
    ".ci/run": "runs this script",
    ".ci/elsewhere": "the step trixie of .ci/run",
    "cmake": "what runs the tests",
    "ctest": "what runs the tests",
    "packaging/": ".ci/run packages, packaging/test.sh",
    "apt install": "packaging/test.sh installs the packages",
    "examples/three-machines/run.sh": "examples.three_machines",
}

# The docent command, with three changes: servers start on a free port, `elect` does not wait for the end of the
# election, and `partition` does not wait for a signal.
WRAPPER = """#!/bin/sh
case $1 in
server) shift; exec {docent} server --port 0 "$@" ;;
elect)
    {docent} "$@" &
    until {docent} leader "$2" >/dev/null 2>&1; do sleep 0.05; done ;;
partition)
    {docent} "$@" &
    until {docent} inspect "$2" 2>/dev/null | grep -q "^member .* items 32"; do sleep 0.05; done ;;
*) exec {docent} "$@" ;;
esac
"""


def fail(where, what):
    print(f"{where}: {what}", file=sys.stderr)
    fail.count += 1


fail.count = 0


class Server:
    def __init__(self, docent):
        self.process = subprocess.Popen([docent, "server", "--port", "0"], stdout=subprocess.PIPE, text=True)
        first = self.process.stdout.readline()
        self.address = re.search(r"127\.0\.0\.1:\d+", first).group()

    def stop(self):
        self.process.terminate()
        self.process.wait()


def blocks_of(page):
    """Language, text, line, and the text of its section before it, for each block between fences."""
    language, text, begin, before = None, [], 0, ""
    for number, line in enumerate(page.read_text().splitlines(), 1):
        if language is None:
            if line.startswith("## "):
                before = ""
            if line.startswith("```"):
                language, text, begin = line[3:], [], number
            else:
                before += line + " "
        elif line.startswith("```"):
            yield language, "\n".join(text), begin, before
            language = None
        else:
            text.append(line)


def is_run_elsewhere(text):
    return all(line.startswith(tuple(ELSEWHERE)) for line in text.splitlines())


def make_stand_ins(folder, text):
    for name in set(re.findall(r"(?<![\w/.])\./([\w-][\w.-]*)", text)):
        program = folder / name
        program.write_text("#!/bin/sh\n" + ("exec sleep 60\n" if name in LASTING else ""))
        program.chmod(0o755)


def run_block(text, where, docent, address):
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "bin").mkdir()
        wrapper = folder / "bin" / "docent"
        wrapper.write_text(WRAPPER.format(docent=shlex.quote(docent)))
        wrapper.chmod(0o755)
        (folder / "work").mkdir()
        make_stand_ins(folder / "work", text)
        environment = {key: value for key, value in os.environ.items() if not key.startswith("DOCENT_")}
        environment |= {"PATH": f"{folder}/bin:{environment['PATH']}", "HOME": name, "DOCENT_CONNECT": address}
        with open(folder / "output", "w+", encoding="utf-8") as output:
            shell = subprocess.Popen(["bash", "-euc", text], cwd=folder / "work", env=environment, stdin=subprocess.DEVNULL,
                                     stdout=output, stderr=subprocess.STDOUT, start_new_session=True)
            try:
                status = shell.wait(timeout=LONGEST)
            except subprocess.TimeoutExpired:
                status = f"nothing for {LONGEST} s"
            for end in (signal.SIGTERM, signal.SIGKILL):
                end_group(shell.pid, end)
            if status != 0:
                output.seek(0)
                fail(where, f"ended with {status}:\n{text}\n{output.read()}")


def end_group(group, how):
    """Sends a signal to the programs that a block has started in the background, and waits a few seconds for their end."""
    try:
        os.killpg(group, how)
        for _ in range(100):
            os.killpg(group, 0)
            subprocess.run(["sleep", "0.05"], check=True)
    except ProcessLookupError:
        pass


def check_mentions(page, docent, helps):
    text = re.sub(r"^```.*?^```", "", page.read_text(), flags=re.S | re.M)
    for mention in re.findall(r"`docent ([^`]*)`", text):
        words = mention.split(" -- ")[0].split()
        if not words or not re.fullmatch(r"[a-z-]+", words[0]) or words[0].startswith("-"):
            continue
        command = words[1] if words[0] == "help" and len(words) > 1 else words[0]
        if command not in helps:
            shown = subprocess.run([docent, "help", command], capture_output=True, text=True)
            helps[command] = shown.stdout if shown.returncode == 0 else None
        if helps[command] is None:
            fail(page, f"there is no docent {command}: `docent {mention}`")
            continue
        for option in re.findall(r"--[a-z][a-z-]*", " ".join(words[1:])):
            if not re.search(re.escape(option) + r"(?![a-z-])", helps[command]):
                fail(page, f"docent {command} has no {option}: `docent {mention}`")


def main(docent, pages):
    server = Server(docent)
    ran = 0
    try:
        for node in NODES:
            subprocess.run([docent, "create", node, "--parents", "--connect", server.address], check=True,
                           stdout=subprocess.DEVNULL)
        helps = {}
        for page in map(Path, pages):
            check_mentions(page, docent, helps)
            for language, text, line, before in blocks_of(page):
                where = f"{page}:{line}"
                if language == "":
                    fail(where, "a block without a language: use sh for commands, and text for output")
                if language != "sh" or "No test runs" in before or is_run_elsewhere(text):
                    continue
                run_block(text, where, docent, server.address)
                ran += 1
    finally:
        server.stop()
    print(f"{ran} blocks of {len(pages)} pages were run")
    return 1 if fail.count > 0 or ran == 0 else 0


sys.exit(main(sys.argv[1], sys.argv[2:]))
