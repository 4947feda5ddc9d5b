"""Every kernel obeys every law (I2, T2, T4), and agrees with its formula in plain loops.

A new kernel needs a line in EXAMPLES: its name, the data it is tried on, and expressions that show its options.
"""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_array

from mercer import kernels
from mercer.kernels import RBF, Centred, FeatureMap, Matern, Modulated, Pullback, Similarity, parse
from mercer.kernels.grammar import vocabulary
from mercer.models import Gaussian
from mercer.testing import check_kernel, reference

rng = np.random.default_rng(0)
X, Y = rng.normal(size=(6, 3)), rng.normal(size=(4, 3))
X[2], X[4] = 0.0, X[1]  # a zero vector and a repeated one
Y[3] = X[5]

DATA = {
    "vectors": (X, Y),
    "histograms": (abs(X), abs(Y)),
    "labels": (["a", "b", "b"], ["b", "c"]),
    "categories": ([["red", "S"], ["red", "L"], ["blue", "S"]], [["red", "S"], ["green", "M"]]),
    "strings": (["abab", "baba", "", "aab"], ["ab", "bbb"]),
    "documents": (["the cat sat", "the dog sat down", "a cat, a dog", "rain"], ["a dog sat", "snow"]),
    "sets": ([{1, 2, 3}, {2, 3, 4}, set(), {1}], [{2, 4}, {1, 2, 3}]),
    "points": ([[[0.5, 1.0], [2.0, 0.0], [2.2, 0.1]], [[1.0, 1.5]], [[0.0, 3.0], [0.1, 0.2], [1.1, 1.0], [4.0, 0.0]]],
               [[[0.5, 1.1], [2.0, 0.3]], [[3.0, 1.0], [0.0, 0.0], [0.4, 0.9]]]),
    "series": ([[0.5, 2.0, 2.2], [1.0], [0.0, 0.1, 1.1, 4.0]], [[0.5, 2.0], [3.0, 0.0, 0.4]]),
    "rankings": ([["b", "a", "d", "c"], ["a", "b", "c", "d"], ["d", "c", "b", "a"]],
                 [["a", "b", "d", "c"], ["c", "a", "b", "d"]]),
    "modulo six": ([0, 1, 5, 3], [2, 3]),
    "intervals": ([[(0.0, 1.0), (2.0, 3.5)], [], [(0.5, 2.5)]], [[(0.0, 4.0)], [(3.0, 3.25)]]),
    "graphs": ([{"n": 4, "edges": [[0, 1], [1, 2], [2, 0], [2, 3]], "node_labels": ["C", "C", "O", "N"]},
                {"n": 3, "edges": [[0, 1], [1, 2]], "node_labels": ["O", "C", "C"]}, {"n": 0, "edges": []},
                {"n": 5, "edges": [[4, 3], [3, 2], [2, 1], [1, 0], [0, 4], [1, 3]], "node_labels": list("CCONC")},
                {"n": 2, "edges": [], "node_labels": ["C", "N"]}],
               [{"n": 3, "edges": [[0, 2], [1, 2]], "node_labels": ["C", "C", "F"]},
                {"n": 4, "edges": [[3, 2], [2, 1], [1, 3], [1, 0]], "node_labels": ["N", "O", "C", "C"]}]),
    "arcs": ([{"n": 3, "edges": [[0, 1], [1, 2], [2, 0]], "edge_labels": [1, 2, 1], "directed": True,
               "node_attributes": [[0.5, 1.0], [2.0, 0.0], [0.5, -1.0]]},
              {"n": 3, "edges": [[0, 1], [1, 0], [1, 2]], "edge_labels": [1, 1, 2], "directed": True,
               "node_attributes": [[0.5, 1.0], [2.0, 0.0], [0.5, -1.0]]}],
             [{"n": 2, "edges": [[0, 1], [1, 0]], "edge_labels": [1, 2], "directed": True,
               "node_attributes": [[0.25, 1.0], [2.0, 0.0]]}]),
    "models": ([Gaussian([0.3, 0.0], [[1.0, 0.2], [0.2, 0.5]]), Gaussian([-0.9, 1.0], [[0.4, 0.0], [0.0, 2.0]]),
                Gaussian([0.3, 0.0], [[1.0, 0.2], [0.2, 0.5]])], [Gaussian([0.0, 3.0], [[2.0, -0.3], [-0.3, 1.0]])]),
    "samples": (X[[0, 1, 3, 5]], Y),
    "bits": ([[0, 1, 1], [1, 1, 0], [0, 1, 0], [1, 1, 1]], [[1, 1, 0], [0, 0, 1]]),
    "counts": ([[3, 0, 2], [1, 0, 0], [0, 0, 0], [2, 0, 5]], [[1, 1, 0], [0, 0, 4]]),
    "table": ({"age": [1.0, 2.0, 4.0], "size": [0.5, 0.1, 0.2], "name": ["ab", "ba", "aa"]},
              {"age": [3.0, 2.0], "size": [0.5, 0.3], "name": ["bab", "ab"]}),
}  # fmt: skip

EXAMPLES = {
    "RBF": ("vectors", ["RBF()", "RBF(Fixed(0.7))", "RBF((0.7, inf, 1.5))",
                        "RBF(Bounded((0.7, 1.5, 1.0), 0.1, 10.0))", "RBF(1e-3)"]),
    "Matern": ("vectors", ["Matern()", "Matern(0.8, nu=0.5)", "Matern(nu=2.5)", "Matern((0.5, 1.0, 2.0), nu=3.5)",
                           "Matern(nu=1)", "Matern(nu=0.3)", "Matern(nu=60.0)", "Matern(nu=inf)"]),
    "Exponential": ("vectors", ["Exponential(0.6)", "Exponential((0.6, 2.0, inf))"]),
    "RationalQuadratic": ("vectors", ["RationalQuadratic()", "RationalQuadratic(0.5, alpha=Fixed(0.3))"]),
    "Laplacian": ("vectors", ["Laplacian(0.8)", "Laplacian((0.5, inf, 1.0))"]),
    "Periodic": ("vectors", ["Periodic(1.2, period=2.5)"]),
    "Mahalanobis": ("vectors", ["Mahalanobis([[2.0, 0.5, 0.0], [0.5, 1.0, 0.1], [0.0, 0.1, 0.3]])",
                                "Mahalanobis(precision=[[2.0, 0.5, 0.0], [0.5, 1.0, 0.1], [0.0, 0.1, 0.3]])",
                                "Mahalanobis(cholesky=[[2.0, 0.0, 0.0], [0.5, 1.0, 0.0], [0.0, 0.1, 0.3]])"]),
    "Linear": ("vectors", ["Linear()"]),
    "Bilinear": ("vectors", ["Bilinear([[2.0, 1.0, 0.0], [1.0, 2.0, 0.0], [0.0, 0.0, 0.0]])"]),
    "Polynomial": ("vectors", ["Polynomial()", "Polynomial(2, gamma=0.5, offset=0.0)", "Polynomial(2, offset=-1.0)",
                               "Polynomial(2.5, offset=20.0)"]),
    "Homogeneous": ("vectors", ["Homogeneous()", "Homogeneous(0)", "Homogeneous(3)"]),
    "Geometric": ("vectors", ["Geometric()", "Geometric(0)", "Geometric(1)"]),
    "Sigmoid": ("vectors", ["Sigmoid()", "Sigmoid(0.5, offset=-1.0)"]),
    "Cosine": ("vectors", ["Cosine()"]),
    "ArcSine": ("vectors", ["ArcSine()", "ArcSine((0.5, 1.0, 2.0, 3.0))",
                            "ArcSine(0.5, covariance=[[1.0, 0.5, 0.0, 0.0], [0.5, 1.0, 0.0, 0.0],"
                            " [0.0, 0.0, 2.0, 0.0], [0.0, 0.0, 0.0, 0.0]])"]),
    "AllSubsets": ("vectors", ["AllSubsets()"]),
    "ANOVA": ("vectors", ["ANOVA()", "ANOVA(0)", "ANOVA(4)", "ANOVA(2, base=RBF(0.5))",
                          "ANOVA(2, base=(RBF(0.5), Linear(), Constant(2.0)))"]),
    "ChiSquared": ("histograms", ["ChiSquared(0.5)"]),
    "AdditiveChiSquared": ("histograms", ["AdditiveChiSquared()"]),
    "Constant": ("vectors", ["Constant(2.0)", "Constant(0.0)"]),
    "White": ("vectors", ["White(0.5)"]),
    "Lookup": ("labels", ["Lookup(('a', 'b', 'c'), matrix=[[2.0, 1.0, 0.0], [1.0, 2.0, 0.0], [0.0, 0.0, 1.0]])"]),
    "Hamming": ("categories", ["Hamming(0.5)", "Hamming((0.5, inf))"]),
    "Spectrum": ("strings", ["Spectrum(2)", "Spectrum(1)"]),
    "Dictionary": ("strings", ["Dictionary(('ab', 'b', 'zz'))", "Dictionary((('aa', 0.5), ('b', 2.0), ('bab', 0.0)))"]),
    "AllSubstrings": ("strings", ["AllSubstrings()", "AllSubstrings(Fixed(1.0), max_length=1)",
                                  "AllSubstrings(1.5, max_length=2)"]),
    "Mismatch": ("strings", ["Mismatch(2)", "Mismatch(3, mismatches=2, letters=3)", "Mismatch(2, mismatches=0)",
                             "Mismatch(2, mismatches=2, letters=2)"]),
    "GappedKmer": ("strings", ["GappedKmer(3, k=2)", "GappedKmer(2, k=2)", "GappedKmer(4, k=1)"]),
    "WeightedDegree": ("strings", ["WeightedDegree()", "WeightedDegree(1)", "WeightedDegree(9)"]),
    "GapWeighted": ("strings", ["GapWeighted(2)", "GapWeighted(1, decay=1.0)", "GapWeighted(4, decay=0.9)",
                                "GapWeighted(3, shorter=True)"]),
    "LocalAlignment": ("strings", ["LocalAlignment()", "LocalAlignment(1.0, form='sum')",
                                   "LocalAlignment(0.5, match=2.0, mismatch=0.0, gap_open=1.0, form='logarithm')"]),
    "EditSimilarity": ("strings", ["EditSimilarity(0.3)", "EditSimilarity(Fixed(1.0))"]),
    "Bag": ("documents", ["Bag()", "Bag('characters')"]),
    "TfIdf": ("documents", ["TfIdf()", "TfIdf('characters')"]),
    "ProbabilityProduct": ("models", ["ProbabilityProduct()", "ProbabilityProduct(0.5)", "ProbabilityProduct(2.0)",
                                      "ProbabilityProduct(0.7, normalised=True)"]),
    "Fisher": ("samples", ["Fisher()", "Fisher('gaussian mean')", "Fisher(information='identity')"]),
    "GenerativeFeatures": ("samples", ["GenerativeFeatures()", "GenerativeFeatures(RBF(0.5), components=2)"]),
    "Intersection": ("sets", ["Intersection()", "Intersection(((1, 0.5), (2, 0.0), (3, 2.0), (4, 1.0)))"]),
    "SubsetCount": ("sets", ["SubsetCount()"]),
    "IntervalOverlap": ("intervals", ["IntervalOverlap()"]),
    "UnionComplement": ("sets", ["UnionComplement((1, 2, 3, 4))",
                                 "UnionComplement((1, 2, 3, 4), weights=(0.1, 0.4, 0.5, 0.0))"]),
    "Agreement": ("sets", ["Agreement((1, 2, 3, 4))", "Agreement((1, 2, 3, 4), weights=(0.1, 0.4, 0.5, 0.0))"]),
    "Tanimoto": ("sets", ["Tanimoto()"]),
    "MinMax": ("histograms", ["MinMax()"]),
    "GlobalAlignment": ("points", ["GlobalAlignment(0.8)", "GlobalAlignment(Fixed(1.5), band=2.5)"]),
    "SignaturePDE": ("points", ["SignaturePDE(2.0)", "SignaturePDE(3.0, refinement=2)"]),
    "PyramidMatch": ("points", ["PyramidMatch(4)", "PyramidMatch(3, side=0.5, offset=-0.25)"]),
    "MeanEmbedding": ("points", ["MeanEmbedding(RBF(0.8))", "GaussianOf(MeanEmbedding(Linear() + Matern()))"]),
    "SlicedWasserstein": ("series", ["SlicedWasserstein(0.7)", "SlicedWasserstein(2.0, quantiles=7)"]),
    "Kendall": ("rankings", ["Kendall()", "Exp(0.5 * Kendall())"]),
    "Mallows": ("rankings", ["Mallows(0.4)"]),
    "PositiveType": ("modulo six", ["PositiveType('Z6', p=[2.0, 1.0, 0.5, 0.0, 0.5, 1.0])",
                                    "PositiveType('R', characters=((0.0, 1.0), (2.0, 0.5), (-2.0, 0.5)))"]),
    "WeisfeilerLehman": ("graphs", ["WeisfeilerLehman()", "WeisfeilerLehman(0)", "WeisfeilerLehman(2, base='edge')",
                                    "WeisfeilerLehman(2, base='assignment')"]),
    "ShortestPath": ("graphs", ["ShortestPath()", "ShortestPath(False)", "ShortestPath(ordered=True)"]),
    "RandomWalk": ("graphs", ["RandomWalk()", "RandomWalk(0.05, labelled=False)", "RandomWalk(0.0)"]),
    "Graphlet": ("graphs", ["Graphlet()", "Graphlet(2)", "Graphlet(3)", "Graphlet(5)"]),
    "Propagation": ("graphs", ["Propagation()", "Propagation(2, width=0.5, seed=3)"]),
    "On": ("table", ["On('age', RBF(2.0))", "On(['age', 'size'], Linear())",
                     "On('name', Spectrum(1)) * On(['age', 'size'], RBF((1.0, 0.3)))",
                     "On('name', GapWeighted(2)) + On('name', LocalAlignment(0.3)) * On('age', RBF(2.0))"]),
    "Sum": ("vectors", ["RBF() + Linear() + 0.5", "RBF(0.5) - 0.5 * RBF(2.0)"]),
    "Product": ("vectors", ["RBF() * Linear()", "(RBF() + Linear()) * Matern() * Constant(2.0)"]),
    "Scaled": ("vectors", ["2.0 * RBF()", "0.0 * Linear()", "Fixed(2.0) * (3.0 * Linear())"]),
    "Negated": ("vectors", ["-RBF()", "-(-Linear())"]),
    "Power": ("vectors", ["Linear() ** 3", "(RBF() + Linear()) ** 2", "RBF() ** 0"]),
    "PolynomialOf": ("vectors", ["PolynomialOf(Linear(), coefficients=(1.0, 0.5, 2.0))"]),
    "Exp": ("vectors", ["Exp(0.3 * Linear())"]),
    "Normalised": ("vectors", ["Normalised(Polynomial(2))", "Normalised(Linear())", "Normalised(2.0 * RBF(0.5))"]),
    "GaussianOf": ("vectors", ["GaussianOf(Linear(), lengthscale=1.5)", "GaussianOf(Polynomial(2), lengthscale=4.0)"]),
    "Centred": ("vectors", ["Centred(RBF(0.8))", "Normalised(Centred(2.0 * RBF()))", "Centred(Linear()) * RBF()"]),
}  # fmt: skip

# Options that need other data than those of the kernel's line above.
DIRECTED = ["WeisfeilerLehman(2)", "WeisfeilerLehman(2, base='edge')", "WeisfeilerLehman(1, base='assignment')",
            "ShortestPath()", "RandomWalk(0.2)", "RandomWalk(0.2, labelled=False)",
            "Propagation(2, width=1.0, attributes=True)"]  # fmt: skip

CASES = [(kind, text) for kind, texts in EXAMPLES.values() for text in texts] + [("arcs", text) for text in DIRECTED]
CASES += [("bits", "Fisher('bernoulli')"), ("counts", "Fisher('multinomial')")]
VECTOR_CASES = [text for kind, text in CASES if kind in ("vectors", "histograms")]

# Kernels that hold a function of the user's, or data, and so have no text.
UNWRITTEN = [
    FeatureMap(np.tanh),
    Similarity(lambda x, y: np.tanh(x @ y)),
    Similarity(lambda A, B: A @ B.T, pairwise=True),
    Pullback(2.0 * RBF(0.8), np.tanh),
    Modulated(Matern(0.8), lambda V: V[:, 0]),
    Centred(RBF(0.8)).fit(Y),
]


def one_by_one(items):
    """Items as a user would write each of them; of a dict of columns, a dict of cells per row."""
    if not isinstance(items, dict):
        return items
    return [dict(zip(items, cells, strict=True)) for cells in zip(*items.values(), strict=True)]


def test_every_kernel_has_an_example_here():
    assert set(EXAMPLES) == set(vocabulary()) - {"Fixed", "Bounded"}
    classes = {name for name in kernels.__all__ if isinstance(getattr(kernels, name), type)}
    unwritten = {type(k).__name__ for k in UNWRITTEN}
    assert classes - set(vocabulary()) - unwritten == {"Kernel"}


@pytest.mark.parametrize(("kind", "text"), CASES, ids=[f"{kind}-{text}" for kind, text in CASES])
def test_every_kernel_obeys_every_law_I2_T2_T4(kind, text):
    check_kernel(parse(text), *DATA[kind])


@pytest.mark.parametrize("k", UNWRITTEN, ids=lambda k: type(k).__name__)
def test_every_kernel_without_a_text_obeys_every_law_I2(k):
    assert not k.textual
    check_kernel(k, X, Y)


@pytest.mark.parametrize(("kind", "text"), CASES, ids=[f"{kind}-{text}" for kind, text in CASES])
def test_every_kernel_agrees_with_its_formula(kind, text):
    k, (A, B) = parse(text), DATA[kind]
    expected = np.array(reference.gram(k, one_by_one(A), one_by_one(B)), dtype=float)
    np.testing.assert_allclose(k.fit(A)(A, B), expected, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("text", VECTOR_CASES)
@pytest.mark.parametrize("form", [csr_array, np.float32, np.asfortranarray], ids=["csr", "float32", "fortran"])
def test_every_kernel_obeys_the_laws_on_other_forms_of_vectors_I1(form, text):
    A, B = DATA["histograms" if "Chi" in text or "Min" in text else "vectors"]
    check_kernel(parse(text), form(A), form(B))


@pytest.mark.parametrize("text", VECTOR_CASES)
def test_single_precision_stays_single_and_near_double_I1(text):
    k, (A, B) = parse(text), DATA["histograms" if "Chi" in text or "Min" in text else "vectors"]
    found = k.fit(A.astype(np.float32))(A.astype(np.float32), B.astype(np.float32))
    expected = k.fit(A)(A, B)
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-5 * max(abs(expected).max(), 1.0))


@pytest.mark.parametrize("text", VECTOR_CASES)
def test_on_complex_vectors_a_kernel_obeys_the_laws_or_refuses_K37(text):
    k, A, B = parse(text), X + 1j * X[::-1], Y + 1j * Y[::-1]
    try:
        k(A)
    except ValueError:
        with pytest.raises(ValueError, match="real"):
            k(A)
    else:
        check_kernel(k, A, B)


@pytest.mark.parametrize("text", VECTOR_CASES)
def test_one_item_is_enough_I5(text):
    A, B = DATA["histograms" if "Chi" in text or "Min" in text else "vectors"]
    check_kernel(parse(text), A[:1], B)


@pytest.mark.parametrize("text", VECTOR_CASES)
def test_the_two_datasets_may_come_in_different_forms_I1(text):
    A, B = (
        np.float64(np.float32(Z)) for Z in DATA["histograms" if "Chi" in text or "Min" in text else "vectors"]
    )  # exact in both
    k = parse(text).fit(A)
    expected = k(A, B)
    for first, second in [(A, csr_array(B)), (csr_array(A), B), (A, np.float32(B)), (np.float32(A), csr_array(B))]:
        tol = 1e-10 if first.dtype == second.dtype else 1e-5
        np.testing.assert_allclose(k(first, second), expected, rtol=tol, atol=tol * max(abs(expected).max(), 1.0))
        np.testing.assert_allclose(k(second, first), expected.T, rtol=tol, atol=tol * max(abs(expected).max(), 1.0))
