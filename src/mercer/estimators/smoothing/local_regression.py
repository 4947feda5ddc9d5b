"""Local regression: a line or parabola is fitted to the points around each place."""

from __future__ import annotations

from typing import Any

from mercer.errors import bad
from mercer.estimators.smoothing.local_smoother import LocalSmoother


class LocalRegression(LocalSmoother):
    """f(x) is the value at x of the polynomial of least squares sum_i k((x - x_i) / h) (y_i - p(x_i))^2.

    Degree 1 gives back every straight line exactly, also at the ends of the data; degree 0 is NadarayaWatson.

    bandwidth     a positive number, or one for each column; "loo", "gcv" or "aicc": with the least leave-one-out error,
                  generalised cross-validation or corrected AIC; or a rule of densities: "normal", "silverman", "scott",
                  "isj", "sj", "lscv", "lcv".  Numbers for columns of categories are rates, from 0 (only equal ones
                  count) to (c - 1) / c of c unordered ones, or 1 of ordered ones (all count alike)
    degree        0, 1 or 2; of several columns all products up to this degree
    window        the window k: "gaussian", "epanechnikov", "tricube", "boxcar", ... or an object of mercer.windows;
                  with several columns the product of one for each
    neighbours    in place of a bandwidth: how many points each place sees, or which share of them.  Distances are in
                  standard deviations of each column
    categorical   columns of unordered categories, by position or name; they weigh points and are no terms
    ordered       columns of numbers whose distance |a - b| weighs rate^|a - b|
    gaps          what is predicted where no point has a weight: y of the "nearest" point, the "mean", or "nan"

    After fit: bandwidth_, search_ (how it was chosen), fitted_values_, df_ (degrees of freedom), residual_df_, sigma_
    (deviation of the noise), certificate_.  Where the points around a place do not determine all terms, those that are
    not are left out.  `predict` warns (Unsupported) of such places, of gaps, and of places outside of the data.
    """

    def __init__(
        self,
        bandwidth: Any = "loo",
        *,
        degree: int = 1,
        window: Any = "gaussian",
        neighbours: Any = None,
        categorical: Any = (),
        ordered: Any = (),
        gaps: str = "nearest",
    ) -> None:
        self.bandwidth, self.degree, self.window, self.neighbours = bandwidth, degree, window, neighbours
        self.categorical, self.ordered, self.gaps = categorical, ordered, gaps

    @property
    def _degree(self) -> int:  # type: ignore[override]
        if self.degree not in (0, 1, 2) or isinstance(self.degree, bool):
            raise bad(type(self).__name__, "degree", "0, 1 or 2", repr(self.degree), "1 fits lines.")
        return int(self.degree)
