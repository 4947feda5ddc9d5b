"""Kernel values that are no finite numbers: one error for every machine, which names the pair of items (I5)."""

from __future__ import annotations

import inspect
import pickle

import numpy as np
import pytest

import mercer
from mercer import KernelSearchCV, NotFinite
from mercer.estimators.base import KernelEstimator
from mercer.kernels import RBF, Exp, Fixed, Kernel, Linear, Similarity, kernel

pytestmark = pytest.mark.filterwarnings("ignore::mercer.estimators.features.nystroem.FewItems")
rng = np.random.default_rng(0)
bits = rng.integers(0, 2, (30, 6)).astype(float)
bits[:, 0] = 1.0
with_zeros = bits.copy()
with_zeros[[4, 9]] = 0.0
y = np.arange(30) % 2

OVERFLOW = (Fixed(1e200) * RBF()) * (Fixed(1e200) * RBF())


@kernel
class Tanimoto(Kernel):
    """k(x, y) = <x, y> / (|x|^2 + |y|^2 - <x, y>), as README has it: 0/0 for two rows of zeros."""

    def block(self, A, B):
        G = A.values @ B.values.T
        a, b = (A.values**2).sum(1), (B.values**2).sum(1)
        return G / (a[:, None] + b - G)


def any_kernel(cls):
    """Not the window of a density, which is called `kernel` in scikit-learn, too; nor only kernels of x - y."""
    return issubclass(cls, KernelEstimator) and cls is not mercer.RandomFeatures


def _machines():
    """Every public estimator that takes a kernel."""
    found = {name: getattr(mercer, name) for name in mercer._HOME if name[0].isupper()}
    return {
        name: cls
        for name, cls in found.items()
        if hasattr(cls, "fit") and "kernel" in inspect.signature(cls).parameters and any_kernel(cls)
    }


MACHINES = _machines()
machines = pytest.mark.parametrize("name", MACHINES)


def method_of(machine):
    return "predict" if hasattr(machine, "predict") else "transform"


def make(name, k):
    return MACHINES[name](kernel=k)


def test_the_list_of_machines_is_long():
    assert len(MACHINES) >= 22


@machines
def test_a_fit_is_refused_where_a_value_is_not_a_number_I5(name):
    if name == "GPLVM":
        pytest.skip("its kernel compares points of its own making, not the rows of zeros")
    with pytest.raises(NotFinite, match=r"^Tanimoto\(\).*: k must be finite; got nan for items [49] and [49]\. "):
        make(name, Tanimoto()).fit(with_zeros, y)


@machines
def test_a_fit_is_refused_where_a_product_overflows_I5(name):
    with pytest.raises(NotFinite, match=r"k must be finite; got inf for items \d+ and \d+\. "):
        make(name, OVERFLOW).fit(bits, y)


@machines
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_a_prediction_is_refused_where_a_value_is_infinite_I5(name):
    far = bits.copy()
    far[7] *= 1e4
    machine = make(name, Exp(Fixed(0.5) * Linear())).fit(bits, bits[:, 1])
    if name == "GPLVM":
        machine.kernel_ = OVERFLOW
    use = getattr(machine, "inverse_transform" if name == "GPLVM" else method_of(machine))
    with pytest.raises(NotFinite, match="k must be finite; got inf for items"):
        use(far if name != "GPLVM" else machine.embedding_)


def test_a_search_is_refused_as_well_I5():
    with pytest.raises(NotFinite, match="k must be finite; got nan for items 4 and 4"):
        KernelSearchCV(mercer.SVC(), {"kernel": [RBF(), Tanimoto()]}, cv=2, error_score="raise").fit(with_zeros, y)


@pytest.mark.parametrize("n", [30, 900])
def test_positions_are_those_of_the_users_rows_I5(n):
    X = np.vstack([bits] * (n // 30)).astype(float)
    t = np.arange(n) % 3
    X[[n - 7, n - 4]] = 0.0
    for machine in (mercer.SVC(kernel=Tanimoto()), mercer.SVC(kernel=Tanimoto(), class_weight="balanced")):
        with pytest.raises(NotFinite) as fault:
            machine.fit(X, t)
        assert set(fault.value.pair) <= {n - 7, n - 4}


def test_lazy_grams_are_refused_in_all_their_ways_I5():
    gram = mercer.LazyGram(Tanimoto(), with_zeros)
    some = np.array([1, 4, 5, 9])
    ways = [
        gram.dense,
        gram.diag,
        lambda: gram @ np.ones(30),
        lambda: gram.rows([9]),
        lambda: gram.sub(some).dense(),
        lambda: gram.sub(some) @ np.ones(4),
        lambda: gram.values(some, some),
        lambda: gram.times(some, some, np.ones(4)),
        lambda: gram.part(some, some).single().block(slice(None), slice(None)),
        lambda: gram.top(2),
        lambda: gram.nearest(2),
        lambda: mercer.LazyGram(Tanimoto(), with_zeros, with_zeros[4:5]).dense(),
    ]
    for way in ways:
        with pytest.raises(NotFinite, match="got nan for items"):
            way()
    with pytest.raises(NotFinite, match="for items 4 and 4"):
        gram.sub(some).dense()
    with pytest.raises(NotFinite, match="for items 9 and 4"):
        gram.part(np.array([9]), np.array([1, 4])).dense()


def test_kernels_certify_and_functions_give_the_same_error_I5():
    for ask in (
        lambda: Tanimoto()(with_zeros),
        lambda: mercer.certify(Tanimoto(), with_zeros),
        lambda: mercer.distance(Tanimoto(), with_zeros),
        lambda: Similarity(lambda a, b: np.nan)(with_zeros),
        lambda: mercer.SVC(kernel=lambda A, B: np.full((len(A), len(B)), np.nan)).fit(bits, y),
    ):
        with pytest.raises(NotFinite, match="k must be finite; got nan for items"):
            ask()


def test_the_error_survives_the_way_back_from_a_worker_process():
    with pytest.raises(NotFinite) as fault:
        Tanimoto()(with_zeros)
    again = pickle.loads(pickle.dumps(fault.value))
    assert str(again) == str(fault.value)
    assert isinstance(again, ValueError)


def test_a_gaussian_process_leaves_out_hyper_parameters_at_which_its_kernel_overflows():
    x = np.linspace(0.0, 1.0, 20)[:, None]
    fitted = mercer.GaussianProcessRegressor(1.0 * Exp(1.0 * Linear()), alpha=0.1).fit(x, x[:, 0])
    assert np.isfinite(fitted.log_marginal_likelihood_value_)
