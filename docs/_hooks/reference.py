"""The reference pages, made from the list of public names in mercer/__init__.py so that none is forgotten.

A page for every part of the library, by the home module of the names; an entry links as `[SVC][mercer.SVC]`.
"""

from __future__ import annotations

import inspect
import sys
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files

import mercer

sys.path.insert(0, str(Path(__file__).parent))  # hooks are loaded one by one, not as a package
from docstrings import markdown, without_ids

_TITLES = {  # the longest prefix of a home module decides
    "mercer.comparison": "Comparing methods",
    "mercer.config": "Settings and errors",
    "mercer.errors": "Settings and errors",
    "mercer.estimators": "Ridge, risk and verification",
    "mercer.estimators.feature_machines": "Feature machines",
    "mercer.estimators.gaussian_process": "Gaussian processes",
    "mercer.estimators.clusters": "Clusters",
    "mercer.estimators.neighbours": "Nearest neighbours",
    "mercer.estimators.svm": "Support vector machines",
    "mercer.files": "Model files",
    "mercer.gram": "Gram matrices",
    "mercer.kernels": "Kernels",
    "mercer.selection": "Choosing hyper-parameters",
    "mercer.statistics": "Two-sample and independence tests",
    "mercer.testing": "Testing kernels",
    "mercer.theory": "Theory",
}
_SETTINGS = {"config": "mercer.config", "configure": "mercer.config"}


def public_names() -> dict[str, str]:
    """{name: home module} of everything `import mercer` offers, the version apart."""
    return {name: (mercer._HOME | _SETTINGS)[name] for name in mercer.__all__ if name != "__version__"}


def title_of(home: str) -> str:
    """The title of the page a home module belongs to; a part that is not listed is called by its own name."""
    known = [prefix for prefix in _TITLES if f"{home}.".startswith(f"{prefix}.")]
    return _TITLES[max(known, key=len)] if known else home.split(".")[1].capitalize()


def entries() -> dict[str, list[tuple[str, Any]]]:
    """{title: [(name as a user writes it, object)]}, every public name on one page."""
    pages: dict[str, list[tuple[str, Any]]] = {}
    for name, home in public_names().items():
        thing, title = getattr(mercer, name), title_of(home)
        pages.setdefault(title, [])
        if inspect.ismodule(thing):
            inner = [part for part in getattr(thing, "__all__", ()) if callable(getattr(thing, part, None))]
            pages[title] += [(f"mercer.{name}.{part}", getattr(thing, part)) for part in inner]
        else:
            pages[title].append((f"mercer.{name}", thing))
    return {title: _once(pages[title]) for title in sorted(pages) if pages[title]}


def _once(found: list[tuple[str, Any]]) -> list[tuple[str, Any]]:
    """Each object under its shortest name, in alphabetical order."""
    shortest: dict[int, tuple[str, Any]] = {}
    for name, thing in sorted(found, key=lambda entry: (len(entry[0]), entry[0])):
        shortest.setdefault(id(thing), (name, thing))
    return sorted(shortest.values(), key=lambda entry: entry[0].rpartition(".")[2].lower())


def first_sentence(thing: Any) -> str:
    """The first line of the docstring, as Markdown."""
    line = without_ids(inspect.getdoc(thing) or "").partition("\n")[0]
    return line.replace("<", "&lt;").replace("|", "&#124;").replace("*", "&#42;").replace("_", "&#95;")


def page_of(title: str, found: list[tuple[str, Any]]) -> str:
    """The Markdown of one page."""
    short = title == "Kernels"  # they all have the methods of Kernel
    parts = [_short(*entry) if short and entry[1] is not mercer.kernels.Kernel else _full(*entry) for entry in found]
    return "\n".join([f"# {title}", "", *parts])


def _full(name: str, thing: Any) -> str:
    """An entry with all methods, by mkdocstrings."""
    return f"[](){{ #{name} }}\n\n::: {thing.__module__}.{thing.__qualname__}\n    options:\n      heading: {name}\n"


def _short(name: str, thing: Any) -> str:
    """An entry of signature and docstring alone."""
    signature = inspect.signature(thing)
    plain = [p.replace(annotation=inspect.Parameter.empty) for p in signature.parameters.values()]
    call = signature.replace(parameters=plain, return_annotation=inspect.Signature.empty)
    code = f"```python\n{name.rpartition('.')[2]}{call}\n```"
    return f"### {name} {{ #{name} }}\n\n{code}\n\n{markdown(inspect.getdoc(thing) or '')}\n"


def index_of(pages: dict[str, list[tuple[str, Any]]]) -> str:
    """The list of all names, each with its first sentence."""
    lines = ["# Reference", "", "Every public name, by the part of the library it belongs to.", ""]
    for title, found in pages.items():
        lines += [f"## {title}", "", "| | |", "|---|---|"]
        lines += [f"| [`{name}`][{name}] | {first_sentence(thing)} |" for name, thing in found] + [""]
    return "\n".join(lines)


def on_files(files: Files, *, config: Any, **_: Any) -> Files:
    """Add the pages, and their place in the navigation."""
    pages = entries()
    made = {"reference/index.md": index_of(pages)}
    made |= {f"reference/{_slug(title)}.md": page_of(title, found) for title, found in pages.items()}
    for path, text in made.items():
        files.append(File.generated(config, path, content=text))
    for entry in config.nav:
        if "Reference" in entry:
            entry["Reference"] = list(made)
    return files


def _slug(title: str) -> str:
    return title.lower().replace(",", "").replace(" ", "_")
