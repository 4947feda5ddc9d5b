"""scikit-learn's tests of Gaussian process regression, on ours."""

from __future__ import annotations

import pytest
from tests.scikit_learn.borrowed import borrow, few

WORDING = "the wording of a message: ours says the fault, the value and the cure"
PRIVATE = "_y_train_std is a private attribute of theirs; the rest of the test is in test_regressor.py"

EXCEPTIONS: dict[str, str] = {
    **{f"test_constant_target[kernel{i}]": PRIVATE for i in range(6)},
    "test_gpr_correct_error_message": "a singular covariance is fitted, with a warning that names the cause",
    "test_warning_bounds": WORDING,
    "test_gpr_fit_error[params0-ValueError-alpha must be a scalar or an array with same number of entries as y]":
        WORDING,
    "test_gpr_fit_error[params1-ValueError-requires that all bounds are finite]": WORDING,
    "test_gpr_lml_error": WORDING,
    "test_n_targets_error": WORDING,
}  # fmt: skip

globals().update(
    borrow("sklearn.gaussian_process.tests.test_gpr", "sklearn.gaussian_process", "GaussianProcessRegressor")
)


def test_exceptions_are_few(request: pytest.FixtureRequest) -> None:
    few(request, EXCEPTIONS)
