"""A report as one HTML file that needs no other; texts of the data are escaped by the template."""

from __future__ import annotations

import os
from collections.abc import Sequence
from importlib.resources import files

from mercer.comparison import Comparison
from mercer.report.collect import collect, sample_of
from mercer.report.compact_svg import Sheet
from mercer.report.page import write_page
from mercer.report.pictures import galleries


def write(found: Comparison, path: str | os.PathLike[str], command: Sequence[str] = ()) -> str:
    """Write the report of a tuned comparison; returns its full path.

    `command` are the words of the command that repeats it, which the page then shows.
    """
    return write_page(path, page_of(found, command))


def page_of(found: Comparison, command: Sequence[str] = ()) -> str:
    """The page as text."""
    from jinja2 import Environment, StrictUndefined

    report, sheet = collect(found, command), Sheet()
    pictures = galleries(found, sample_of(found), sheet)
    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    template = environment.from_string(files("mercer.report").joinpath("template.html").read_text(encoding="utf-8"))
    return template.render(report=report, galleries=pictures, css=sheet.css())
