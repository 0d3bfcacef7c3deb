#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fails unless each public item of the headers has a brief description.

usage: check_reference.py XML_FOLDER

The folder is what Doxygen has written for the headers of reference_headers.py. Each item without a brief is named with its
place in include/. A class must also be in a group, so that the entry page leads to it."""

import pathlib
import sys
import xml.etree.ElementTree

KINDS = {"class", "struct", "union"}
HEADERS = "docent/"


def place(item):
    location = item.find("location")
    file = location.get("file") if location is not None else ""
    return f"include/{file[file.rfind(HEADERS):]}:{location.get('line')}" if HEADERS in file else "include"


def has_text(item, *fields):
    return any("".join(item.find(field).itertext()).strip() for field in fields if item.find(field) is not None)


def items(compound):
    """Name, element and place of a class or namespace and of all its public members."""
    name = compound.findtext("compoundname")
    if compound.get("kind") in KINDS:
        yield name, compound, place(compound)
    for member in compound.iter("memberdef"):
        if member.get("prot") != "public" or member.get("kind") == "friend" and "operator" not in member.findtext("name"):
            continue
        within = f"{name}::" if compound.get("kind") != "group" else ""
        yield within + member.findtext("name"), member, place(member)
        for value in member.iter("enumvalue"):
            yield f"{within}{member.findtext('name')}::{value.findtext('name')}", value, place(member)


def check(folder):
    found = {}
    grouped = set()
    classes = {}
    for file in sorted(folder.glob("*.xml")):
        root = xml.etree.ElementTree.parse(file).getroot()
        for compound in root.iter("compounddef"):
            if compound.get("kind") == "group":
                grouped |= {inner.get("refid") for inner in compound.iter("innerclass")}
            if compound.get("kind") in KINDS:
                classes[compound.get("id")] = (compound.findtext("compoundname"), place(compound))
            if compound.get("kind") in KINDS | {"group", "namespace"}:
                for name, element, where in items(compound):
                    found[where, name, element.get("id")] = has_text(element, "briefdescription")
    missing = sorted((where, name) for (where, name, _), said in found.items() if not said)
    for where, name in missing:
        print(f"{where}: {name} has no brief", file=sys.stderr)
    names = {name for name, _ in classes.values()}
    nested = {key for key, (name, _) in classes.items() if name.rpartition("::")[0] in names}
    alone = sorted((where, name) for key, (name, where) in classes.items() if key not in grouped | nested)
    for where, name in alone:
        print(f"{where}: {name} is in no group", file=sys.stderr)
    print(f"reference: {len(found)} items, {len(missing)} without a brief, {len(alone)} classes in no group")
    return 1 if missing or alone or not found else 0


sys.exit(check(pathlib.Path(sys.argv[1])))
