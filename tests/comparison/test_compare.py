"""compare: the same items and the same kernel for every method, and numbers that can be had in another way (M35)."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.sparse import csr_matrix
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.metrics import log_loss
from sklearn.model_selection import GridSearchCV, KFold, cross_val_score, train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import mercer
from mercer import SVC, SVR, GaussianProcessRegressor, KernelRidge, L1VMClassifier
from mercer.comparison import Comparison, Row, baselines, compare, machines
from mercer.comparison.paired import item_losses
from mercer.comparison.row import COLUMNS, TERMINAL, TEXT, columns_on
from mercer.items import Vectors
from mercer.kernels import RBF, Bounded, Hamming, Linear, Normalised, On, Sigmoid, Spectrum

rng = np.random.default_rng(0)
n = 90
X = rng.normal(size=(n, 2))
noise = 0.2 * rng.normal(size=n)
y = np.where(X[:, 0] * X[:, 1] + noise > 0.0, "yes", "no")
three = np.digitize(X[:, 0] + noise, [-0.4, 0.4])
t = np.sin(X[:, 0]) + X[:, 1] + noise
k = RBF(1.0)
FAST = ["svm", "l1vm", "klr"]
train, test = train_test_split(np.arange(n), test_size=0.25, stratify=y, random_state=0)


def held_out_of(target):
    return train_test_split(np.arange(len(target)), test_size=0.25, random_state=0)[1]


def without_seconds(found):
    return [replace(row, fit_seconds=None, predict_seconds=None) for row in found]


def numbers(row):
    return [row.score, row.log_loss, row.calibration_error, row.n_kept]


# ---- what the numbers are


def test_it_is_public():
    assert mercer.compare is compare


def test_a_row_is_what_the_machine_gives_by_hand():
    found = compare(X, y, k, ["l1vm"])["l1vm"]
    train_, test_ = np.sort(train), np.sort(test)
    machine = L1VMClassifier(k).fit(X[train_], y[train_])
    P = machine.predict_proba(X[test_])
    assert found.score == machine.score(X[test_], y[test_])
    assert_allclose(found.log_loss, log_loss(y[test_], P))
    assert (found.n_kept, found.n_train) == (len(machine.support_), len(train))
    assert found.certificate == str(machine.certificate_)
    assert found.fit_seconds > 0.0
    assert found.predict_seconds > 0.0


def test_cross_validation_is_scikit_learns():
    folds = KFold(4, shuffle=True, random_state=3)
    found = compare(X, t, k, ["svm", "ridge"], cv=folds)
    scores = cross_val_score(SVR(kernel=k), X, t, cv=folds)
    assert_allclose([found["svm"].score, found["svm"].score_std], [scores.mean(), scores.std()])
    scores = cross_val_score(KernelRidge(kernel=k, fit_intercept=True), X, t, cv=folds)
    assert_allclose(found["ridge"].score, scores.mean())
    assert found["ridge"].n_kept == found["ridge"].n_train == 67.5


def test_scoring_is_any_scorer():
    found = compare(X, t, k, ["svm", "dummy"], scoring="neg_root_mean_squared_error", test_size=30)
    assert found["dummy"].score < found["svm"].score < 0.0
    assert found.scoring == "neg_root_mean_squared_error"

    def minus_one(estimator, X, y):
        return -1.0

    assert compare(X, t, k, "svm", scoring=minus_one)["svm"].score == -1.0


def test_the_loss_of_a_number_is_that_of_its_density_noise_included():
    """log N(y | mean, std^2) of a new observation: of f alone it would be hundreds of nats for noisy data."""
    model = GaussianProcessRegressor(k, optimizer=None, noise=0.04)
    found = compare(X, t, k, [("gp", model), "rvm", "svm", "dummy"], test_size=30)
    assert found["gp"].log_loss < 1.0
    assert found["gp"].calibration_error < 0.2
    assert found["rvm"].log_loss < 1.0
    assert found["svm"].log_loss is None
    assert found["dummy"].log_loss is None


def test_machines_without_probabilities_have_no_loss():
    found = compare(X, y, k, ["svm", "svm + platt", "perceptron"])
    assert found["svm"].log_loss is found["svm"].calibration_error is found["perceptron"].log_loss is None
    assert 0.0 < found["svm + platt"].log_loss < np.log(2.0)
    assert found["svm + platt"].score == found["svm"].score


def test_all_numbers_but_the_seconds_come_again():
    one, two = (compare(X, y, k, ["rvm", "svm + platt", "rbf network", "perceptron"], random_state=2) for _ in range(2))
    assert without_seconds(one) == without_seconds(two)
    other = compare(X, y, k, ["rvm"], random_state=0)
    assert numbers(other["rvm"]) != numbers(one["rvm"])


# ---- any kernel, any items, any estimator


@pytest.mark.parametrize(("task", "target"), [("classification", y), ("classification", three), ("regression", t)])
def test_all_methods_run_and_none_fails_M35_M37(task, target):
    found = compare(X, target, k, machines(task) + baselines(task))
    assert {row.name: row.error for row in found if row.error} == {}
    assert found.task == task
    worst = found["dummy"].score
    assert all(row.score > worst for row in found if row.name in machines(task))
    assert all(row.certificate for row in found if row.name in machines(task))


@pytest.mark.parametrize("target", [y, t], ids=["classes", "numbers"])
def test_a_gram_gives_what_its_items_give_I3(target):
    """The Gaussian process also: where a kernel cannot be tuned it is told k(x, x), which varies here."""
    kernel = k * (1.0 + Linear())
    task = "regression" if target is t else "classification"
    gp = {"regression": "GaussianProcessRegressor", "classification": "GaussianProcessClassifier"}[task]
    options = {"optimizer": None} | ({"noise": 0.04} if target is t else {})
    names = [name for name in machines(task) if name not in ("gp", "rbf network")]
    items = compare(X, target, kernel, [*names, ("gp", getattr(mercer, gp)(kernel, **options))])
    gram = compare(kernel(X), target, "precomputed", [*names, ("gp", getattr(mercer, gp)("precomputed", **options))])
    for row in items:
        assert row.error is None
        a, b = numbers(row), numbers(gram[row.name])
        assert [value is None for value in a] == [value is None for value in b]
        assert_allclose([v for v in a if v is not None], [v for v in b if v is not None], rtol=1e-2)


def test_strings_are_compared_by_all_machines_I1():
    words = ["".join(rng.choice(list("abcd"[c : c + 2]), size=12)) for c in np.arange(60) % 3]
    found = compare(words, np.arange(60) % 3, Normalised(Spectrum(2)), [*machines("classification"), "lda", "dummy"])
    assert [row.name for row in found if row.error] == ["lda"]
    assert "rows of numbers" in found["lda"].error
    assert all(row.score > 0.9 for row in found if row.name in machines("classification"))


def test_tables_of_columns_are_taken_apart_by_their_kernel_I1():
    table = {"a": X[:, 0].tolist(), "town": np.where(X[:, 1] > 0.0, "x", "z").tolist()}
    found = compare(table, y, On("a", RBF(1.0)) * On("town", Hamming()), FAST)
    assert all(row.score > 0.6 for row in found)


@pytest.mark.parametrize("kind", ["frame", "wrapped", "sparse"])
def test_vectors_come_in_any_clothes_I1(kind):
    pd = pytest.importorskip("pandas")
    makers = {"frame": pd.DataFrame, "wrapped": lambda X: Vectors.check(X, "test"), "sparse": csr_matrix}
    methods = ["l1vm", "logistic regression"]
    for row, plain in zip(compare(makers[kind](X), y, k, methods), compare(X, y, k, methods), strict=True):
        assert (row.error, row.n_kept) == (None, plain.n_kept)
        assert_allclose([row.score, row.log_loss], [plain.score, plain.log_loss], rtol=1e-6)


def test_searches_and_pipelines_take_part_with_the_machine_inside_them():
    search = GridSearchCV(SVC(kernel=k), {"C": [0.1, 10.0]}, cv=3)
    found = compare(X, y, k, [("tuned", search), ("scaled", make_pipeline(StandardScaler(), SVC()))])
    assert 0 < found["tuned"].n_kept < found["tuned"].n_train
    assert found["scaled"].certificate
    assert not hasattr(search, "best_estimator_")


def test_labels_that_look_like_numbers_are_what_they_are_said_to_be():
    counts = rng.integers(0, 4, n).astype(float)
    assert compare(X, counts, k, "dummy").task == "classification"
    assert compare(X, counts, k, "dummy", task="regression").scoring == "R^2"


# ---- failures are results


class Broken(ClassifierMixin, BaseEstimator):
    """An estimator that fails when there are many items, and warns before that."""

    def fit(self, X, y):
        import warnings

        warnings.warn("a remark", UserWarning, stacklevel=2)
        raise RuntimeError(f"no more than 10 of {len(X)}")


def test_the_failure_of_one_method_does_not_end_the_run():
    found = compare(X, y, k, [("broken", Broken()), "svm", "ridge"])
    assert found["broken"].error == "RuntimeError: no more than 10 of 67"
    assert found["broken"].warnings == ("a remark",)
    assert "got classification" in found["ridge"].error
    assert found["broken"].score is None
    assert found.best.name == "svm"
    assert "failed: RuntimeError" in found.table()
    with pytest.raises(ValueError, match=r"all 2 methods failed. broken: RuntimeError"):
        _ = compare(X, y, k, [("broken", Broken()), "ridge"]).best


def test_warnings_are_kept_in_the_row_of_the_method_that_gave_them_I6():
    found = compare(X, y, Sigmoid(1.0, offset=-0.5), ["svm", "l1vm"])
    assert any("not positive semi-definite" in text for text in found["svm"].warnings)
    assert found["l1vm"].warnings == ()
    assert "svm: SVC: the kernel is not positive semi-definite" in str(found)


def test_bounds_of_the_shared_kernel_are_not_told_as_faults_of_one_method():
    assert compare(X, 100.0 * t, RBF(Bounded(1.0, 0.9, 1.1)), "gp")["gp"].warnings == ()


def test_an_interrupt_is_no_failure_of_a_method():
    class Interrupted(Broken):
        def fit(self, X, y):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        compare(X, y, k, [("slow", Interrupted())])


def test_progress_is_told_before_each_method_and_at_the_end():
    told = []
    compare(X, y, k, ["dummy", "svm"], progress=lambda *state: told.append(state))
    assert told == [(0, 2, "dummy"), (1, 2, "svm"), (2, 2, "")]


@pytest.mark.parametrize(("arguments", "fault"), [
    ({"X": X, "kernel": "precomputed"}, r"square Gram matrix .* got shape \(90, 2\)"),
    ({"y": y[:-1]}, "inconsistent numbers of samples"),
    ({"task": "ranking"}, "task must be one of"),
    ({"methods": "forest"}, "got 'forest'"),
    ({"test_size": 2.0}, "test_size"),
])  # fmt: skip
def test_what_cannot_be_compared_is_refused(arguments, fault):
    with pytest.raises(ValueError, match=fault):
        compare(**{"X": X, "y": y, "kernel": k, "methods": "svm"} | arguments)


# ---- the table


def test_the_table_is_aligned_and_has_a_dash_for_what_is_missing():
    found = compare(X, y, k, ["svm", "l1vm", "perceptron"])
    lines = found.table().splitlines()
    assert lines[0].split()[:3] == ["method", "score", "log"]
    ends = {
        line.index(cell) + len(cell)
        for line, cell in zip(lines[1:], [f"{row.score:.4f}" for row in found], strict=True)
    }
    assert len(ends) == 1
    assert lines[1].split()[2:4] == ["-", "-"]
    assert str(found).splitlines()[0] == "classification, accuracy, 67 training and 23 held-out items, kernel RBF(1.0)"


def test_one_table_of_columns_has_all_that_a_row_tells():
    fields = [field for field in Row.__dataclass_fields__ if field != "losses"]
    assert sorted(column.key for column in COLUMNS) == sorted(fields)
    found = compare(X, y, k, ["svm"])
    for output, last in ((TEXT, "certificate"), (TERMINAL, "proof")):
        columns = columns_on(output)
        assert found.table(output).splitlines()[0].split("  ")[-1].strip() == columns[-1].heading == last
        assert [column.text(found["svm"]) for column in columns][:2] == ["svm", f"{found['svm'].score:.4f}"]


def test_all_of_it_can_be_written_as_json():
    found = compare(X, y, k, ["svm", "ridge"], cv=3)
    assert json.loads(found.to_json()) == found.to_dict()
    assert found.to_dict()["tied"] == []
    assert "losses" not in found.to_dict()["rows"][0]
    assert found.to_dict()["rows"][0]["score"] == found["svm"].score
    assert found.splits == "3 splits of about 60 training and 30 held-out items"


# ---- which is the best


def rows(truth, **predicted):
    """A comparison of these predictions of the same items."""
    labels = truth.dtype.kind in "US"
    scores = {name: np.mean(p == truth) if labels else -np.mean((p - truth) ** 2) for name, p in predicted.items()}
    found = [
        Row(name, score=float(scores[name]), losses=item_losses(p, truth, labels=labels))
        for name, p in predicted.items()
    ]
    return Comparison(tuple(found), "classification", "k", "accuracy", "")


def flipped(truth, count):
    """The labels with the first few wrong."""
    return np.where(np.arange(len(truth)) < count, "wrong", truth)


@pytest.mark.parametrize("size", [1, 2, 20, 38, 1000, 100_000])
@pytest.mark.parametrize("wrong", [0, 1, 7])
def test_one_row_is_never_a_win(size, wrong):
    truth = np.array(["u", "v"])[np.arange(size) % 2]
    found = rows(truth, one=flipped(truth, min(wrong, size - 1)), two=flipped(truth, min(wrong + 1, size)))
    assert found.best.name == "one"
    assert [row.name for row in found.tied] == ["two"]


def test_differences_beyond_two_standard_errors_are_wins():
    truth = np.array(["u", "v"])[np.arange(400) % 2]
    found = rows(truth, good=flipped(truth, 40), near=flipped(truth, 43), bad=flipped(truth, 60))
    assert [row.name for row in found.tied] == ["near"]
    assert found.verdict() == ["highest accuracy: good; on these items, as good within chance: near"]
    assert rows(truth, good=flipped(truth, 40), bad=flipped(truth, 60)).verdict() == [
        "highest accuracy: good; all others are worse by more than chance"
    ]


def test_pairs_see_what_errors_of_single_scores_hide():
    """Two methods that err on the same hard items, of which one errs a little more everywhere."""
    truth, hard = rng.normal(size=300), 3.0 * rng.normal(size=300)
    found = rows(truth, one=truth + hard, two=truth + hard + 0.1 * np.sign(hard))
    assert found.best.name == "one"
    assert found.tied == []
    spread = np.std((hard) ** 2) / np.sqrt(300)
    assert found["one"].score - found["two"].score < spread


def test_methods_in_a_table_are_compared_in_pairs_on_all_held_out_items():
    found = compare(X, y, k, ["svm", "klr", "dummy"], cv=3)
    assert [len(row.losses) for row in found] == [n, n, n]
    assert_allclose([1.0 - row.losses.mean() for row in found], [row.score for row in found])
    tied = [row.name for row in found.tied]
    assert "dummy" not in tied
    assert str(found).splitlines()[-1].startswith(f"highest accuracy: {found.best.name}; ")
    numbers = compare(X, t, k, ["svm", "ridge", "dummy"])
    assert_allclose(numbers["ridge"].losses.mean(), (1.0 - numbers["ridge"].score) * t[np.sort(held_out_of(t))].var())


def test_a_scorer_of_the_users_is_compared_by_its_splits():
    found = compare(X, t, k, ["svm", "dummy"], scoring="neg_mean_absolute_error", cv=4)
    assert [len(row.losses) for row in found] == [4, 4]
    assert found.tied == []
    once = compare(X, t, k, ["svm", "dummy"], scoring="neg_mean_absolute_error")
    assert [row.name for row in once.tied] == ["dummy"]  # one number each says nothing of chance
    assert once.verdict() == []


def test_rows_are_found_by_name_and_the_best_has_the_largest_score():
    rows = tuple(Row(name, score=score) for name, score in [("a", 0.5), ("b", 0.7), ("c", None)])
    found = Comparison(rows, "classification", "k", "accuracy", "")
    assert found.best.name == "b"
    assert len(found) == 3
    with pytest.raises(KeyError, match="only"):
        _ = found["d"]
