"""Pictures show what they say: the data of the artists are those of the machines."""

from __future__ import annotations

import matplotlib as mpl

mpl.use("agg")

import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.contour import QuadContourSet
from numpy.testing import assert_allclose, assert_array_equal

from mercer import (
    SVC,
    SVR,
    GaussianProcessRegressor,
    KernelDensity,
    KernelPCA,
    KernelRidge,
    KernelSearchCV,
    KMedoids,
    LazyGram,
    LocalRegression,
    NuSVR,
    mmd_test,
    plots,
    silhouette,
    svm_path,
)
from mercer.comparison import calibration
from mercer.kernels import RBF
from mercer.solvers.losses import EpsilonInsensitive, Hinge, Squared, zero_one

rng = np.random.default_rng(0)
LABEL = np.arange(60) % 2
PLANE = rng.normal(size=(60, 2)) + 1.5 * LABEL[:, None]
THREE = np.arange(60) % 3
LINE = np.sort(rng.uniform(-3.0, 3.0, 40))
NUMBER = np.sinc(LINE) + 0.1 * rng.normal(size=40)
SVM = SVC(C=2.0, kernel=RBF(1.5)).fit(PLANE, LABEL)
TUBE = SVR(kernel=RBF(0.7), epsilon=0.15, C=5.0).fit(LINE[:, None], NUMBER)
GP = GaussianProcessRegressor(1.0 * RBF(0.7), noise=0.01, optimizer=None).fit(LINE[:, None], NUMBER)
GRAM = RBF(1.0)(PLANE)
PATH = svm_path(PLANE, LABEL, RBF(1.5), C_max=10.0)
SEARCH = KernelSearchCV(SVC(), {"C": [0.5, 2.0, 8.0], "gamma": [0.1, 1.0]}, cv=3).fit(PLANE, LABEL)
TWO = mmd_test(PLANE[LABEL == 0], PLANE[LABEL == 1], RBF(1.0), n_permutations=9)
AXES = KernelPCA(3, kernel=RBF(1.0)).fit(PLANE)
TRACE = [(9.0, 0.0), (7.0, 2.0), (8.0, 4.0), (5.0, 5.0)]

DRAWN = {
    "reliability": lambda **a: plots.reliability([0.2, 0.9], [False, True], **a),
    "coverage": lambda **a: plots.coverage([0.0, 1.0], [1.0, 1.0], [0.1, 0.2], **a),
    "roc": lambda **a: plots.roc(LABEL, SVM.decision_function(PLANE), **a),
    "residuals": lambda **a: plots.residuals(NUMBER, NUMBER + 0.1, **a),
    "gram_heatmap": lambda **a: plots.gram_heatmap(GRAM, **a),
    "spectrum": lambda **a: plots.spectrum(GRAM, **a),
    "search_surface": lambda **a: plots.search_surface(SEARCH, **a),
    "search_curve": lambda **a: plots.search_curve(SEARCH, "C", **a),
    "decision_regions": lambda **a: plots.decision_regions(SVM, PLANE, LABEL, resolution=20, **a),
    "regression_tube": lambda **a: plots.regression_tube(TUBE, LINE, NUMBER, **a),
    "process_band": lambda **a: plots.process_band(GP, LINE, samples=2, **a),
    "svm_path": lambda **a: plots.svm_path(PATH, **a),
    "losses": lambda **a: plots.losses({"hinge": Hinge()}, **a),
    "medoids": lambda **a: plots.medoids(PLANE, THREE, [0, 1, 2], **a),
    "silhouettes": lambda **a: plots.silhouettes(silhouette(PLANE, LABEL), LABEL, **a),
    "silhouette_curve": lambda **a: plots.silhouette_curve(KMedoids(random_state=0).choose_k(PLANE, [2, 3]), **a),
    "trace": lambda **a: plots.trace(TRACE, **a),
    "smooth": lambda **a: plots.smooth(LocalRegression(bandwidth=0.5).fit(LINE[:, None], NUMBER), LINE, NUMBER, **a),
    "density": lambda **a: plots.density(KernelDensity(bandwidth="scott").fit(PLANE), PLANE, **a),
    "witness": lambda **a: plots.witness(TWO, PLANE[LABEL == 0], PLANE[LABEL == 1], **a),
    "embedding": lambda **a: plots.embedding(PLANE, LABEL, **a),
    "component_contours": lambda **a: plots.component_contours(AXES, PLANE, 2, resolution=20, **a),
}


def ax():
    return plots.figure()[1]


def line(on, label):
    """The data of the line with that label."""
    (found,) = [one for one in on.lines if one.get_label() == label]
    return np.array(found.get_data(), dtype=float)


def marked(on, gid):
    (found,) = [one for one in [*on.lines, *on.collections] if one.get_gid() == gid]
    return found


# ---- what holds of all


def test_the_list_above_has_every_picture():
    assert set(DRAWN) == {name for name in plots.__all__ if name.islower() and name not in ("figure", "style", "svg")}


@pytest.mark.parametrize("name", DRAWN)
def test_axes_are_returned_and_settings_stay_as_they_were(name):
    before, on = mpl.rcParams.copy(), ax()
    assert DRAWN[name](ax=on) is on
    assert on.has_data()
    assert dict(mpl.rcParams) == dict(before)


@pytest.mark.parametrize("name", DRAWN)
def test_without_axes_there_is_one_new_figure_in_the_house_style(name):
    import matplotlib.pyplot as plt

    made = DRAWN[name]()
    assert isinstance(made, Axes)
    assert plt.get_fignums() == [made.figure.number]
    assert not made.spines["right"].get_visible()
    plt.close("all")


@pytest.mark.parametrize("name", DRAWN)
def test_axes_must_be_axes(name):
    with pytest.raises(ValueError, match="one Axes of matplotlib; got list"):
        DRAWN[name](ax=[ax()])


def test_loading_the_package_does_not_load_matplotlib():
    import subprocess
    import sys

    code = "import sys, mercer.plots; sys.exit('matplotlib' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_the_style_ends_with_its_block_even_on_an_error():
    before = mpl.rcParams["axes.spines.right"]
    with plots.style():
        assert mpl.rcParams["axes.spines.right"] is False
    with pytest.raises(KeyError), plots.style():
        raise KeyError
    assert mpl.rcParams["axes.spines.right"] == before


def test_svg_is_text_for_a_page_and_the_same_again():
    def made():
        figure, on = plots.figure(size=(3.0, 2.0))
        plots.trace(TRACE, ax=on)
        return plots.svg(figure, 'a < b & "c"')

    text = made()
    assert text == made()
    assert text.startswith('<svg role="img" aria-label="a &lt; b &amp; &quot;c&quot;"')
    assert " width=" not in text[: text.index(">")]
    assert "max-width:288px" in text
    assert 'viewBox="0 0 216 144"' in text
    assert "<metadata>" not in text


# ---- probabilities and scores


def test_points_of_reliability_are_the_bins():
    p = rng.uniform(size=300)
    hit = rng.uniform(size=300) < p**2
    on = plots.reliability(p, hit, bins=7, label="m", ax=ax())
    bins = calibration.reliability(p, hit, 7)
    assert_array_equal(line(on, "m"), [[b.confidence for b in bins], [b.accuracy for b in bins]])
    plots.reliability(p, hit, label="again", ax=on)
    assert [one.get_gid() for one in on.lines].count("diagonal") == 1


def test_intervals_of_reliability_hold_the_truth_as_often_as_they_say():
    """Wilson's interval of 95 % contains the true share about 95 times of 100."""
    from mercer.plots.reliability import wilson

    for truth, n in ((0.5, 20), (0.9, 50), (0.02, 200)):
        low, high = wilson(rng.binomial(n, truth, size=4000) / n, np.full(4000, n))
        assert 0.92 < np.mean((low <= truth) & (truth <= high)) < 0.99


def test_coverage_is_the_share_inside_each_interval():
    y = rng.normal(size=200)
    x, share = line(plots.coverage(np.zeros(200), np.ones(200), y, label="m", ax=ax()), "m")
    assert share[-1] == 1.0
    assert_allclose(np.interp(0.95, x, share), np.mean(np.abs(y) < 1.959964), atol=0.006)


def test_the_roc_is_that_of_counting():
    y, score = np.array([0, 0, 1, 1, 0]), np.array([0.1, 0.4, 0.35, 0.8, 0.2])
    on = plots.roc(y, score, ax=ax())
    wrong, found = line(on, "AUC 0.833")  # five of six pairs are in order
    for threshold in score:
        point = np.mean(score[y == 0] >= threshold), np.mean(score[y == 1] >= threshold)
        assert np.any((wrong == point[0]) & (found == point[1])) or _between(point, wrong, found)
    assert_array_equal(line(plots.roc(y, -score, positive=0, label="n", ax=ax()), "n, AUC 0.833")[:, -1], [1.0, 1.0])


def _between(point, wrong, found):
    """Whether a corner that was left out lies on the drawn line."""
    return np.any(
        (wrong[:-1] <= point[0]) & (point[0] <= wrong[1:]) & (found[:-1] <= point[1]) & (point[1] <= found[1:])
    )


def test_residuals_that_are_far_stand_out():
    on = plots.residuals([1.0, 2.0, 3.0], [1.1, 2.0, 1.0], std=0.5, ax=ax())
    near, far = on.collections
    assert_allclose(near.get_offsets(), [[1.1, -0.1], [2.0, 0.0]])
    assert_allclose(far.get_offsets(), [[1.0, 2.0]])
    assert near.get_label() == "within 1.96 std (66.7%)"


# ---- matrices


def test_a_heat_map_has_the_entries_in_the_order_of_the_groups():
    on = plots.gram_heatmap(GRAM, groups=LABEL, ax=ax())
    order = np.argsort(LABEL, kind="stable")
    assert_array_equal(on.images[0].get_array(), GRAM[np.ix_(order, order)])
    assert [text.get_text() for text in on.get_yticklabels()] == ["0", "1"]
    assert [one.get_ydata()[0] for one in on.lines if len(set(one.get_ydata())) == 1] == [29.5]
    assert len(on.figure.axes) == 2
    assert len(plots.gram_heatmap(GRAM, colorbar=False, ax=ax()).figure.axes) == 1


def test_large_grams_are_thinned_without_being_computed():
    X = rng.normal(size=(1000, 2))
    lazy = LazyGram(RBF(1.0), X)
    (shown,) = (plots.gram_heatmap(lazy, ax=ax()).images[0].get_array(),)
    keep = np.linspace(0, 999, 400).astype(int)
    assert_allclose(shown, RBF(1.0)(X[keep]), atol=1e-6)


def test_signs_have_two_hues_with_zero_between():
    image = plots.gram_heatmap(np.array([[1.0, -2.0], [-2.0, 1.0]]), ax=ax()).images[0]
    assert image.get_clim() == (-2.0, 2.0)
    assert plots.gram_heatmap(np.zeros((2, 2)), ax=ax()).images[0].get_clim() == (0.0, 1.0)


def test_the_spectrum_is_in_falling_order_and_tells_negative_ones():
    on = plots.spectrum(np.diag([2.0, 5.0, -1.0]), label="k", ax=ax())
    assert_allclose(line(on, "k"), [[1, 2], [5.0, 2.0]])
    assert_allclose(line(on, "1 negative, by size"), [[3], [1.0]])
    on = plots.spectrum(np.linalg.eigvalsh(GRAM), label="k", ax=ax())
    assert_allclose(line(on, "k")[1, :5], np.linalg.eigvalsh(GRAM)[::-1][:5])


# ---- searches


def test_a_surface_has_the_score_of_every_setting_and_marks_the_best():
    on = plots.search_surface(SEARCH, ax=ax())
    cells = np.asarray(on.collections[0].get_array()).reshape(2, 3)
    assert_allclose(cells, SEARCH.cv_results_["mean_test_score"].reshape(3, 2).T)
    best = marked(on, "best").get_data()
    assert (float(best[0][0]), float(best[1][0])) == (SEARCH.best_params_["C"], SEARCH.best_params_["gamma"])
    assert (on.get_xlabel(), on.get_ylabel()) == ("C", "gamma")
    assert (on.get_xscale(), on.get_yscale()) == ("log", "log")
    corners = on.collections[0].get_coordinates()
    assert_allclose(corners[0, :, 0], [0.25, 1.0, 4.0, 16.0])  # halfway on the log scale


def test_of_other_parameters_the_best_is_shown():
    results = {
        "params": [{"C": 1.0, "g": 1.0, "k": "a"}, {"C": 1.0, "g": 1.0, "k": "b"}, {"C": 2.0, "g": 3.0, "k": "a"}],
        "mean_test_score": np.array([0.5, 0.7, np.nan]),
    }
    cells = plots.search_surface(results, "C", "g", ax=ax()).collections[0].get_array()
    assert_array_equal(np.ma.filled(cells.reshape(2, 2), np.nan), [[0.7, np.nan], [np.nan, np.nan]])


def test_a_curve_is_the_best_at_every_value():
    on = plots.search_curve(SEARCH, "C", label="m", ax=ax())
    assert_allclose(line(on, "m"), [[0.5, 2.0, 8.0], SEARCH.cv_results_["mean_test_score"].reshape(3, 2).max(axis=1)])
    assert float(marked(on, "best").get_xdata()[0]) == SEARCH.best_params_["C"]


# ---- machines


def test_regions_have_their_margins_and_ring_the_support_vectors():
    on = plots.decision_regions(SVM, PLANE, LABEL, ax=ax())
    (lines,) = [one for one in on.collections if isinstance(one, QuadContourSet) and not one.filled]
    assert_array_equal(lines.levels, [-1.0, 0.0, 1.0])
    for level, paths in zip(lines.levels, lines.get_paths(), strict=True):
        assert_allclose(SVM.decision_function(paths.vertices), level, atol=0.02)
    assert_allclose(marked(on, "support").get_offsets(), PLANE[SVM.support_])
    on = plots.decision_regions(SVM, PLANE, LABEL, margins=False, support=False, ax=ax())
    (lines,) = [one for one in on.collections if isinstance(one, QuadContourSet) and not one.filled]
    assert_array_equal(lines.levels, [0.0])
    assert "support" not in [one.get_gid() for one in on.collections]


def test_regions_of_several_classes_are_the_predictions():
    machine = SVC(kernel=RBF(1.0)).fit(PLANE, THREE)
    on = plots.decision_regions(machine, PLANE, THREE, resolution=30, ax=ax())
    (mesh,) = [one for one in on.collections if one.get_cmap().N == 3]
    (x0, x1), (y0, y1) = on.get_xlim(), on.get_ylim()
    grid = np.stack(np.meshgrid(np.linspace(x0, x1, 30), np.linspace(y0, y1, 30)), axis=-1).reshape(-1, 2)
    assert_array_equal(np.ravel(mesh.get_array()), machine.predict(grid))


def test_regions_work_for_machines_without_scores_or_vectors():
    from sklearn.neighbors import KNeighborsClassifier

    on = plots.decision_regions(KNeighborsClassifier(3).fit(PLANE, LABEL), PLANE, LABEL, resolution=10, ax=ax())
    assert [one.get_label() for one in on.collections if one.get_label().startswith("class")] == ["class 0", "class 1"]


@pytest.mark.parametrize(("machine", "epsilon"), [(TUBE, 0.15), (NuSVR(nu=0.3, kernel=RBF(0.7)), None)])
def test_the_tube_is_epsilon_wide_and_the_vectors_ringed(machine, epsilon):
    machine = machine.fit(LINE[:, None], NUMBER)
    on = plots.regression_tube(machine, LINE, NUMBER, ax=ax())
    (x, f), band = line(on, "f"), on.collections[0].get_paths()[0].vertices
    epsilon = machine.epsilon_ if epsilon is None else epsilon
    assert_allclose(f, machine.predict(x[:, None]))
    for side in (-epsilon, epsilon):
        assert all(np.any(np.isclose(band, [a, b + side]).all(axis=1)) for a, b in zip(x[::50], f[::50], strict=True))
    assert_allclose(marked(on, "support").get_offsets(), np.c_[LINE, NUMBER][machine.support_])


def test_a_machine_without_a_tube_has_none():
    ridge = KernelRidge(kernel=RBF(0.7)).fit(LINE[:, None], NUMBER)
    on = plots.regression_tube(ridge, LINE, NUMBER, support=False, ax=ax())
    assert len(on.collections) == 0


@pytest.mark.parametrize("of", ["f", "y"])
def test_the_band_is_the_mean_and_two_deviations(of):
    x = np.linspace(-4.0, 4.0, 50)
    on = plots.process_band(GP, x[::-1], samples=3, of=of, data=(LINE, NUMBER), ax=ax())
    mean, std = GP.predict(x[:, None], return_std=True, of=of)
    assert_allclose(line(on, "mean"), [x, mean])
    band = on.collections[0].get_paths()[0].vertices
    for sign in (-1.96, 1.96):
        edge = np.c_[x, mean + sign * std]
        assert all(np.any(np.abs(band - corner).max(axis=1) < 1e-4) for corner in edge)
    draws = [one.get_ydata() for one in on.lines if one.get_gid() == "samples"]
    assert_allclose(np.array(draws).T, GP.sample_y(x[:, None], 3, random_state=0))


def test_paths_are_those_of_the_machine_and_ticks_its_events():
    on = plots.svm_path(PATH, ax=ax())
    curves = [one for one in on.lines if one.get_gid() is None]
    assert len(curves) == len(LABEL)
    items = np.concatenate([np.flatnonzero(LABEL == 0), np.flatnonzero(LABEL == 1)])
    for curve, item in list(zip(curves, items, strict=True))[::7]:
        C, alpha = curve.get_data()
        coef, _ = PATH.coef(C)
        assert_allclose(alpha, np.abs(coef[item]) / C, atol=1e-9)
    assert_allclose(marked(on, "events").get_xdata(), PATH.C)


def test_losses_are_drawn_as_they_are():
    z = np.linspace(-2.0, 2.0, 9)
    on = plots.losses({"hinge": Hinge(), "0/1": zero_one}, z, ax=ax())
    assert_allclose(line(on, "hinge"), [z, np.maximum(0.0, 1.0 - z)])
    assert_allclose(line(on, "0/1"), [z, z <= 0.0])
    assert on.get_xlabel() == "margin y f"
    assert plots.losses({"a": Squared(), "b": EpsilonInsensitive()}, ax=ax()).get_xlabel() == "residual y - f"
    assert plots.losses({"a": Squared(), "b": Hinge()}, ax=ax()).get_xlabel() == "z"


def test_a_trace_has_the_best_primal_so_far():
    on = plots.trace(TRACE, ax=ax())
    assert_array_equal(line(on, "best primal")[1], [9.0, 7.0, 7.0, 5.0])
    assert_array_equal(line(on, "dual")[1], [0.0, 2.0, 4.0, 5.0])


# ---- bad input


@pytest.mark.parametrize(
    ("draw", "message"),
    [
        (lambda: plots.reliability([1.2], [True]), "between 0 and 1"),
        (lambda: plots.reliability([], []), "at least one probability; got none"),
        (lambda: plots.reliability([0.5], [True, False]), "one number each"),
        (lambda: plots.coverage([0.0], [0.0], [1.0]), "std must be positive; got 0.0"),
        (lambda: plots.coverage([0.0], [1.0, 1.0], [1.0]), "std must be one number for each of y"),
        (lambda: plots.roc([0, 1, 2], [0.1, 0.2, 0.3]), "of two classes"),
        (lambda: plots.roc([0, 0], [0.1, 0.2]), "of two classes"),
        (lambda: plots.roc([0, 1], [0.1, 0.2], positive=3), "positive=3"),
        (lambda: plots.roc([0, 1], [0.1, np.nan]), "one finite number per label"),
        (lambda: plots.residuals([1.0], [1.0, 2.0]), "one number for each of 2 items"),
        (lambda: plots.gram_heatmap(np.ones((2, 3))), r"a square matrix of finite numbers; got shape \(2, 3\)"),
        (lambda: plots.gram_heatmap(np.ones((0, 0))), "square matrix"),
        (lambda: plots.gram_heatmap(np.eye(3), groups=[1, 2]), "one label for each of 3 items"),
        (lambda: plots.spectrum(np.full((2, 2), np.nan)), "finite"),
        (lambda: plots.spectrum(np.zeros((2, 2))), "not all 0; got 0.0"),
        (lambda: plots.search_surface(SVC()), "a fitted search or its cv_results_; got SVC"),
        (lambda: plots.search_surface(SEARCH, "C", "degree"), r"among the numbers \['C', 'gamma'\]; got 'degree'"),
        (lambda: plots.search_surface(SEARCH, score="speed"), "score must be one of"),
        (lambda: plots.search_curve(SEARCH), "Name those to be drawn"),
        (lambda: plots.decision_regions(SVM, PLANE[:, :1], LABEL), "items of 2 columns"),
        (lambda: plots.decision_regions(SVM, PLANE, LABEL + 1), r"one of the classes \[0, 1\]"),
        (lambda: plots.decision_regions(SVM, PLANE, LABEL, resolution=1), "an integer >= 2"),
        (lambda: plots.regression_tube(TUBE, PLANE, LABEL), "items of 1 column;"),
        (lambda: plots.process_band(TUBE, LINE), "return_std; got SVR"),
        (lambda: plots.process_band(GP, []), "items of 1 column"),
        (lambda: plots.svm_path(SVM), "what mercer.svm_path returns; got SVC"),
        (lambda: plots.losses({}), "named losses"),
        (lambda: plots.trace([1.0, 2.0]), r"pairs \(primal, dual\)"),
    ],
)  # fmt: skip
def test_bad_input_is_named_before_anything_is_drawn(draw, message):
    import matplotlib.pyplot as plt

    with pytest.raises(ValueError, match=message):
        draw()
    assert plt.get_fignums() == []


# ---- two samples


def test_the_curve_of_a_witness_is_the_function_of_the_test():
    A, B = LINE[:25], LINE[15:]
    test = mmd_test(A[:, None], B[:, None], RBF(0.7), n_permutations=9)
    drawn = plots.witness(test, A, B, ax=ax())
    x, f = line(drawn, "witness")
    assert_allclose(f, test.witness(x[:, None]))
    assert x[0] < LINE.min()
    assert x[-1] > LINE.max()
    assert_array_equal(line(drawn, "first sample")[0], A)


def test_a_witness_of_three_columns_cannot_be_drawn():
    with pytest.raises(ValueError, match="X and Y must be items of one column or two; got shape"):
        plots.witness(TWO, np.zeros((4, 3)), np.zeros((4, 3)))


# ---- clusters


def test_medoids_are_ringed_among_the_items_of_their_clusters():
    on = plots.medoids(PLANE, THREE, [4, 9], ax=ax())
    assert_array_equal(np.array(marked(on, "medoids").get_data()).T, PLANE[[4, 9]])
    assert_array_equal(on.collections[1].get_offsets(), PLANE[THREE == 1])
    assert [one.get_label() for one in on.collections] == ["cluster 0", "cluster 1", "cluster 2"]


def test_silhouettes_are_bars_as_long_as_they_are_with_their_mean():
    s = silhouette(PLANE, THREE)
    on = plots.silhouettes(s, THREE, ax=ax())
    for name in range(3):
        (outline,) = marked(on, f"cluster {name}").get_paths()
        ends = outline.vertices[:, 0]
        assert_allclose([ends.max(), ends.min()], [max(s[name == THREE].max(), 0.0), min(s[name == THREE].min(), 0.0)])
    assert_allclose(line(on, f"mean {s.mean():.3f}")[0], s.mean())
    assert [tick.get_text() for tick in on.get_yticklabels()] == ["0", "1", "2"]


def test_the_number_of_clusters_that_was_chosen_has_the_star():
    choice = KMedoids(random_state=0).choose_k(PLANE, [2, 3, 5])
    on = plots.silhouette_curve(choice, ax=ax())
    assert_allclose(np.ravel(marked(on, "best").get_data()), [choice.k, choice.silhouettes.max()])


def test_clusters_that_cannot_be_drawn_are_refused_I5():
    for draw, words in (
        (lambda: plots.medoids(PLANE, THREE[:-1]), r"plots.medoids: labels must be one for each of 60 items"),
        (lambda: plots.silhouettes([0.1, 0.2], [0]), r"plots.silhouettes: values must be one silhouette for each"),
        (lambda: plots.silhouette_curve(3), r"plots.silhouette_curve: choice must be what KMedoids.choose_k gives"),
    ):
        with pytest.raises(ValueError, match=words):
            draw()


# ---- embeddings


def test_points_are_the_first_two_coordinates_by_label():
    on = plots.embedding(AXES.transform(PLANE), LABEL, ratio=AXES.explained_variance_ratio_, ax=ax())
    for place, name in enumerate((0, 1)):
        drawn = on.collections[place]
        assert drawn.get_label() == str(name)
        assert_allclose(drawn.get_offsets(), AXES.transform(PLANE)[name == LABEL, :2])
    assert f"{AXES.explained_variance_ratio_[1]:.1%}" in on.get_ylabel()
    shaded = plots.embedding(PLANE, NUMBER[:60] if len(NUMBER) > 60 else np.arange(60.0), ax=ax())
    assert_allclose(shaded.collections[0].get_array(), np.arange(60.0))
    assert_allclose(plots.embedding(PLANE[:, :1], ax=ax()).collections[0].get_offsets()[:, 1], 0.0)


def test_contours_change_sign_where_the_coordinate_does():
    on = plots.component_contours(AXES, PLANE, 0, resolution=30, ax=ax())
    zero = [c for c in on.collections if isinstance(c, QuadContourSet) and not c.filled]
    assert len(zero) == 1
    ends = np.vstack([path.vertices for path in zero[0].get_paths()])
    assert np.abs(AXES.transform(ends)[:, 0]).max() < 0.05


@pytest.mark.parametrize(("draw", "message"), [
    (lambda: plots.embedding(np.ones((3, 2)), [1, 2]), "labels must be one for each of 3 items"),
    (lambda: plots.embedding(np.ones(3)), "Y must be finite coordinates"),
    (lambda: plots.component_contours(AXES, PLANE, 3), "component must be one of the 3 axes"),
])  # fmt: skip
def test_what_cannot_be_placed_is_refused(draw, message):
    with pytest.raises(ValueError, match=message):
        draw()
