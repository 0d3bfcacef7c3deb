#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that no recipe is forgotten where users and tests look for all recipes.

usage: recipes.py PROJECT
Fails unless each recipe, a class in include/docent/recipes, is in docent/docent.hpp, on a page in docs/recipes, and with all
of its operations in tests/consumer/all_recipes.hpp; and unless README.md's table of recipes has each page once.
"""
import pathlib
import re
import sys

sys.dont_write_bytecode = True
NO_RECIPES = {"CacheBase", "Lease", "LockMember", "MultiLease", "MultiLockError"}
NOT_TIMED = {"OncePerPeriod"}  # its calls need a held lease
CLASS = re.compile(r"^(?:template <.*> )?class (?:DOCENT_EXPORT )?(\w+)\s*(?::([^;{]*))?\{", re.MULTILINE)


def operations_of_headers(folder):
    """The asynchronous operations of each class and of its bases."""
    own, bases = {}, {"LockOf": ["AsyncLock"]}  # an alias
    for header in folder.rglob("*.hpp"):
        text = header.read_text()
        found = list(CLASS.finditer(text))
        for match, end in zip(found, [match.start() for match in found[1:]] + [len(text)]):
            own[match[1]] = set(re.findall(r"\bauto async_(\w+)\(", text[match.end():end]))
            inherited = " ".join((match[2] or "").split())  # in one line
            bases[match[1]] = re.findall(r"public (?:detail::)?(?:(?:Base(?:Of|On)|Rebindable)<.*detail::)?(\w+)", inherited)

    def of(name):
        return own.get(name, set()).union(*(of(base) for base in bases.get(name, [])))

    return {name: of(name) for name in own}


def operations_of_table(text):
    found = {}
    for name, operation in re.findall(r"^DOCENT_OPERATION\((\w+), (\w+),", text, re.MULTILINE):
        found.setdefault(name, set()).add(operation)
    for name in re.findall(r"^DOCENT_ACQUIRES\((\w+),", text, re.MULTILINE):
        found.setdefault(name, set()).update(["acquire", "try_acquire", "try_acquire_for"])
    return found


def check(project):
    sys.path.insert(0, str(project / "docs/site"))
    from menu import recipe_pages  # as the site reads them

    table = re.sub(r"\n +", " ", (project / "tests/consumer/all_recipes.hpp").read_text())  # each call in one line
    listed = re.findall(r"^DOCENT_RECIPE\((\w+)\);", table, re.MULTILINE)
    timed = "\n".join(re.findall(r"^DOCENT_TIMED\(.*", table, re.MULTILINE))
    tested = operations_of_table(table)
    offered = operations_of_headers(project / "include/docent")
    main_header = (project / "include/docent/docent.hpp").read_text()
    pages = {f"docs/recipes/{page.name}": page.read_text() for page in (project / "docs/recipes").glob("*.md")}
    recipes = set()

    for header in sorted((project / "include/docent/recipes").rglob("*.hpp")):
        names = set(re.findall(r"^class DOCENT_EXPORT (\w+)", header.read_text(), re.MULTILINE)) - NO_RECIPES
        recipes |= names
        include = header.relative_to(project / "include").as_posix()
        if names and f"#include <{include}>\n" not in main_header:
            yield f"docent/docent.hpp does not include {include}"
        for name in sorted(names):
            if name not in listed:
                yield f"tests/consumer/all_recipes.hpp has no DOCENT_RECIPE({name})"
            for operation in sorted(offered[name] - tested.get(name, set())):
                yield f"tests/consumer/all_recipes.hpp has no DOCENT_OPERATION({name}, {operation}, ...)"
            if name not in NOT_TIMED and not re.search(rf"\b{name}\(", timed):
                yield f"tests/consumer/all_recipes.hpp has no DOCENT_TIMED call of {name}"
            if not any(re.search(rf"\b{name}\b", page) for page in pages.values()):
                yield f"no page in docs/recipes names {name}"
    for name in sorted(set(listed) - recipes):
        yield f"tests/consumer/all_recipes.hpp: no header in include/docent/recipes has {name}"
    in_readme = recipe_pages((project / "README.md").read_text())
    for page in sorted({*pages, *in_readme}):
        if page not in pages or in_readme.count(page) != 1:
            yield f"README.md's table of recipes has {page} {in_readme.count(page)} times"
    if not recipes:
        yield "include/docent/recipes has no recipes"


def main(arguments):
    if len(arguments) != 1:
        sys.exit(__doc__)
    wrong = list(check(pathlib.Path(arguments[0])))
    print("\n".join(wrong) if wrong else "each recipe is in docent.hpp, in all_recipes.hpp and on a page")
    sys.exit(bool(wrong))


main(sys.argv[1:])
