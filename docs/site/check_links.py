#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks the links of the HTML files in a folder. Fails unless each local link leads to a file of the folder, and to an anchor
that exists in this file. Also fails if the site shows a list or a table of a page as running text."""

import html.parser
import pathlib
import re
import sys
import urllib.parse


class Page(html.parser.HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.links = set()
        self.places = set()
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        for name, value in attributes:
            if value and (name == "id" or (tag == "a" and name == "name")):
                self.places.add(value)
            if value and name in ("href", "src"):
                self.links.add(value)


def swallowed(text):
    """The beginnings of lists and tables inside of paragraphs."""
    for paragraph in re.findall(r"<p>(.*?)</p>", text, re.DOTALL):
        found = re.search(r"^(?:- |\d+\. |\|).*", re.sub(r"<[^>]*>", "", paragraph), re.MULTILINE)
        if found:
            yield found.group()[:40]


def check(folder):
    pages = {file: Page(file.read_text(errors="replace")) for file in sorted(folder.rglob("*.html"))}
    count = 0
    wrong = []
    for file in pages:
        if file.relative_to(folder).parts[0] != "reference":
            text = file.read_text(errors="replace")
            wrong += [f"{file.relative_to(folder)}: not shown as a list or table: {line}" for line in swallowed(text)]
    for file, page in pages.items():
        for link in sorted(page.links):
            url = urllib.parse.urlsplit(link)
            if url.scheme or url.netloc:
                continue
            count += 1
            path = urllib.parse.unquote(url.path)
            target = file if path == "" else (folder / path.lstrip("/") if path.startswith("/") else file.parent / path).resolve()
            if target.is_dir():
                target /= "index.html"
            place = urllib.parse.unquote(url.fragment)
            if not target.is_file():
                wrong.append(f"{file.relative_to(folder)}: {link}: no such file")
            elif place and target in pages and place not in pages[target].places:
                wrong.append(f"{file.relative_to(folder)}: {link}: no such place")
    for line in wrong:
        print(line, file=sys.stderr)
    print(f"site: {len(pages)} pages, {count} links, {len(wrong)} wrong")
    return 1 if wrong or not pages else 0


sys.exit(check(pathlib.Path(sys.argv[1]).resolve()))
