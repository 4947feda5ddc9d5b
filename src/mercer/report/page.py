"""One page about one model: sentences, facts and pictures in a file that needs nothing else."""

from __future__ import annotations

import os
import secrets
from collections.abc import Mapping, Sequence
from contextlib import suppress
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from mercer.plots import svg

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def page(
    title: str, verb: str, sentences: Sequence[str], facts: Mapping[str, Any], pictures: Mapping[str, Figure]
) -> str:
    """The page as text; what comes from the data is escaped by the template."""
    from jinja2 import Environment, StrictUndefined
    from markupsafe import Markup

    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    template = environment.from_string(files("mercer.report").joinpath("page.html").read_text(encoding="utf-8"))
    drawn = {caption: Markup(svg(figure, caption)) for caption, figure in pictures.items()}
    return template.render(title=title, verb=verb, sentences=sentences, facts=facts, pictures=drawn)


def write_page(path: str | os.PathLike[str], text: str) -> str:
    """Write a page through a temporary file beside it; returns its full path."""
    target = os.path.realpath(path)
    temporary = f"{target}.{secrets.token_hex(4)}.tmp"
    try:
        with open(temporary, "x", encoding="utf-8") as file:
            file.write(text)
        os.replace(temporary, target)
    except BaseException:
        with suppress(OSError):
            os.unlink(temporary)
        raise
    return target
