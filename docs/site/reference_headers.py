#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Copies the public headers to a folder, in the form in which Doxygen shows them to users.

usage: reference_headers.py FOLDER

A class of docent has its asynchronous operations, and a lock its blocking acquires, in base classes in `docent::detail`. The
copy shows them as members of the class. The copy has no function bodies, no private members and no `docent::detail`. Each line
keeps its number, so that Doxygen's warnings lead to the line in include/."""

import dataclasses
import pathlib
import re
import sys

PROJECT = pathlib.Path(__file__).resolve().parents[2]
HEADERS = PROJECT / "include"
COMMENT_OR_TEXT = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'', re.DOTALL)
ACCESS = re.compile(r"\s*(public|protected|private):")
CLASS = re.compile(r"(?:template\s*<.*>\s*)?(class|struct)\s+(?:DOCENT_EXPORT\s+)?([\w:]+)")
BASE_IN_DETAIL = re.compile(r":\s*public\s+detail::(\w+)<(.*)>\s*$")
ALIASES = {  # of rebind.hpp and async_lock.hpp
    re.compile(r"detail::BaseOf<\w+, (detail::\w+), (detail::\w+)>$"): r"\2<detail::Holder<\1>, asio::deferred_t>",
    re.compile(r"detail::BaseOn<\w+, (.*), (detail::\w+)>$"): r"\2<\1, asio::deferred_t>",
    re.compile(r"detail::LockOf<\w+, (detail::\w+), (\w+)>$"):
        r"detail::AsyncLock<detail::BlockingLock<detail::Holder<\1>, \2>, \2, asio::deferred_t>",
    re.compile(r"detail::Rebindable<\w+, (\w+), detail::\w+>$"): r"\1",
}
TEMPLATE = re.compile(r"(?:detail::)?(\w+)<(.*)>$")
SAID_OF_BASE = re.compile(r"The asynchronous \w+ are [^.]*detail::\w+[^.]*\.\s*")
SHOWN_OF_BASE = re.compile(r"(async_\w+|(try_)?acquire(_for)?|get_executor)$")
DOTS_IN_CODE = re.compile(r"`(\.+)`")  # Doxygen takes the dot for the end of the first sentence
PUBLIC_HEADERS = {"docent/detail/initiate.hpp": "docent/client.hpp"}  # for types that a header of detail/ defines
LIST = re.compile(r"(^- .*\n?(^  .*\n?)*)+", re.MULTILINE)
LIST_ITEM = re.compile(r"^- ", re.MULTILINE)
LINE_BREAK = r"\ilinebr "  # in a comment, to Doxygen
ASYNC_TITLE = "Asynchronous operations"


@dataclasses.dataclass
class Item:
    """A declaration of a scope, and the comment before it."""
    begin: int  # of the comment, or of the declaration if it has none
    declaration: int
    body: int  # of the brace that opens the body; the end if there is none
    end: int
    comment: str  # without slashes, with its line breaks
    head: str  # the declaration up to the body, without comments, in one line
    after_gap: bool  # a blank line separates the item from the item before

    @property
    def name(self):
        """The name of a function; empty for all else."""
        return function_name(without_template(self.head))

    @property
    def is_function(self):
        return self.name != ""


def function_name(head):
    if head.startswith(("using ", "friend class ", "friend struct ")):
        return ""
    operator = re.search(r"\boperator\s*([^\s\w(]+|\w+)\s*\(", head)
    if operator:
        return "operator" + operator[1]
    depth = 0
    for place, letter in enumerate(head):
        depth += (letter == "<") - (letter == ">")
        if letter == "=" and depth == 0:
            return ""
        if letter == "(" and depth == 0:
            name = re.search(r"(~?\w+)\s*$", head[:place])
            return name[1] if name else ""
    return ""


def without_template(head):
    """A declaration without the `template <...>` in front of it."""
    if not head.startswith("template"):
        return head
    depth = 0
    for place, letter in enumerate(head):
        depth += (letter == "<") - (letter == ">")
        if letter == ">" and depth == 0:
            return head[place + 1:].strip()
    return head


def hidden_comments(text):
    """The text with spaces in place of comments and literals, so that their brackets do not count."""
    return COMMENT_OR_TEXT.sub(lambda found: re.sub(r"[^\n]", " ", found[0]), text)


def without_comments(text):
    return COMMENT_OR_TEXT.sub(lambda found: " " if found[0].startswith("/") else found[0], text)


def matching_brace(code, opening):
    depth = 0
    for place in range(opening, len(code)):
        depth += (code[place] == "{") - (code[place] == "}")
        if depth == 0:
            return place
    raise ValueError("a brace is not closed")


def end_of_declaration(code, place, end):
    """Where the body begins, and where the declaration ends."""
    depth = 0
    while place < end:
        letter = code[place]
        depth += (letter in "([") - (letter in ")]")
        if letter == ";" and depth == 0:
            return place, place + 1
        if letter == "{" and depth == 0:
            closing = matching_brace(code, place)
            rest = re.compile(r"\s*;").match(code, closing + 1, end)
            return place, rest.end() if rest else closing + 1
        place += 1
    return end, end


def comment_before(text, declaration, begin):
    """The `///` lines directly before a declaration: where they begin, and their text."""
    lines = []
    line_begin = text.rfind("\n", begin, declaration) + 1
    while line_begin > begin:
        previous = max(text.rfind("\n", begin, line_begin - 1) + 1, begin)
        line = text[previous:line_begin].strip()
        if not line.startswith("///") or line.startswith("///<"):
            break
        lines.insert(0, line[3:].removeprefix(" "))
        line_begin = previous
    return (line_begin if lines else declaration), "\n".join(lines)


def items(text, begin, end):
    """The declarations between two places of a text, in their order; access labels are items too."""
    code = hidden_comments(text)
    place = begin
    while True:
        gap = text.find("\n\n", place, end)
        blank = re.compile(r"(\s|#[^\n]*)*").match(code, place, end).end()
        if blank >= end:
            return
        label = ACCESS.match(code, blank, end)
        if label:
            yield Item(blank, blank, label.end(), label.end(), "", label[1] + ":", True)
            place = label.end()
            continue
        body, stop = end_of_declaration(code, blank, end)
        comment_begin, comment = comment_before(text, blank, place)
        head = " ".join(without_comments(text[blank:body]).split())
        yield Item(comment_begin, blank, body, stop, comment, head, 0 <= gap < comment_begin)
        place = stop


def blank(text):
    return re.sub(r"[^\n]", "", text)


def arguments_of(text):
    """The arguments of a template. A comma inside an argument does not separate arguments."""
    found = [""]
    depth = 0
    for letter in text:
        depth += (letter in "<(") - (letter in ">)")
        if letter == "," and depth == 0:
            found.append("")
        else:
            found[-1] += letter
    return [argument.strip() for argument in found]


def one_line(comment):
    """A comment in one line of the file, so that the lines after it keep their numbers."""
    listed = LIST.sub(lambda found: "<ul>" + "".join(f"<li>{item}</li>" for item in LIST_ITEM.split(found[0])[1:]) + "</ul>\n", comment)
    return "/** " + listed.replace("\n", LINE_BREAK) + " */"


class Base:
    """A class template in `docent::detail` that holds operations of public classes."""

    def __init__(self, text, item):
        parameters = re.match(r"template\s*<(.*?)>\s*class", item.head)[1]
        self.parameters = [parameter.split()[-1] for parameter in arguments_of(parameters)]
        self.comment = item.comment
        base = re.search(r":\s*public\s+(.*)$", item.head)
        self.base = base[1] if base else ""
        self.members = [member for member in public_members(text, item, "class")
                        if SHOWN_OF_BASE.match(member.name)]

    def filled(self, text, arguments):
        """The text with these arguments of the template in place of its parameters."""
        replaced = dict(zip(self.parameters, arguments))
        for name in self.parameters[len(arguments):]:  # an empty pack
            text = re.sub(rf"\b{name}\.\.\. \w+, ", "", text)
        text = re.sub(r"\b(" + "|".join(replaced) + r")\.\.\. ", r"\1 ", text)
        return re.sub(r"\b(" + "|".join(replaced) + r")\b", lambda found: replaced[found[1]], text)

    def filled_comment(self, comment, arguments):
        return re.sub(r"`[^`\n]*`", lambda found: self.filled(found[0], arguments), comment)

    def of_base(self, bases, arguments):
        """The template's base and its arguments; nothing if the base is no template of `docent::detail`."""
        found = TEMPLATE.match(self.filled(self.base, arguments))
        return (bases[found[1]], arguments_of(found[2])) if found and found[1] in bases else None

    def operations(self, bases, arguments):
        """The operations with these arguments. The operations of the template's base come last."""
        base = self.of_base(bases, arguments)
        own = [(self.filled(member.head, arguments),
                dataclasses.replace(member, comment=self.filled_comment(member.comment, arguments))) for member in self.members]
        return own + (base[0].operations(bases, base[1]) if base else [])

    def comments(self, bases, arguments):
        base = self.of_base(bases, arguments)
        said = self.filled_comment(self.comment, arguments)
        is_async = any(member.name.startswith("async_") for member in self.members)
        return ([said] if said and is_async else []) + (base[0].comments(bases, base[1]) if base else [])


def public_members(text, item, kind):
    access = "public" if kind == "struct" else "private"
    for member in items(text, item.body + 1, matching_brace(hidden_comments(text), item.body)):
        if member.head in ("public:", "protected:", "private:"):
            access = member.head[:-1]
        elif access == "public":
            yield member


def find_bases(text, begin, end, within_detail=False):
    """All class templates in namespaces called `detail`, by name."""
    found = {}
    for item in items(text, begin, end):
        namespace = re.match(r"(?:inline )?namespace ([\w:]+)$", item.head)
        if namespace:
            inside = within_detail or namespace[1].split("::")[-1] == "detail"
            found |= find_bases(text, item.body + 1, matching_brace(hidden_comments(text), item.body), inside)
        elif within_detail and item.head.startswith("template") and item.body < item.end:
            name = CLASS.match(item.head)
            if name and name[1] == "class" and not item.head.startswith("template <>"):
                found[name[2]] = Base(text, item)
    return found


def brief_of(member, owner, previous):
    """A comment for a declaration that has none and needs none in the header; nothing for all others."""
    head = without_template(member.head)
    if not member.is_function:
        return ""
    if re.search(rf"\b{owner}\(const {owner}\s?&\s*\w*\)\s*= delete", head):
        return "Objects of this class cannot be copied."
    if re.search(rf"\b{owner}\({owner}\s?&&\s*\w*\).*= default", head):
        return "Moves the object. The object that was moved from is empty."
    if re.search(rf"\b{owner}\(const {owner}\s?&\s*\w*\)\s*= default", head):
        return "Copies the object."
    if re.search(r"operator==\(.*= default", head):
        return "Compares all members."
    if previous and previous.is_function and previous.name == member.name and not member.after_gap:
        if re.search(r"error_code\s?& ec", member.head) and not re.search(r"error_code\s?& ec", previous.head):
            return "As above, but sets `ec` instead of throwing."
        return "As above, with other arguments."
    return ""


def is_hidden(member, owner):
    """Whether the reference leaves out a public member of a class."""
    head = without_template(member.head)
    return bool(head.startswith(("friend class", "friend struct", "struct rebind_executor", "using executor_type"))
                or re.search(r"operator=\(", head)
                or (member.is_function and "detail::" in head)
                or re.match(rf"virtual ~{owner}\(\) = default$", head))


def declaration_of(head):
    """A function's declaration, with the tokens that users see."""
    head = re.sub(r"detail::DefaultToken<[^>]*>", "asio::deferred_t", head)
    head = re.sub(r"(~\w+\(\)) = default$", r"\1", head)
    head = re.sub(r"\)( const)?( noexcept)?( override)?\s*:\s*\w+\(.*$", r")\1\2\3", head)
    head = re.sub(r"\bexecutor_type\b", "asio::any_io_executor", head)
    return without_export(head.replace("asio::completion_token_for", "completion_token_for")) + ";"


def without_aliases(head):
    """The head of a class with the base for which an alias stands."""
    for alias, base in ALIASES.items():
        head = alias.sub(base, head)
    return head


def without_export(text):
    return text.replace("DOCENT_EXPORT ", "")


class Copy:
    """A copy of a header, with changes: places of the text, and the new text of each place."""

    def __init__(self, text, bases, header):
        self.text = text
        self.bases = bases
        self.header = header  # the header that users include; empty if it is this header
        self.changes = []

    def replace(self, begin, end, by=""):
        self.changes.append((begin, end, by + blank(self.text[begin:end])))

    def scope(self, begin, end):
        """Changes the declarations of a namespace."""
        previous = None
        for item in items(self.text, begin, end):
            namespace = re.match(r"(?:inline )?namespace ([\w:]+)$", item.head)
            defined = CLASS.match(item.head)
            if namespace:
                if namespace[1].split("::")[-1] == "detail":
                    self.replace(item.begin, item.end)
                else:
                    self.scope(item.body + 1, matching_brace(hidden_comments(self.text), item.body))
            elif defined and ("::" in defined[2] or item.head.startswith("template <>")):
                self.replace(item.begin, item.end)
            elif defined and item.body < item.end and self.text[item.body] == "{":
                self.a_class(item, defined[1], defined[2])
            elif item.is_function:
                self.function(item, "", previous)
            previous = item

    def function(self, item, owner, previous):
        """Replaces a function by its declaration. Adds a comment if the header has none and needs none."""
        brief = "" if item.comment else brief_of(item, owner, previous)
        trailing = re.compile(r"[ \t]*///<").match(self.text, item.end)
        self.replace(item.declaration, item.end,
                     (one_line(brief) + " " if brief and not trailing else "") + declaration_of(item.head))

    def a_class(self, item, kind, owner):
        """Removes members that are not public, and adds the operations of a base class in `docent::detail`."""
        closing = matching_brace(hidden_comments(self.text), item.body)
        head = without_aliases(item.head)
        base = BASE_IN_DETAIL.search(head)
        if base:
            self.comment_of_class(item)
            bare = re.sub(r"\s*:\s*public detail::.*$", "", item.head)
            self.replace(item.declaration, item.body, without_export(bare) + " ")
        elif head != item.head:
            self.replace(item.declaration, item.body, without_export(head) + " ")
        if self.header:
            self.changes.append((item.declaration, item.declaration, one_line(f"@headerfile {self.header}") + " "))
        access = "public" if kind == "struct" else "private"
        previous = None
        last_public = item.body + 1
        for member in items(self.text, item.body + 1, closing):
            if member.head in ("public:", "protected:", "private:"):
                access = member.head[:-1]
                if access != "public":
                    self.replace(member.begin, member.end)
            elif access != "public" or is_hidden(member, owner):
                tail = self.text.find("\n", member.end)
                self.replace(member.begin, tail if "///<" in self.text[member.end:tail] else member.end)
            else:
                nested = CLASS.match(member.head)
                if nested and member.body < member.end:
                    self.a_class(member, nested[1], nested[2])
                elif member.is_function:
                    self.function(member, owner, previous)
                tail = self.text.find("\n", member.end)
                last_public = tail if "///<" in self.text[member.end:tail] else member.end
                previous = member
        if base and base[1] in self.bases:
            self.changes.append((last_public, last_public, self.operations(base[1], arguments_of(base[2]))))

    def operations(self, name, arguments):
        """The operations of a base class, in one line."""
        base = self.bases[name]
        listed = base.operations(self.bases, arguments)
        blocking = [each for each in listed if "acquire" in each[1].name and not each[1].name.startswith("async_")]
        others = [each for each in listed if each not in blocking]
        if not listed:
            return ""
        said = "\n\n".join(dict.fromkeys(base.comments(self.bases, arguments)))
        begin = " " + one_line(f"@name {ASYNC_TITLE}\n{said}".strip()) + " /**@{*/ "
        return self.declarations(blocking) + begin + self.declarations(others) + "/**@}*/"

    def declarations(self, listed):
        lines = []
        previous = None
        for head, member in listed:
            comment = member.comment
            if not comment:
                comment = brief_of(member, "", previous)
            elif comment.startswith("Completion signature"):
                comment = f"Does what {member.name.removeprefix('async_')}() does, without blocking. {comment}"
            lines.append((one_line(comment) + " " if comment else "") + declaration_of(head) + " ")
            previous = member
        return "".join(lines)

    def comment_of_class(self, item):
        """Removes the sentence that names the class of `docent::detail` with the operations: the copy shows them here."""
        said = SAID_OF_BASE.search(self.text, item.begin, item.declaration)
        if said:
            self.replace(said.start(), said.end())

    def changed(self):
        """The text of the copy."""
        result = []
        place = 0
        for begin, end, by in sorted(self.changes):
            if begin < place:
                continue  # within a part that is removed
            result += [self.text[place:begin], by]
            place = end
        text = DOTS_IN_CODE.sub(lambda found: "<code>" + "&#46;" * len(found[1]) + "</code>", "".join(result) + self.text[place:])
        return without_export(text)


def main():
    folder = pathlib.Path(sys.argv[1])
    texts = {file: file.read_text() for file in sorted(HEADERS.rglob("*.hpp"))}
    bases = {}
    for text in texts.values():
        bases |= find_bases(text, 0, len(text))
    for file, text in texts.items():
        path = file.relative_to(HEADERS)
        if "detail" in path.parts and path.as_posix() not in PUBLIC_HEADERS:
            continue
        copy = Copy(text, bases, PUBLIC_HEADERS.get(path.as_posix(), ""))
        copy.scope(0, len(text))
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(copy.changed())


main()
