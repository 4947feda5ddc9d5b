"""scikit-learn's tests of support vector machines, on ours."""

from __future__ import annotations

import pytest
from tests.scikit_learn.borrowed import borrow, few

_PRIVATE = "reads or writes a private attribute of scikit-learn's: "
_DEPRECATED = "scikit-learn is about to remove `probability`, probA_ and probB_ and warns of it; ours stay"

EXCEPTIONS: dict[str, str] = {
    "test_tweak_params": _PRIVATE + "_dual_coef_; in place of it dual_coef_ itself may be changed",
    "test_gamma_scale": _PRIVATE + "_gamma",
    "test_svc_raises_error_internal_representation": _PRIVATE + "_n_support",
    **{f"test_probability_raises_futurewarning[{on}-{name}-{name}]": _DEPRECATED
       for on in (True, False) for name in ("SVC", "NuSVC")},
    **{f"test_svc_nusvc_probA_probB_deprecated[{name}]": _DEPRECATED for name in ("SVC", "NuSVC")},
    "test_svc_nonfinite_params": "wording: the overflow is found in the variance of X, before there are coefficients",
    "test_svr_errors": "a kernel matrix of the wrong shape is refused by fit, there by predict only",
    "test_custom_kernel_not_array_input[SVC]": "their function is right where both arguments are of one length only",
}  # fmt: skip

globals().update(borrow("sklearn.svm.tests.test_svm", "sklearn.svm", "SVC", "NuSVC", "SVR", "NuSVR", "OneClassSVM"))


def test_exceptions_are_few(request: pytest.FixtureRequest) -> None:
    few(request, EXCEPTIONS)
