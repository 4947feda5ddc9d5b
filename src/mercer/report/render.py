"""A report as one HTML file that needs nothing else; what comes from the data is escaped by the template."""

from __future__ import annotations

import os
from importlib.resources import files

from mercer.report.collect import Report, collect
from mercer.report.compact import Sheet
from mercer.report.page import write_page
from mercer.report.pictures import Gallery, galleries
from mercer.study import Study


def write(study: Study, path: str | os.PathLike[str]) -> str:
    """Write the report of a study, through a temporary file beside it; returns its full path."""
    report = collect(study)
    sheet = Sheet()
    pictures = galleries(study, report.predicted, sheet)
    page = render(report, pictures, sheet)
    return write_page(path, page)


def render(report: Report, pictures: tuple[Gallery, ...], sheet: Sheet) -> str:
    """The page."""
    from jinja2 import Environment, StrictUndefined

    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    template = environment.from_string(files("mercer.report").joinpath("template.html").read_text(encoding="utf-8"))
    return template.render(report=report, galleries=pictures, css=sheet.css())
