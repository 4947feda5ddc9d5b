"""Many methods on the same data with the same kernel, side by side."""

from mercer.comparison.methods import CLASSIFIERS, REGRESSORS, Method, baselines, machines
from mercer.comparison.result import Comparison, Row
from mercer.comparison.run import compare

__all__ = ["CLASSIFIERS", "REGRESSORS", "Comparison", "Method", "Row", "baselines", "compare", "machines"]
