#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that the tests that pages name exist.

usage: test_names.py TESTS PAGE...
A page names a test as `Suite.Name`, several as `Suite.*` or `Suite.Beginning…`. Fails if no file below TESTS defines one.
"""
import pathlib
import re
import sys

DEFINED = re.compile(r"\bTEST(?:_F|_P)?\((\w+),\s*(\w+)\)")
NAMED = re.compile(r"`([A-Z]\w+)\.(\*|[A-Z]\w*)(\*|…)?`")


def main(folder, *pages):
    tests = {}
    for source in pathlib.Path(folder).rglob("*.cpp"):
        for suite, name in DEFINED.findall(source.read_text(encoding="utf-8")):
            tests.setdefault(suite, set()).add(name)
    missing = named = 0
    for page in pages:
        for suite, name, more in NAMED.findall(pathlib.Path(page).read_text(encoding="utf-8")):
            named += 1
            found = tests.get(suite, set())
            if name in found or found and name == "*" or more and any(each.startswith(name) for each in found):
                continue
            print(f"{page}: no test is called {suite}.{name}{more}")
            missing += 1
    print(f"{named} tests are named")
    return 1 if missing or not named else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
