#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes a source file of all programs in the comments of headers, so that the compiler checks them.

usage: header_programs.py OUTPUT INCLUDE_FOLDER FILE...

A program is a ```cpp block in `///` comments. It becomes the body of a function that has a started `client`, the units of
<chrono>, and `asio` for boost::asio. A program with `co_await` becomes the body of a coroutine. Errors of the compiler name the
line of the header."""

import pathlib
import re
import sys

BLOCK = re.compile(r"^[ \t]*/// ```cpp\n(.*?)^[ \t]*/// ```$", re.DOTALL | re.MULTILINE)
SLASHES = re.compile(r"^[ \t]*/// ?", re.MULTILINE)
INCLUDE = re.compile(r"^#include .*\n", re.MULTILINE)
ALL = """#include <boost/asio.hpp>

#include <chrono>
#include <fstream>
#include <iostream>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <thread>
#include <vector>

namespace asio = boost::asio;
using namespace std::chrono_literals;
"""


def programs(file):
    """Number of the first line, and text, of each program."""
    text = file.read_text()
    for found in BLOCK.finditer(text):
        yield text.count("\n", 0, found.start(1)) + 1, SLASHES.sub("", found[1])


def function(number, file, line, program):
    result = "asio::awaitable<void>" if "co_await" in program else "void"
    program = INCLUDE.sub("\n", program)
    return (f"\n{result} program_{number}([[maybe_unused]] docent::Client& client) {{\n{{\n#line {line} \"{file}\"\n{program}}}\n}}\n"
            f"#line 1 \"programs\"\n")


def main():
    output, folder = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    includes = ["#include <docent/docent.hpp>"]
    functions = []
    for file in sorted(map(pathlib.Path, sys.argv[3:])):
        found = list(programs(file))
        if found and file.suffix == ".hpp":
            includes.append(f"#include <{file.relative_to(folder).as_posix()}>")
        functions += [function(len(functions) + number, file, line, program) for number, (line, program) in enumerate(found, 1)]
    output.write_text("\n".join(includes) + "\n" + ALL + "".join(functions))


main()
