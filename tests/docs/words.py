#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks the words of pages, of comments, and of the comments and docstrings of scripts.

usage: words.py FILE_OR_FOLDER...
Fails if more than 2 of 1000 words of one of these kinds are words that stand for a noun that the reader has to
guess ("who", "that one", "of which"), or if a line or a table cell of a page is longer than 120 characters.
"""
import os
import re
import sys

MOST_IN_1000 = 2
LONGEST = 120
GUESSED = re.compile(
    r"\b(who|whoever|whom|whose|those that|those who|the one|that one|this one|one that|of which|by which|in which|"
    r"what (is|was|has|comes|came|it|they|that)|that of|those of|its own|as that|all that)\b", re.IGNORECASE)
REMARK = re.compile(r"(?:^|\s)#\s(.*)$")
COMMENT = re.compile(r'^(?:[^"]|"[^"]*")*?//[/!]?<?\s?(.*)$')


def files(paths):
    for path in paths:
        if os.path.isfile(path):
            yield path
        for folder, folders, names in os.walk(path):
            folders[:] = sorted(name for name in folders if name not in ("build", "node_modules"))
            yield from (os.path.join(folder, name) for name in sorted(names))


def comments(text):
    for number, line in enumerate(text.splitlines(), 1):
        match = COMMENT.match(line)
        if match and "SPDX" not in line:
            yield number, match.group(1)


def remarks(text):
    """The comments of a script, and its docstrings."""
    docstring = False
    for number, line in enumerate(text.splitlines(), 1):
        if docstring or line.lstrip().startswith('"""'):
            docstring ^= line.count('"""') % 2 == 1
            yield number, line
        elif (match := REMARK.search(line)) and "SPDX" not in line:
            yield number, match.group(1)


def sentences(text):
    """The lines of a page that are neither code nor headings, without the text of inline code."""
    code = False
    for number, line in enumerate(text.splitlines(), 1):
        if line.lstrip().startswith("```"):
            code = not code
        elif not code and not line.startswith(("#", "<", "    ")):
            yield number, re.sub(r"\]\([^)]*\)", "]", re.sub(r"`[^`]*`", "x", line))


def too_long(text):
    for number, line in enumerate(text.splitlines(), 1):
        cells = line.strip().strip("|").split("|") if line.startswith("|") else [line]
        if any(len(cell.strip()) > LONGEST for cell in cells) or (len(cells) == 1 and len(line) > LONGEST):
            yield number


def main(paths):
    if not paths:
        sys.exit(__doc__)
    fails = False
    for kind, endings, read in (("comments", (".hpp", ".cpp", ".h"), comments), ("pages", (".md",), sentences),
                                ("scripts", (".sh", ".py", ".cmake", "CMakeLists.txt", ".ci/run", ".ci/elsewhere"), remarks)):
        words, found = 0, []
        for path in files(paths):
            if not path.endswith(endings):
                continue
            with open(path, encoding="utf-8") as file:
                text = file.read()
            for number, line in read(text):
                words += len(line.split())
                found += [f"{path}:{number}: \"{match.group(0)}\"" for match in GUESSED.finditer(line)]
            if kind == "pages":
                for number in too_long(text):
                    print(f"{path}:{number}: a line or cell of more than {LONGEST} characters")
                    fails = True
        share = 1000 * len(found) / max(words, 1)
        print(f"{kind}: {words} words, {share:.1f} of 1000 stand for a noun that the reader has to guess (at most {MOST_IN_1000})")
        if share > MOST_IN_1000:
            print("\n".join(found))
            fails = True
    sys.exit(fails)


main(sys.argv[1:])
