"""Many methods on the same data with the same kernel, side by side: with default parameters, or tuned.

Read `run.py` for the order of things.
"""

from mercer.comparison.methods import CLASSIFIERS, REGRESSORS, Method, baselines, machines
from mercer.comparison.result import Comparison, Fitted
from mercer.comparison.row import Row
from mercer.comparison.run import compare

__all__ = ["CLASSIFIERS", "REGRESSORS", "Comparison", "Fitted", "Method", "Row", "baselines", "compare", "machines"]
