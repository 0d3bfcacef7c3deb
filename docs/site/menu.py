# SPDX-License-Identifier: Apache-2.0
"""For mkdocs: puts the recipes, and the groups of the API with their classes, in the menu, and buttons on the home page."""

import pathlib
import re

GROUPS = ["client", "locks", "leases", "elections", "values", "caches", "errors", "tracing", "testing"]
FRONT = re.compile(r'---\ntitle: "(.*)"\ngroup: "(.*)"\n---\n')
RECIPE = re.compile(r"^\| .* \| \[.*\]\((docs/recipes/.*\.md)\) \|$", re.MULTILINE)
BUTTONS = (("A lock in your service", "docs/tutorials/lock-in-your-service.md", "docs/tutorials/service.md"),
           ("Recipes", "docs/recipes/inter_process_mutex.md"), ("Commands", "docs/commands/README.md"),
           ("C++ API", "reference/index.md"))


def recipe_pages(readme):
    """The pages in README's table of recipes."""
    return RECIPE.findall(readme)


def entries(folder):
    """The menu of the reference: groups, their classes, and the namespaces."""
    found = {}
    titles = {}
    for file in sorted(folder.glob("*.md")):
        titles[file.stem], group = FRONT.match(file.read_text()).groups()
        if group:
            found.setdefault(group, []).append((titles[file.stem], f"reference/{file.name}"))
    menu = [{"Overview": "reference/index.md"}]
    for name in GROUPS:
        page = f"group__{name}"
        if page in titles:
            classes = [{title: path} for title, path in sorted(found.get(page, []))]
            menu.append({titles[page]: [{"Overview": f"reference/{page}.md"}, *classes]})
    return menu + [{f"Namespace {titles[name]}": f"reference/{name}.md"} for name in sorted(titles) if name.startswith("namespace")]


def on_config(config):
    reference = next(section["Reference"] for section in config["nav"] if "Reference" in section)
    for entry in reference:
        if "C++ API" in entry:
            entry["C++ API"] = entries(pathlib.Path(config["docs_dir"], "reference"))
        if "Recipes" in entry:
            entry["Recipes"] = recipe_pages(pathlib.Path(config["docs_dir"], "README.md").read_text())
    return config


def on_page_markdown(markdown, page, files, **_):
    if page.file.src_path != "README.md":
        return markdown
    page.meta["hide"] = ["navigation", "toc"]
    paths = {file.src_path for file in files}
    buttons = []
    for title, *choices in BUTTONS:
        path = next((path for path in choices if path in paths), None)
        if path:
            buttons.append(f"[{title}]({path}){{ .md-button{'' if buttons else ' .md-button--primary'} }}")
    parts = markdown.split("\n\n", 2) # title, first paragraph, all else
    return "\n\n".join([*parts[:2], " ".join(buttons) + "\n{ .home-buttons }", *parts[2:]])
