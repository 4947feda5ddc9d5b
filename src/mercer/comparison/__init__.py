"""Many methods on the same data with the same kernel, side by side: with default parameters, or tuned.

Read `run.py` for the order of things.

run.py               compare(X, y, ...): fits every method to the same items and judges it on the same others
methods.py           the methods that can be compared, by name
sample.py            the items that take part, split into training items and held-out ones
table_sample.py      the same for a table: rows drawn, columns scaled
trial.py             one method on the splits: fitted, timed, judged
tuning.py            how each method is tuned: what is tried, by which criterion, on how many rows
two_stages.py        tuned on a sample, fitted to all rows
all_rows.py          how a method learns from all rows of a large table: landmarks, cells, prototypes and others
growth.py            larger fits with the time that is left
learned_kernel.py    one lengthscale per column of a large table, shared by all methods
deadline.py          a block of work that ends after so many seconds
kernel_family.py     the kernels that tuning tries: one expression with other lengthscales, and other lengths of words
chosen_settings.py   what tuning has chosen, and how much the score depends on it
predictions.py       what a method predicts for held-out items, and how sure it is
paired.py            whether a difference between two methods is more than chance
calibration.py       how far stated probabilities are from what happens
row.py               the results of one method, and the columns that show them
result.py            Comparison: all rows, and the fitted machines
"""

from mercer.comparison.methods import CLASSIFIERS, REGRESSORS, Method, baselines, machines
from mercer.comparison.result import Comparison, Fitted
from mercer.comparison.row import Row
from mercer.comparison.run import compare

__all__ = ["CLASSIFIERS", "REGRESSORS", "Comparison", "Fitted", "Method", "Row", "baselines", "compare", "machines"]
