"""A study as one page that stands alone: numbers and sentences, pictures, and the commands to have them again.

    mercer.report.write(mercer.study.run(table), "report.html")

collect.py says what there is to say, pictures.py draws it, render.py makes a page of both.
"""

from mercer.report.collect import Report, collect
from mercer.report.render import render, write

__all__ = ["Report", "collect", "render", "write"]
