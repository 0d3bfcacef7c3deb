#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the pages of the commands from the command's help: a page for each command, a page of the options that lock commands
share, and a list of all commands.

usage: command_pages.py [--check] DOCENT

With --check it writes nothing, and fails if a page in docs/commands differs from the help. No line of a page may have more than
120 characters."""

import os
import pathlib
import re
import subprocess
import sys
import textwrap

FOLDER = pathlib.Path(__file__).resolve().parents[1] / "commands"
COMMON = "Options for the commands that talk to ZooKeeper:"
COMMON_OF_ONE = "Common options (docent help options):"
LOCK_COMMANDS = ("lock", "read-lock", "write-lock", "semaphore")
LOCK_OPTIONS = "LOCK-OPTIONS"
LOCK_OPTIONS_LINK = "[Options of lock commands](lock-options.md)"
LOCK_DETAILS_LINK = "[details and exit statuses of lock commands](lock-options.md#details)"
LONGEST_LINE = 120
NOTE = "<!-- Written by docs/site/command_pages.py from the help of the command. -->"
TWO_COLUMNS = re.compile(r"^  (?P<left>\S.*?) {2,}(?P<right>\S.*)$")
AS_CODE = re.compile(r"(?<![\w/-])--?[a-z][\w-]*|\$?\b[A-Z][A-Z0-9]*_[A-Z0-9_]+\b|__[A-Z]+__"
                     r"|(?<![\w/])/[a-z][\w./-]*\w|\bdocs/[\w/-]+\.md|\bdocent help [a-z-]+"
                     r"|\bdocent [a-z-]+(?: --[a-z-]+)*|\b[a-z]+(?:_[a-z]+)+\b|\[\$[A-Z_]+\]")
IN_BRACKETS = re.compile(r"\[[^\[\]]*(?:\[[^\[\]]*\][^\[\]]*)*\]")
BY_MARKDOWN = re.compile(r"([\\`*_\[\]<>|])")


def help_of(docent, *words):
    environment = {key: value for key, value in os.environ.items() if not key.startswith("DOCENT_")}
    return subprocess.run([docent, "help", *words], env=environment, capture_output=True, text=True, check=True).stdout


def blocks(text):
    """The blocks of a text. A blank line ends a block, and so does a change between indented and other lines."""
    for part in re.split(r"\n[ \t]*\n", text.strip("\n")):
        lines = []
        for line in part.splitlines():
            if lines and line.startswith("  ") != lines[-1].startswith("  "):
                yield "\n".join(lines)
                lines = []
            lines.append(line)
        yield "\n".join(lines)


def title_of(page):
    """The first heading of a page; nothing if there is no such page."""
    file = FOLDER.parents[1] / page
    return re.search(r"^# (.*)", file.read_text(), re.MULTILINE)[1] if file.exists() else None


def marked(found, commands):
    """A word of the help as code, or as a link if it names a page or a command."""
    word = found[0]
    if word.startswith("docs/"):
        title = title_of(word)
        return f"[{title}]({os.path.relpath(word, 'docs/commands')})" if title else f"`{word}`"
    if word.startswith("["):
        return f"(`{word[1:-1]}`)"
    if word.startswith("docent help "):
        name = word.split()[-1]
        return f"[docent {name}]({name}.md)" if name in commands else f"`{word}`"
    if word.startswith("docent ") and word.split()[1] not in commands:
        return word
    return f"`{word}`"


def prose(text, commands):
    """A paragraph of the help in Markdown."""
    result = []
    place = 0
    text = " ".join(text.split())
    for found in AS_CODE.finditer(text):
        result += [BY_MARKDOWN.sub(r"\\\1", text[place:found.start()]), marked(found, commands)]
        place = found.end()
    return "".join(result) + BY_MARKDOWN.sub(r"\\\1", text[place:])


def wrapped(text, first="", rest=""):
    return textwrap.fill(text, 100, initial_indent=first, subsequent_indent=rest, break_long_words=False, break_on_hyphens=False)


def rows(block):
    """The rows of a block with two columns; nothing if the block has no two columns."""
    found = []
    for line in block.splitlines():
        row = TWO_COLUMNS.match(line)
        if row:
            found.append([row["left"], row["right"].strip()])
        elif found and line.startswith("    "):
            found[-1][1] = f"{found[-1][1]} {line.strip()}".strip()
        elif re.match(r"  -", line):
            found.append([line.strip(), ""])
        else:
            return []
    return found


def code(text, language="text"):
    return f"```{language}\n{text}\n```"


def list_of(found, commands):
    """Rows as a list."""
    return "\n".join(wrapped(f"`{left}`" + (f": {prose(right, commands)}" if right else ""), "- ", "  ") for left, right in found)


def markdown(block, commands):
    if not block.startswith("  "):
        return wrapped(prose(block, commands))
    found = rows(block)
    return list_of(found, commands) if found else code(textwrap.dedent(block))


def is_options(block):
    return block.startswith("  -")


def options_in(text):
    return rows(next(filter(is_options, blocks(text.partition("\n\n")[2]))))


def shared_options(helps):
    """The rows of the options that two or more of these commands have, in their order, with the names of the commands."""
    shared = {}
    for name, text in helps.items():
        for row in options_in(text):
            shared.setdefault(tuple(row), []).append(name)
    return {row: names for row, names in shared.items() if len(names) > 1}


def shared_details(helps):
    """The paragraphs after the options, as far as all these commands have them, in their order."""
    def behind(text):
        found = list(blocks(text.partition(COMMON_OF_ONE)[0]))
        return found[next(i for i, block in enumerate(found) if is_options(block)) + 1:]

    first, *others = [behind(text) for text in helps.values()]
    return [block for block in first if all(block in other for other in others)]


def exit_statuses(block, commands):
    """The paragraph about exit statuses as a section with a list."""
    listed = block.split(":", 1)[1].strip().rstrip(".")
    parts = re.split(r";\s+", " ".join(listed.split()))
    parts = [re.sub(r"^(\d+)((?: \([^)]*\))?) ", r"\1\2: ", part) for part in parts]
    return "## Exit status\n\n" + "\n".join(wrapped(prose(part, commands), "- ", "  ") for part in parts)


def one_line(usage):
    return " ".join(usage.removeprefix("usage: ").split())


def synopsis(usage, indent="    "):
    """The usage in lines of at most 80 columns. Text in brackets stays in one line."""
    kept = IN_BRACKETS.sub(lambda found: found[0].replace(" ", "\0"), one_line(usage))
    lines = textwrap.wrap(kept, 80, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)
    return code("\n".join(lines).replace("\0", " "))


def names_in(text):
    return set(re.findall(r"(?<![\w-])--?\w[\w-]*", text))


def split_usage(usage, shared):
    """The usage with one word in place of the shared options, and the usage of the shared options."""
    names = {name for left, _ in shared for name in names_in(left)}
    moved = []

    def move(found):
        if not names_in(found[0]) or not names_in(found[0]) <= names:
            return found[0]
        moved.append(found[0])
        return f"[{LOCK_OPTIONS}]" if len(moved) == 1 else ""

    return IN_BRACKETS.sub(move, one_line(usage)), " ".join(moved)


def lock_options(helps, shared, details, commands):
    """The page of the options that lock commands share, and of their details."""
    all_names = list(helps)
    usages = [split_usage(text.partition("\n\n")[0], shared)[1] for text in helps.values()]
    links = [f"[docent\0{name}]({name}.md)" for name in all_names]
    rows_with_names = [[row[0], row[1] + ("" if names == all_names else f" (only for {', '.join(names)})")]
                       for row, names in shared.items()]
    result = ["# Options of lock commands", NOTE, synopsis(max(usages, key=len), ""),
              wrapped(f"{', '.join(links[:-1])} and {links[-1]} take these options:").replace("\0", " "),
              list_of(rows_with_names, commands),
              wrapped("They also take the options of all commands that talk to ZooKeeper: see "
                      "[Commands](README.md#common-options)."), "## Details"]
    result += [exit_statuses(block, commands) if block.startswith("Exit status:") else markdown(block, commands)
               for block in details]
    return "\n\n".join(result) + "\n"


def page(name, text, commands, shared=(), details=()):
    text, with_common, _ = text.partition(COMMON_OF_ONE)
    usage, _, text = text.partition("\n\n")
    result = [f"# docent {name}", NOTE, synopsis(split_usage(usage, shared)[0])]
    section = ""
    for block in blocks(text):
        if block in details:
            continue
        if block.startswith("Example:"):
            result += ["For example:", code(block.removeprefix("Example:").strip())]
        elif block.startswith("Exit status:"):
            result.append(exit_statuses(block, commands))
            section = "## Exit status"
        else:
            heading = "## Options" if is_options(block) else "## Details" if section else ""
            if heading and heading != section:
                section = heading
                result.append(section)
            if is_options(block) and shared:
                own = [row for row in rows(block) if tuple(row) not in shared]
                result.append(wrapped(f"For {LOCK_OPTIONS}, such as `--wait`, `--no-wait` and `--max-hold`, see {LOCK_OPTIONS_LINK}."
                                      + (f" `docent {name}` also has:" if own else "")))
                result += [list_of(own, commands)] if own else []
            else:
                result.append(markdown(block, commands))
    if details:
        result.append(wrapped(f"See also the {LOCK_DETAILS_LINK}."))
    elif with_common:
        result.append(wrapped(f"`docent {name}` also takes the options of all commands that talk to ZooKeeper: see "
                              "[Commands](README.md#common-options)."))
    return "\n\n".join(result) + "\n"


def list_of_commands(general, options, listed, commands):
    """The page of all commands: a list, then the options that commands share."""
    result = ["# Commands", NOTE, synopsis(general.splitlines()[0])]
    entries = []
    for names, summary in listed:
        links = ", ".join(f"[docent\0{name}]({name}.md)" if name in commands else f"`docent\0{name}`" for name in names)
        entries.append(wrapped(f"{links}: {prose(summary, commands)}", "- ", "  ").replace("\0", " "))
    result += ["\n".join(entries), wrapped(f"The lock commands share most options: see {LOCK_OPTIONS_LINK}."), "## Common options"]
    for block in blocks(options):
        if block == COMMON:
            continue
        if block.startswith("Other options"):
            result.append("## Other options")
        elif block.startswith("Exit status ("):
            result += ["## Exit status", wrapped("A " + prose(re.search(r"\(a (.*)\)", block)[1] + ":", commands))]
        elif block.startswith("TIME is"):
            result += ["## Values", markdown(block, commands)]
        elif block.startswith("A config file"):
            result += ["## Config file", markdown(block, commands)]
        else:
            result.append(markdown(block, commands))
    return "\n\n".join(result) + "\n"


def pages(docent):
    """Name and text of each page."""
    general = help_of(docent)
    found = [TWO_COLUMNS.match(line) for line in general.splitlines()]
    listed = [(row["left"].split(", "), row["right"]) for row in found if row]
    commands = [name for names, _ in listed for name in names if name != "help"]
    yield "README.md", list_of_commands(general, help_of(docent, "options"), listed, commands)
    helps = {name: help_of(docent, name) for name in commands}
    of_locks = {name: helps[name] for name in LOCK_COMMANDS}
    shared = shared_options(of_locks)
    details = shared_details(of_locks)
    yield "lock-options.md", lock_options(of_locks, shared, details, commands)
    for name, text in helps.items():
        yield f"{name}.md", page(name, text, commands, *((shared, details) if name in LOCK_COMMANDS else ()))


def main(arguments):
    check = arguments[0] == "--check"
    wanted = dict(pages(arguments[-1]))
    there = {file.name: file.read_text() for file in FOLDER.glob("*.md")}
    long = [f"docs/commands/{name}: {line}" for name, text in wanted.items() for line in text.splitlines()
            if len(line) > LONGEST_LINE]
    if long:
        print("lines are too long:", *long, sep="\n", file=sys.stderr)
        return 1
    different = sorted(name for name in wanted.keys() | there.keys() if wanted.get(name) != there.get(name))
    if check:
        for name in different:
            print(f"docs/commands/{name} differs from the help; to write it: docs/site/command_pages.py {arguments[-1]}",
                  file=sys.stderr)
        return 1 if different else 0
    FOLDER.mkdir(exist_ok=True)
    for name in different:
        if name in wanted:
            (FOLDER / name).write_text(wanted[name])
        else:
            (FOLDER / name).unlink()
    print(f"{len(wanted)} pages, {len(different)} of them changed")
    return 0


sys.exit(main(sys.argv[1:]))
