"""Kernel regression: the mean of y around each place, weighted by a window."""

from __future__ import annotations

from typing import Any

from mercer.estimators.smoothing.local_smoother import LocalSmoother


class NadarayaWatson(LocalSmoother):
    """f(x) = sum_i w_i(x) y_i, with weights w_i(x) >= 0 of sum 1 in proportion to k((x - x_i) / h).

    The mean of y under the joint density of x and y that the same window estimates.  f stays between the least and the
    largest y; at the ends of the data it is pulled towards the middle, where LocalRegression is not.

    bandwidth     a positive number, or one for each column; "loo", "gcv" or "aicc": with the least leave-one-out error,
                  generalised cross-validation or corrected AIC; or a rule of densities: "normal", "silverman", "scott",
                  "isj", "sj", "lscv", "lcv".  Numbers for columns of categories are rates, from 0 (only equal ones
                  count) to (c - 1) / c of c unordered ones, or 1 of ordered ones (all count alike)
    window        the window k: "gaussian", "epanechnikov", "tricube", "boxcar", ... or an object of mercer.windows;
                  with several columns the product of one for each
    neighbours    in place of a bandwidth: how many points each place sees, or which share of them.  Distances are in
                  standard deviations of each column
    categorical   columns of unordered categories, by position or name
    ordered       columns of numbers whose distance |a - b| weighs rate^|a - b|
    gaps          what is predicted where no point has a weight: y of the "nearest" point, the "mean", or "nan"

    After fit: bandwidth_, search_ (how it was chosen), fitted_values_, df_ (degrees of freedom), residual_df_, sigma_
    (deviation of the noise), certificate_.  `predict` warns (Unsupported) of places in gaps and outside of the data.
    """

    _degree = 0

    def __init__(
        self,
        bandwidth: Any = "loo",
        *,
        window: Any = "gaussian",
        neighbours: Any = None,
        categorical: Any = (),
        ordered: Any = (),
        gaps: str = "nearest",
    ) -> None:
        self.bandwidth, self.window, self.neighbours = bandwidth, window, neighbours
        self.categorical, self.ordered, self.gaps = categorical, ordered, gaps
