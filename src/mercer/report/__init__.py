"""A tuned comparison as one HTML page that needs no other file: numbers, sentences, pictures, and how to repeat it.

    mercer.report.write(mercer.compare(table, "price", tune=True), "report.html")

collect.py has the numbers and sentences, pictures.py draws, render.py makes a page of both.
"""

from mercer.report.collect import Report, collect
from mercer.report.render import write

__all__ = ["Report", "collect", "write"]
