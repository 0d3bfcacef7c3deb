#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Puts the bugs of mutants.txt into a source tree, or checks that they fit.

usage: mutants.py TREE [--apply]
"""
import os
import re
import sys

INCLUDE = '#include "base/mutant.hpp"'


def code(line):
    """The line without its comment."""
    quoted = r'"(?:[^"\\]|\\.)*"'
    return re.sub(rf"({quoted})|//.*$", lambda m: m.group(1) or "", line).rstrip()


def read_blocks(name):
    """The files of mutants.txt: path, whether it is new, and blocks of (sign, line)."""
    files = []
    with open(name, encoding="utf-8") as text:
        for line in text.read().splitlines():
            if line.startswith("#"):
                continue
            if line.startswith("@ "):
                files.append((line[2:], []))
            elif line in ("@@", "new"):
                files[-1][1].append((line, []))
            elif line:
                files[-1][1][-1][1].append((line[0], line[1:]))
    return files


def with_block(lines, block):
    """The lines with one block applied; None if its place is not found once."""
    numbers = [n for n, line in enumerate(lines) if code(line).strip()]
    codes = [code(lines[n]) for n in numbers]
    wanted = [code(line) for sign, line in block if sign != "+"]
    places = [at for at in range(len(codes) - len(wanted) + 1) if codes[at:at + len(wanted)] == wanted]
    if len(places) != 1:
        return None
    kept = iter(numbers[places[0]:places[0] + len(wanted)])
    at = numbers[places[0]]
    result = lines[:at]
    for sign, line in block:
        if sign == "+":
            result.append(line)
            continue
        number = next(kept)
        result += lines[at:number]  # comments in between
        if sign == " ":
            result.append(lines[number])
        at = number + 1
    return result + lines[at:]


def changed(path, blocks):
    """The text of the file with all of its blocks."""
    kind, first = blocks[0]
    if kind == "new":
        return "\n".join(line[1:] if line.startswith(" ") else line for _, line in first) + "\n"
    with open(path, encoding="utf-8") as text:
        lines = text.read().split("\n")
    for _, block in blocks:
        result = with_block(lines, block)
        if result is None:
            raise SystemExit(f"{path}: no single place for\n" + "\n".join(sign + line for sign, line in block))
        lines = result
    first_include = next(n for n, line in enumerate(lines) if line.startswith("#include"))
    lines.insert(first_include + 1, INCLUDE)
    return "\n".join(lines)


def main():
    tree = sys.argv[1]
    apply = sys.argv[2:] == ["--apply"]
    if os.path.exists(os.path.join(tree, "src/base/mutant.hpp")):
        print("the mutants have been put into this tree")
        return
    texts = {}
    for path, blocks in read_blocks(os.path.join(os.path.dirname(os.path.abspath(__file__)), "mutants.txt")):
        texts[os.path.join(tree, path)] = changed(os.path.join(tree, path), blocks)
    if apply:
        for path, text in texts.items():
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
    print(f"the mutants {'were put into' if apply else 'fit'} {len(texts)} files")


main()
