"""A tuned comparison as one HTML page that needs no other file: numbers, sentences, pictures, and how to repeat it.

    mercer.report.write(mercer.compare(table, "price", tune=True), "report.html")

collect.py         the numbers and sentences
answer.py          the first lines: which method is best, and how sure that is
approximations.py  what was approximated to learn from all rows, in words
method_table.py    the table of methods
drawings.py        one function per heading: figures with their captions
pictures.py        the same as SVG in the page; compact_svg.py makes it small
projection.py      training rows on two axes
render.py          the page
"""

from mercer.report.collect import Report, collect
from mercer.report.render import write

__all__ = ["Report", "collect", "write"]
