"""A study: every method tuned and judged on one table, from which a report is made.

    found = mercer.study.run(mercer.tables.read("spam.csv"), "type")
    print(found.comparison)

Read `sample.py` for the rows that take part, `tuning.py` for how methods are tuned, `run.py` for the order of things.
"""

from mercer.study.result import Sensitivity, Study
from mercer.study.run import run

__all__ = ["Sensitivity", "Study", "run"]
