#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Puts the bugs of mutants.txt into a source tree, or checks that they fit.

usage: mutants.py TREE [--apply]
"""
import os
import re
import sys

SWITCH = """\
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdlib>

namespace docent::detail {

/// The number of the bug that runs; 0 for none.
inline int mutant() {
    static const char* const which = std::getenv("DOCENT_MUTANT");
    return which ? std::atoi(which) : 0;
}

} // namespace docent::detail
"""


def read_entries(name):
    """The entries of mutants.txt, each with its file."""
    entries = []
    file = None
    with open(name, encoding="utf-8") as text:
        for part in text.read().split("\n\n"):
            if part.startswith("@ "):
                file = part[2:].strip()
            elif part.strip() and not part.startswith("#"):
                entries.append((file, part.strip("\n")))
    return entries


def places_of_code(text):
    """The places in the text of all characters that are neither blanks nor part of a comment."""
    quoted = r'"(?:[^"\\\n]|\\.)*"'
    return [at for part in re.finditer(rf"{quoted}|//[^\n]*|\S", text) if not part.group().startswith("//")
            for at in range(part.start(), part.end()) if not text[at].isspace()]


def with_entry(path, text, entry):
    """The text with the insertions of one entry."""
    insertions = []  # pairs: the number of characters of `part` before the insertion, and the inserted text
    part = ""
    for kept, inserted in re.findall(r"(.*?)(?:<\+(.*?)\+>|$)", entry, re.S):
        part += re.sub(r"\s", "", kept)
        if inserted:
            insertions.append((len(part), inserted))
    places = places_of_code(text)
    code = "".join(text[at] for at in places)
    if code.count(part) != 1:
        raise SystemExit(f"{path}: {code.count(part)} places for\n{entry}")
    begin = code.index(part)
    for length, inserted in reversed(insertions):
        at = places[begin + length - 1] + 1 if length > 0 else places[begin]
        text = text[:at] + inserted + text[at:]
    return text


def main():
    tree = sys.argv[1]
    apply = sys.argv[2:] == ["--apply"]
    switch = os.path.join(tree, "src/base/mutant.hpp")
    if os.path.exists(switch):
        print("the mutants have been put into this tree")
        return
    texts = {}
    for file, entry in read_entries(os.path.join(os.path.dirname(os.path.abspath(__file__)), "mutants.txt")):
        path = os.path.join(tree, file)
        if path not in texts:
            with open(path, encoding="utf-8") as source:
                texts[path] = source.read()
        texts[path] = with_entry(path, texts[path], entry)
    if apply:
        for path, text in texts.items():
            with open(path, "w", encoding="utf-8") as file:
                file.write(re.sub(r"(?m)^#include", '#include "base/mutant.hpp"\n#include', text, count=1))
        with open(switch, "w", encoding="utf-8") as file:
            file.write(SWITCH)
    print(f"the mutants {'were put into' if apply else 'fit'} {len(texts)} files")


main()
