"""What `kernel=` may be, in every estimator: objects, expressions, names, scikit-learn's objects (I3, I4)."""

from __future__ import annotations

import inspect
import pickle

import numpy as np
import pytest
import sklearn.gaussian_process.kernels as theirs
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csr_matrix
from sklearn import kernel_ridge, svm
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV

import mercer
from mercer import SVC, KernelRidge, KernelSearchCV
from mercer.estimators.base import KernelEstimator
from mercer.estimators.sklearn_kernels import Foreign, as_ours
from mercer.kernels import RBF, Kernel, Linear, Matern, Spectrum, TfIdf, kernel

pytestmark = pytest.mark.filterwarnings("ignore::mercer.estimators.features.nystroem.FewItems")
rng = np.random.default_rng(0)
X = rng.normal(size=(40, 3))
y = (X[:, 0] + 0.3 * X[:, 1] ** 2 > 0.2).astype(int)
t = np.sin(X[:, 0]) + 0.1 * X[:, 1]
WORDS = ["GATTACA", "GATTTCA", "CCGCGGC", "CCGGGGC"] * 5


def _machines():
    """Every public estimator that takes a kernel."""
    found = {name: getattr(mercer, name) for name in mercer._HOME if name[0].isupper()}
    takes = {name: cls for name, cls in found.items() if hasattr(cls, "fit")}
    with_kernel = {name: cls for name, cls in takes.items() if "kernel" in inspect.signature(cls).parameters}
    return {name: cls for name, cls in with_kernel.items() if any_kernel(cls)}


def any_kernel(cls):
    """Not the window of a density, which is called `kernel` in scikit-learn, too; nor only kernels of x - y."""
    return issubclass(cls, KernelEstimator) and cls is not mercer.RandomFeatures


MACHINES = _machines()
machines = pytest.mark.parametrize("name", MACHINES)


def fixed(name, k):
    """The machine with this kernel, which it does not tune."""
    known = {"optimizer": None, "random_state": 0}
    cls = MACHINES[name]
    return cls(kernel=k, **{p: v for p, v in known.items() if p in inspect.signature(cls).parameters})


def answers(machine):
    return of(machine.fit(X, y), X[:5] if isinstance(machine, mercer.GPLVM) else X)


def of(machine, items):
    """What a fitted machine says of items."""
    return machine.predict(items) if hasattr(machine, "predict") else machine.transform(items)


# ---- expressions and names


@machines
def test_an_expression_is_the_kernel_that_it_describes_I3(name):
    text = "2*RBF(1.5) + Matern(2.0, nu=2.5)"
    assert_array_equal(answers(fixed(name, text)), answers(fixed(name, 2 * RBF(1.5) + Matern(2.0, nu=2.5))))


@machines
def test_a_name_is_a_kernel_at_the_lengthscale_of_gamma_I3(name):
    if name in ("GPLVM", "GaussianProcessRegressor", "GaussianProcessClassifier"):
        pytest.skip("names of Gaussian processes say a form that is tuned, or none")
    machine = clone(fixed(name, "matern"))
    machine.fit(X, y)
    used = machine._kernel_for(X)
    assert type(used) is Matern
    assert used.nu == 2.5
    rbf = fixed(name, "rbf")._kernel_for(X)
    assert used.lengthscale == rbf.lengthscale


@machines
def test_names_of_items_other_than_vectors_bring_their_items_I3(name):
    if name == "GPLVM":
        pytest.skip("its items are points of its own")
    labels = np.arange(20) % 4 // 2
    by_name, by_object = fixed(name, "spectrum").fit(WORDS, labels), fixed(name, Spectrum()).fit(WORDS, labels)
    assert_array_equal(of(by_name, WORDS), of(by_object, WORDS))


@pytest.mark.parametrize("name", ["linear", "poly", "rbf", "sigmoid"])
def test_scikit_learns_names_mean_what_they_mean_there_I3(name):
    ours, others = (cls(kernel=name, coef0=0.5, tol=1e-6).fit(X, y) for cls in (SVC, svm.SVC))
    assert_allclose(ours.decision_function(X), others.decision_function(X), atol=1e-3)


@pytest.mark.parametrize("name", ["linear", "poly", "polynomial", "rbf", "sigmoid", "laplacian", "cosine", "chi2"])
def test_scikit_learns_names_in_ridge_mean_what_they_mean_there_I3(name):
    V = abs(X)
    gamma = 1.0 if name == "chi2" else None  # None is 1 there, too, as scikit-learn says, but it fails
    ours, others = (cls(kernel=name, gamma=gamma).fit(V, t) for cls in (KernelRidge, kernel_ridge.KernelRidge))
    assert_allclose(ours.predict(V), others.predict(V), rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize(("given", "near"), [
    ("matren", "'matern'"), ("RBF", "'rbf'"), ("lapalcian", "'laplacian'"), ("precomputd", "'precomputed'"),
    ("rational quadratic", "'rational_quadratic'"), ("spectrm", "'spectrum'"), ("polynom", "'polynomial'"),
])  # fmt: skip
@machines
def test_a_misspelt_name_is_refused_with_the_near_ones_I5(name, given, near):
    if name == "GPLVM":
        pytest.skip("it takes no names")
    with pytest.raises(ValueError, match=rf"{name}: kernel must be one of .* got '{given}'\. Did you mean .*{near}"):
        fixed(name, given).fit(X, y)


def test_a_fault_in_an_expression_names_the_near_kernel_I5():
    with pytest.raises(ValueError, match=r"parse: text must be .* Did you mean 'Matern'\?"):
        SVC(kernel="2*Matren(1.0)").fit(X, y)
    with pytest.raises(ValueError, match="lengthscale must be a positive number"):
        SVC(kernel="RBF(-1.0)").fit(X, y)


def test_what_is_no_kernel_at_all_is_refused_I5():
    for given in (3, None, RBF, ["rbf"]):
        with pytest.raises(ValueError, match="SVC: kernel must be one of"):
            SVC(kernel=given).fit(X, y)


def test_parameters_of_an_expression_are_reached():
    machine = SVC(kernel="2*RBF(1.5)").set_params(kernel__k1__lengthscale=3.0)
    assert machine.kernel == 2 * RBF(3.0)
    with pytest.raises(ValueError, match=r"kernel must be a kernel object for kernel__\.\.\. parameters"):
        SVC(kernel="rbf").set_params(kernel__lengthscale=3.0)


def test_searches_take_expressions_and_names():
    grid = {"kernel": ["2*RBF(1.5)", "matern", "rbf", Matern(2.0)], "C": [1.0]}
    ours, others = (search(SVC(), grid, cv=3).fit(X, y) for search in (KernelSearchCV, GridSearchCV))
    assert_allclose(ours.cv_results_["mean_test_score"], others.cv_results_["mean_test_score"])
    assert KernelSearchCV(SVC(kernel="Matern(2.0)"), "auto", cv=3).fit(X, y).best_score_ > 0.7


def test_saved_machines_keep_their_expression(tmp_path):
    machine = SVC(kernel="2*RBF(1.5)").fit(X, y)
    mercer.save(machine, tmp_path / "m.mercer")
    again = mercer.load(tmp_path / "m.mercer")
    assert again.kernel == "2*RBF(1.5)"
    assert_array_equal(again.predict(X), machine.predict(X))


# ---- scikit-learn's kernel objects

THEIRS = {
    "RBF": theirs.RBF(1.3),
    "RBF by column": theirs.RBF([1.0, 2.0, 3.0]),
    "Matern": theirs.Matern(1.3, nu=2.5),
    "Matern of any nu": theirs.Matern(1.3, nu=0.8),
    "RationalQuadratic": theirs.RationalQuadratic(1.3, alpha=0.7),
    "ExpSineSquared": theirs.ExpSineSquared(1.3, periodicity=5.0),
    "DotProduct": theirs.DotProduct(0.7),
    "constant": theirs.ConstantKernel(2.0) * theirs.RBF(1.3) + theirs.ConstantKernel(0.5),
    "product": theirs.RBF(2.0) * theirs.Matern(1.0),
    "power": theirs.DotProduct(1.0) ** 2,
    "broken power": theirs.RBF(1.0) ** 0.5,
    "pairwise": theirs.PairwiseKernel(gamma=0.4, metric="laplacian"),
    "fixed": theirs.RBF(1.3, "fixed"),
}
kinds = pytest.mark.parametrize("kind", THEIRS)


def rows_for(kind):
    """Rows on which the kernel is positive semi-definite."""
    return X[:, :1] if kind == "ExpSineSquared" else X


@kinds
def test_values_are_those_of_scikit_learn(kind):
    for V in (X, X[:, :1]) if kind != "RBF by column" else (X,):
        k = as_ours(THEIRS[kind], V.shape[1])
        assert_allclose(k(V), THEIRS[kind](V), rtol=1e-9, atol=1e-12)
        assert_allclose(k(V, V[:5] + 0.1), THEIRS[kind](V, V[:5] + 0.1), rtol=1e-9, atol=1e-12)


@kinds
def test_ridge_and_svm_with_their_kernels_are_scikit_learns_I4(kind):
    k, V = THEIRS[kind], rows_for(kind)
    ours, others = (cls(kernel=k, alpha=0.5).fit(V, t) for cls in (KernelRidge, kernel_ridge.KernelRidge))
    assert_allclose(ours.predict(V), others.predict(V), rtol=1e-6, atol=1e-7)
    ours, others = (cls(kernel=k, C=2.0, tol=1e-6).fit(V, y) for cls in (SVC, svm.SVC))
    assert_allclose(ours.decision_function(V), others.decision_function(V), atol=1e-3)


def test_a_kernel_of_theirs_that_is_not_positive_is_warned_of_T1():
    k = theirs.ExpSineSquared(1.3, periodicity=2.0)  # on several columns it is none
    with pytest.warns(UserWarning, match="KernelRidge: the kernel is not positive semi-definite"):
        warned = KernelRidge(kernel=k, alpha=5.0).fit(X, t)
    others = kernel_ridge.KernelRidge(kernel=k, alpha=5.0).fit(X, t)
    assert_allclose(warned.predict(X), others.predict(X), rtol=1e-6, atol=1e-7)


@machines
@pytest.mark.parametrize("kind", ["constant", "ExpSineSquared", "pairwise"])
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_every_machine_takes_their_kernels_and_leaves_them_as_they_are_I4(name, kind):
    if (name, kind) == ("GPLVM", "pairwise"):
        pytest.skip("a slope in the items needs a closed form")
    k = THEIRS[kind]
    before = repr(k)
    machine = fixed(name, k)
    assert machine.get_params()["kernel"] is k
    V = rows_for(kind)
    if name == "GPLVM":
        machine.set_params(n_components=1).fit(X)
    else:
        assert len(of(machine.fit(V, y), V)) == 40
    assert repr(k) == before
    assert clone(machine).kernel == k
    pickle.loads(pickle.dumps(machine))


@machines
def test_parameters_of_their_kernels_are_reached_I4(name):
    machine = clone(fixed(name, 2.0 * theirs.RBF(1.3)))
    assert machine.get_params()["kernel__k2__length_scale"] == 1.3
    machine.set_params(kernel__k2__length_scale=0.4)
    assert machine.kernel.k2.length_scale == 0.4
    machine.set_params(kernel=theirs.RBF(1.0), kernel__length_scale=0.7)
    assert machine.kernel == theirs.RBF(0.7)
    with pytest.raises(ValueError, match="lengthscale"):
        machine.set_params(kernel__lengthscale=2.0)


def test_a_search_over_their_parameters_is_scikit_learns_I4():
    grid = {"kernel__length_scale": [0.3, 1.0, 3.0], "alpha": [0.1, 1.0]}
    k = theirs.ExpSineSquared(1.0, periodicity=3.0)
    ours, ours_shared, others = (
        search(machine(kernel=k), grid, cv=3).fit(X[:, :1], t).cv_results_["mean_test_score"]
        for search, machine in (
            (GridSearchCV, KernelRidge), (KernelSearchCV, KernelRidge), (GridSearchCV, kernel_ridge.KernelRidge)
        )
    )  # fmt: skip
    assert_allclose(ours, others, rtol=1e-6)
    assert_allclose(ours_shared, others, rtol=1e-3)  # its folds stop at a tolerance of their own


@pytest.mark.parametrize("k", [
    theirs.WhiteKernel(0.1), theirs.RBF(1.0) + theirs.WhiteKernel(0.1),
    theirs.ConstantKernel() * (theirs.RBF(1.0) + theirs.WhiteKernel(0.1)), (theirs.WhiteKernel() + theirs.RBF()) ** 2,
], ids=repr)  # fmt: skip
@machines
def test_noise_is_refused_where_there_is_none_I5(name, k):
    if name in ("GaussianProcessRegressor", "GaussianProcessClassifier"):
        fixed(name, k)  # they have it
        return
    with pytest.raises(ValueError, match=f"{name}: kernel must be without a WhiteKernel.* Leave it out: here alpha"):
        fixed(name, k).fit(X, y)


@machines
def test_several_kernels_in_one_are_refused_I5(name):
    if name in ("GaussianProcessRegressor", "GaussianProcessClassifier"):
        pytest.skip("they refuse it themselves")
    with pytest.raises(ValueError, match=f"{name}: kernel must be one kernel; got CompoundKernel"):
        fixed(name, theirs.CompoundKernel([theirs.RBF(), theirs.Matern()])).fit(X, y)


@kinds
def test_sparse_rows_are_those_rows(kind):
    V = rows_for(kind)
    S = np.where(abs(V) > 0.5, V, 0.0)
    dense, sparse = (KernelRidge(kernel=THEIRS[kind]).fit(V, t) for V in (S, csr_matrix(S)))
    assert_allclose(sparse.predict(csr_matrix(S)), dense.predict(S), rtol=1e-7, atol=1e-9)


def test_kernels_on_other_items_work():
    class Same(theirs.GenericKernelMixin, theirs.StationaryKernelMixin, theirs.Kernel):
        """1 for equal items."""

        def __init__(self):
            pass

        def __call__(self, X, Y=None, eval_gradient=False):
            return np.array([[float(a == b) for b in (X if Y is None else Y)] for a in X])

        def diag(self, X):
            return np.ones(len(X))

    labels = np.arange(20) % 4 // 2
    assert SVC(kernel=Same()).fit(WORDS, labels).score(WORDS, labels) == 1.0


def test_saved_machines_keep_their_kernels(tmp_path):
    for k in (THEIRS["constant"], THEIRS["ExpSineSquared"]):
        machine = SVC(kernel=k, check_psd="off").fit(X, y)
        mercer.save(machine, tmp_path / "m.mercer")
        again = mercer.load(tmp_path / "m.mercer")
        assert again.kernel == k
        assert_array_equal(again.predict(X), machine.predict(X))


def test_kernels_called_as_they_are_have_a_hash_and_a_name():
    k = as_ours(THEIRS["pairwise"], 3)
    assert isinstance(k, Foreign)
    assert k == as_ours(THEIRS["pairwise"], 3)
    assert hash(k) == hash(as_ours(THEIRS["pairwise"], 3))
    assert repr(k) == repr(THEIRS["pairwise"])


# ---- raw errors of before


def test_a_grid_by_name_for_a_kernel_without_a_lengthscale_is_refused_I5():
    texts = ["good film", "dull film", "fine acting", "poor acting"] * 5
    for k in (TfIdf(), Linear(), mercer.kernels.Hamming()):
        with pytest.raises(ValueError, match=r"KernelSearchCV: estimator must be one whose kernel .* or pass a grid"):
            KernelSearchCV(SVC(kernel=k), "auto").fit(texts, [0, 1] * 10)


def test_a_kernel_class_without_its_decorator_is_refused_with_the_cure_I5():
    class Bare(Kernel):
        def block(self, A, B):
            return A.values @ B.values.T

    class Wide(RBF):
        width: float = mercer.parameters.hyper(1.0)

    for cls in (Bare, Wide):
        with pytest.raises(TypeError, match=rf"{cls.__name__}: .* Write @kernel above `class {cls.__name__}`\."):
            cls()
        assert kernel(cls)()(X).shape == (40, 40)


def test_a_subclass_that_adds_no_field_needs_no_decorator():
    class Same(RBF):
        pass

    assert_array_equal(Same(2.0)(X), RBF(2.0)(X))
