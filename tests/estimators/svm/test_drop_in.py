"""What programs written for scikit-learn's machines bring along: weights, options, functions, lists, sparse rows (I9).

scikit-learn's own test files run on ours in tests/scikit_learn; here is what they do not try.
"""

from __future__ import annotations

import warnings

import numpy as np
import pytest
import sklearn.svm
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csr_matrix, lil_matrix
from sklearn.metrics.pairwise import rbf_kernel

import mercer
from mercer import SVC, SVR, KernelLogisticRegression, KernelRidge, NuSVC, NuSVR, OneClassSVM
from mercer.kernels import RBF

rng = np.random.default_rng(0)
X, new = rng.normal(size=(60, 2)), rng.normal(size=(7, 2))
t = np.sin(X[:, 0]) + 0.1 * rng.normal(size=60)
y, three = (t > 0).astype(int), np.digitize(t, [-0.4, 0.4])
MACHINES = {
    "SVC": (SVC(gamma=0.5, tol=1e-6), y),
    "SVC, three classes": (SVC(gamma=0.5, tol=1e-6), three),
    "NuSVC": (NuSVC(nu=0.3, gamma=0.5, tol=1e-6), y),
    "SVR": (SVR(gamma=0.5, tol=1e-6), t),
    "NuSVR": (NuSVR(gamma=0.5, tol=1e-6), t),
    "OneClassSVM": (OneClassSVM(gamma=0.5, tol=1e-6), None),
}
every_machine = pytest.mark.parametrize("name", MACHINES)


def values(machine, items):
    return machine.predict(items) if isinstance(machine, (SVR, NuSVR)) else machine.decision_function(items)


def fitted(name, items=X, **options):
    machine, target = MACHINES[name]
    return mercer.__dict__[type(machine).__name__](**machine.get_params() | options).fit(items, target)


# ---- weights


@every_machine
def test_items_of_negative_weight_are_absent(name):
    machine, target = MACHINES[name]
    w, stay = np.r_[-1.0, np.ones(50), np.full(9, -0.5)], slice(1, 51)
    machine.fit(X, target, sample_weight=w)
    found, certificate = values(machine, new), machine.certificate_
    assert machine.support_.min() >= 1
    assert machine.support_.max() <= 50
    machine.fit(X[stay], None if target is None else target[stay])
    assert_allclose(found, values(machine, new), atol=1e-4)
    machine.fit(X, target, sample_weight=w)
    assert_allclose(mercer.verify(machine, X, target, sample_weight=w).primal, certificate.primal, rtol=1e-6)


@pytest.mark.parametrize("machine", [KernelRidge(), KernelLogisticRegression()])
def test_other_machines_refuse_negative_weights_and_say_where(machine):
    w = np.r_[np.ones(3), -2.0, np.ones(56)]
    owner = type(machine).__name__
    with pytest.raises(ValueError, match=f"{owner}: sample_weight must be >= 0; got -2.0 for item 3"):
        machine.fit(X, y, sample_weight=w)
    with pytest.raises(ValueError, match=rf"{owner}: sample_weight must be 60 numbers.*shape \(61,\)"):
        machine.fit(X, y, sample_weight=np.ones(61))


# ---- the fitted machine


@every_machine
@pytest.mark.parametrize("form", [np.asarray, csr_matrix], ids=["dense", "sparse"])
def test_changed_coefficients_change_the_prediction(name, form):
    machine = fitted(name, form(X))
    before = values(fitted(name, form(X), **({"decision_function_shape": "ovo"} if "SVC" in name else {})), form(new))
    if "SVC" in name:
        machine.decision_function_shape = "ovo"
    machine.dual_coef_ = 2.0 * machine.dual_coef_
    assert_allclose(values(machine, form(new)) - machine.intercept_, 2.0 * (before - machine.intercept_), atol=1e-12)


@every_machine
def test_sparse_rows_after_a_dense_fit_are_refused(name):
    with pytest.raises(ValueError, match=r"cannot use sparse input in .* trained on dense data"):
        values(fitted(name), lil_matrix(new))
    assert_allclose(values(fitted(name, lil_matrix(X)), lil_matrix(new)), values(fitted(name), new), atol=1e-4)
    with pytest.raises(ValueError, match="has 3 features"):
        values(fitted(name, lil_matrix(X)), lil_matrix(np.ones((2, 3))))


# ---- options


@pytest.mark.parametrize("name", ["SVC", "NuSVC", "SVR", "NuSVR", "OneClassSVM"])
def test_the_defaults_of_scikit_learn_are_understood(name):
    """Also those of 1.9, where probability="deprecated" means that there are none."""
    theirs = getattr(sklearn.svm, name)()
    ours = getattr(mercer, name)(**theirs.get_params())
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ours.fit(X, y)
    assert hasattr(ours, "predict_proba") == hasattr(theirs, "predict_proba")


def test_probabilities_that_were_not_asked_for_name_the_option():
    with pytest.raises(AttributeError, match="set probability=True before fit"):
        SVC().fit(X, y).predict_proba(X)


@pytest.mark.parametrize("degree", [2.5, -1, "two", np.nan])
@pytest.mark.parametrize("machine", [SVC, SVR, OneClassSVM])
def test_a_degree_that_is_no_integer_is_refused_by_its_name(machine, degree):
    with pytest.raises(ValueError, match=f"{machine.__name__}: degree must be an integer >= 0; got"):
        machine(kernel="poly", degree=degree).fit(X, y)


@pytest.mark.parametrize("degree", [0, 2.0, 2])
def test_degrees_that_scikit_learn_takes(degree):
    ours = SVC(kernel="poly", degree=degree, tol=1e-6).fit(X, y)
    theirs = sklearn.svm.SVC(kernel="poly", degree=int(degree), tol=1e-6).fit(X, y)
    assert_allclose(ours.decision_function(new), theirs.decision_function(new), atol=1e-4)


def test_an_infinite_C_of_regression_is_a_tube_that_all_targets_are_in():
    machine = SVR(C=np.inf, epsilon=0.3, gamma=1.0, tol=1e-6).fit(X, t)
    assert np.abs(machine.predict(X) - t).max() <= 0.3 + 1e-5
    large = SVR(C=1e8, epsilon=0.3, gamma=1.0, tol=1e-6).fit(X, t)
    assert_allclose(machine.predict(new), large.predict(new), atol=1e-5)
    assert machine.certificate_.converged
    assert machine.certificate_.relative_gap == np.inf  # nothing bounds a tube that is missed by rounding


def test_targets_that_no_tube_holds_are_told_so():
    twice = np.repeat(X, 2, axis=0)
    with pytest.raises(ValueError, match=r"C must be finite for targets that no function.*or a larger epsilon"):
        SVR(C=np.inf).fit(twice, np.tile([0.0, 1.0], 60))


def test_values_too_large_for_a_variance_are_refused_without_a_warning():
    huge = np.finfo(float).max * rng.uniform(size=(10, 2))
    for form in (np.asarray, csr_matrix):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            with pytest.raises(ValueError, match="X must be numbers whose variance is finite"):
                SVC().fit(form(huge), np.tile([0, 1], 5))


# ---- nu without a margin


@pytest.mark.parametrize(("constant", "kernel"), [(False, "linear"), (True, "linear"), (True, "rbf")])
def test_classes_without_a_margin_are_told_so(constant, kernel):
    r = np.random.default_rng(1)
    items, labels = r.integers(0, 5, (20, 1)) * 1.0, r.integers(0, 2, 20)
    items = np.ones((20, 3)) if constant else items
    with pytest.raises(ValueError, match=r"NuSVC: nu must be so large that a margin is left.*got 0\.2, and rho = 0"):
        NuSVC(nu=0.2, kernel=kernel).fit(items, labels)


def test_a_fit_that_ends_before_there_is_a_margin_still_predicts():
    with pytest.warns(mercer.NotConverged):
        machine = NuSVC(nu=0.2, kernel="linear", max_iter=1).fit(X, rng.integers(0, 2, 60))
    assert np.isfinite(machine.decision_function(X)).all()


# ---- matrices and functions


@every_machine
def test_matrices_of_kernel_values_may_be_lists(name):
    K = RBF(1.0)(X)
    lists, arrays = fitted(name, K.tolist(), kernel="precomputed"), fitted(name, K, kernel="precomputed")
    assert_array_equal(values(lists, RBF(1.0)(new, X).tolist()), values(arrays, RBF(1.0)(new, X)))


@every_machine
def test_a_function_may_be_given_lists(name):
    """As there, it gets the items as they are passed; one that takes arrays as Y may be given a list as X."""
    machine = fitted(name, kernel=lambda A, B: rbf_kernel(A, B, gamma=0.5))
    assert_allclose(values(machine, new), values(fitted(name, kernel=RBF(1.0)), new), atol=1e-4)

    def strict(A, B):
        assert isinstance(B, np.ndarray)  # as y.T in a linear kernel needs it
        return rbf_kernel(A, B, gamma=0.5)

    assert_array_equal(values(fitted(name, kernel=strict), new.tolist()), values(machine, new))


@pytest.mark.parametrize("form", [csr_matrix, lil_matrix])
def test_a_sparse_matrix_of_kernel_values_is_refused(form):
    with pytest.raises(TypeError, match="SVC: Sparse precomputed kernels are not supported"):
        SVC(kernel="precomputed").fit(form(RBF()(X)), y)
