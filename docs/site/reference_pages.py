#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Makes pages of the site from the HTML that Doxygen has written.

usage: reference_pages.py DOXYGEN_FOLDER PAGES_FOLDER

Each page keeps its name, so that Doxygen's links hold. Its headings become Markdown, so that the site shows them in its table
of contents. Code gets the colours of the site. All else stays HTML, for which reference.css has the styles.

Needs the interpreter of Debian's packages, because only this interpreter has pygments."""

import html
import pathlib
import re
import sys

import pygments
import pygments.formatters
import pygments.lexers

PROJECT = pathlib.Path(__file__).resolve().parents[2]
TAG = re.compile(r"(<[^>]*>)")
PAGE = re.compile(r"\bdocs/([\w/-]+)\.md\b")
SHOWN = re.compile(r"(index|namespacedocent.*|group__.*|(class|struct)(?!es\.).*(?<!-members))\.html$")
CONTENTS = re.compile(r'<div class="contents">(.*)</div><!-- contents -->', re.DOTALL)
TITLE = re.compile(r'<div class="title">(.*?)</div>', re.DOTALL)
KIND = re.compile(r"( (Class|Struct|Namespace|Template))* Reference$")
LABELS = re.compile(r'<span class="mlabels">.*?</span></span>', re.DOTALL)
GROUPS = re.compile(r'<div class="ingroups">(.*?)</div>', re.DOTALL)
SECTION = re.compile(r'<h([1-3])>(?:<a class="anchor" id="([^"]*)"></a>\s*)?(.*?)</h[1-3]>', re.DOTALL)
HEADING = re.compile(r'(?:<a (?:id|name)="([^"]*)"[^>]*></a>)?<h2 class="groupheader">(?:<a id="([^"]*)"[^>]*></a>)?(.*?)</h2>',
                     re.DOTALL)
HEADING_IN_TABLE = re.compile(r'<tr class="heading"><td colspan="2">(<h2 class="groupheader">.*?</h2>)</td></tr>', re.DOTALL)
NAME_OF_MEMBERS = re.compile(r'<tr><td colspan="2"><div class="groupHeader">(.*?)</div></td></tr>', re.DOTALL)
TITLE_OF_MEMBER = re.compile(r'<a id="([^"]*)" name="[^"]*"></a>\s*<h2 class="memtitle"><span class="permalink">.*?</a></span>'
                             r'(.*?)(?:<span class="overload">(.*?)</span>)?</h2>', re.DOTALL)
NO_ROWS = re.compile(r'<table class="memberdecls">\s*</table>')
REPEATED_BRIEF = re.compile(r'<p>((?:(?!</p>).)*?)<a href="[^"]*#details">More\.\.\.</a></p>\s*', re.DOTALL)
CODE = re.compile(r'<div class="fragment">(.*?)</div><!-- fragment -->', re.DOTALL)
LINE_OF_CODE = re.compile(r'<div class="line">(.*?)</div>\n', re.DOTALL)


def plain(text):
    return html.unescape(re.sub(r"<[^>]*>", "", text)).replace("\u00a0", " ").strip()


def heading(depth, text, anchor):
    return f"\n\n{'#' * depth} {text}" + (f" {{#{anchor}}}" if anchor else "") + "\n\n"


def part_heading(found):
    """A heading of Doxygen. The description gets none, because it begins the page."""
    anchor = found[1] or found[2]
    return '<a id="details"></a>' if anchor == "details" else heading(2, plain(found[3]), anchor)


def member_heading(found):
    overload = " " + plain(found[3]) if found[3] else ""
    return heading(3, f"`{plain(found[2])}`{overload}", found[1])


def section_heading(found):
    """A heading within a text. The text before it and the text after it become two blocks."""
    return "</div>" + heading(int(found[1]) + 1, plain(found[3]), found[2]) + '<div class="textblock">'


def coloured(found):
    """A program in colours. The ends of its comments are again as in the header."""
    code = "\n".join(plain_code(line) for line in LINE_OF_CODE.findall(found[1] + "\n"))
    formatter = pygments.formatters.HtmlFormatter(wrapcode=True)
    return pygments.highlight(code.replace("*&zwj;/", "*/"), pygments.lexers.CppLexer(), formatter)


def plain_code(line):
    return html.unescape(re.sub(r"<[^>]*>", "", line)).replace("\u00a0", " ").rstrip()


def link(found):
    """A link to a page that a comment names, with the page's title; the name itself if there is no such page."""
    file = PROJECT / found[0]
    if not file.exists():
        return found[0]
    title = re.search(r"^# (.*)", file.read_text(), re.MULTILINE)[1]
    return f'<a href="../docs/{found[1]}.html">{html.escape(title)}</a>'


def linked(body):
    """The text with links to the pages that it names."""
    parts = TAG.split(body)
    return "".join(part if TAG.match(part) else PAGE.sub(link, part) for part in parts)


def page(text):
    """The page in Markdown, its title, and the file of its group; an empty one if it is in no group."""
    groups = GROUPS.search(text)
    title = KIND.sub("", plain(LABELS.sub("", TITLE.search(GROUPS.sub("", text))[1])))
    body = linked(CODE.sub(coloured, CONTENTS.search(text)[1]))
    body = REPEATED_BRIEF.sub("" if 'id="details"' in body else r"<p>\1</p>\n", body, count=1)
    body = HEADING_IN_TABLE.sub(r'</table>\1<table class="memberdecls">', body)
    body = NAME_OF_MEMBERS.sub(r'</table><h2 class="groupheader">\1</h2><table class="memberdecls">', body)
    body = HEADING.sub(part_heading, body)
    body = TITLE_OF_MEMBER.sub(member_heading, body)
    body = SECTION.sub(section_heading, body)
    body = NO_ROWS.sub("", body)
    above = '<p class="above"><a href="index.html">C++ API</a>' + (" › " + groups[1] if groups else "") + "</p>\n\n"
    group = re.search(r"group__\w+", groups[1])[0] if groups else ""
    return f"# {title}\n\n{'' if title == 'C++ API' else above}{body}\n", title, group


def main():
    source, target = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    target.mkdir(parents=True, exist_ok=True)
    for file in sorted(source.glob("*.html")):
        if SHOWN.match(file.name):
            text, title, group = page(file.read_text())
            front = f'---\ntitle: "{title}"\ngroup: "{group}"\n---\n'
            (target / file.with_suffix(".md").name).write_text(front + text)


main()
