#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Copies all pages of the project to a folder, in the project's subfolders, with the files to which they link.

A link to a folder becomes a link to the folder's page, or to a list of its files. A link to the headers becomes a link to the
reference. Images and styles are copied, too."""

import os
import pathlib
import re
import shutil
import sys

from menu import recipe_pages

PROJECT = pathlib.Path(__file__).resolve().parents[2]
LINK = re.compile(r"\]\(([^)\s#:]+)(#[^)\s]*)?\)")
NOT_OURS = {"build", ".git", "_deps", "debian"}  # debian/ has copies after dpkg-buildpackage


def pages():
    """The pages of the project. Skips folders that are not ours, because builds create and delete files there."""
    found = []
    for folder, subfolders, files in os.walk(PROJECT):
        subfolders[:] = set(subfolders) - NOT_OURS
        found += [pathlib.Path(folder, file) for file in files if file.endswith(".md")]
    return sorted(found)


def without_code(text):
    return re.sub(r"```.*?```|`[^`\n]*`", "", text, flags=re.DOTALL)


def with_blank_lines(text):
    """Puts a blank line in front of each list and table, which mkdocs needs and GitHub does not."""
    lines = []
    in_code = in_list = False
    for line in text.split("\n"):
        if line.lstrip().startswith("```"):
            in_code = not in_code
        before = lines[-1] if lines else ""
        is_item = re.match(r" *([-*]|\d+\.) ", line) is not None
        is_row = line.startswith("|")
        if not in_code and before and ((is_item and not in_list) or (is_row and not before.startswith("|"))):
            lines.append("")
        in_list = not in_code and (is_item or (in_list and (not line or line.startswith(" "))))
        lines.append(line)
    return "\n".join(lines)


def put(source, pages_folder):
    target = pages_folder / source.relative_to(PROJECT)
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(source, target)


def list_of(folder, pages_folder):
    """Writes a page that lists the files of a folder, and copies these files."""
    place = pages_folder / folder.relative_to(PROJECT)
    place.mkdir(parents=True, exist_ok=True)
    lines = [f"# {folder.relative_to(PROJECT)}", ""]
    for file in sorted(folder.rglob("*")):
        if file.is_file() and not file.name.startswith("."):
            put(file, pages_folder)
            name = file.relative_to(folder).as_posix()
            lines.append(f"- [{name}]({name})")
    (place / "README.md").write_text("\n".join(lines) + "\n")


def put_looks(pages_folder):
    for file in [*PROJECT.glob("docs/images/*.svg"), *PROJECT.glob("docs/site/*.css")]:
        put(file, pages_folder)


def gather(pages_folder):
    shown = re.findall(r"^ *- (?:.*: )?(\S+\.md)$", (PROJECT / "docs/site/mkdocs.yml").read_text(), re.MULTILINE)
    shown += recipe_pages((PROJECT / "README.md").read_text())
    for page in pages():
        if page.relative_to(PROJECT).as_posix() not in shown:
            sys.exit(f"neither docs/site/mkdocs.yml nor README's table of recipes names {page.relative_to(PROJECT)}")
        text = page.read_text()
        for target, _ in set(LINK.findall(without_code(text))):
            place = (page.parent / target).resolve()
            if place.suffix == ".md" and place.exists():
                continue
            if not place.exists():
                sys.exit(f"{page.relative_to(PROJECT)}: there is no {target}")
            up = "../" * (len(page.relative_to(PROJECT).parts) - 1)
            if place == PROJECT / "include/docent":
                text = text.replace(f"]({target})", f"]({up}reference/index.md)")
            elif place.is_dir():
                if not (place / "README.md").exists():
                    list_of(place, pages_folder)
                text = text.replace(f"]({target})", f"]({target.rstrip('/')}/README.md)")
            else:
                put(place, pages_folder)
        written = pages_folder / page.relative_to(PROJECT)
        written.parent.mkdir(parents=True, exist_ok=True)
        written.write_text(with_blank_lines(text))


put_looks(pathlib.Path(sys.argv[1]).resolve())
gather(pathlib.Path(sys.argv[1]).resolve())
