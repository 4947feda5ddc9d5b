"""Strings through machines (E28): as through their Gram, better than the majority, kept in files, in tables."""

import json

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import mercer
from mercer.cli.main import run
from mercer.kernels import (
    AllSubstrings,
    Dictionary,
    EditSimilarity,
    GappedKmer,
    GapWeighted,
    LocalAlignment,
    Mismatch,
    Normalised,
    On,
    Spectrum,
    WeightedDegree,
)


def sequences(n, seed):
    """DNA with one of two motifs at about the same place, and which."""
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 2
    rows = rng.choice(list("acgt"), (n, 24))
    for row, label in zip(rows, y, strict=True):
        row[8:14] = list("tataat" if label else "ggcgcc")
        row[rng.integers(0, 24)] = "t"
    return ["".join(row) for row in rows], y


X, y = sequences(40, 0)
NEW, truth = sequences(20, 1)
KERNELS = [
    Normalised(Spectrum(3)),
    Normalised(AllSubstrings(0.7)),
    Normalised(Mismatch(4)),
    Normalised(GappedKmer(5, k=3)),
    WeightedDegree(3),
    Normalised(GapWeighted(3)),
    LocalAlignment(0.5),
    Dictionary(["tata", "gcg", "cc", "aat"]),
]


@pytest.mark.parametrize("k", KERNELS, ids=repr)
def test_strings_give_the_answers_of_their_gram_E28(k):
    own = mercer.SVC(C=10.0, kernel=k).fit(X, y)
    given = mercer.SVC(C=10.0, kernel="precomputed").fit(k(X), y)
    assert_allclose(own.decision_function(NEW), given.decision_function(k(NEW, X)), rtol=1e-6, atol=1e-6)
    assert np.mean(own.predict(NEW) == truth) > 0.8
    assert mercer.verify(own, X, y)


@pytest.mark.parametrize("k", [*KERNELS, EditSimilarity(0.3)], ids=repr)
def test_models_of_strings_come_back_from_files(k, tmp_path):
    model = mercer.KernelKNeighborsClassifier(3, kernel=k).fit(X, y)
    new = [*NEW[:5], "", "acg"]
    mercer.save(model, tmp_path / "model.mercer")
    again = mercer.load(tmp_path / "model.mercer")
    assert_array_equal(again.predict_proba(new), model.predict_proba(new))


def test_letters_unknown_at_training_are_unlike_all_others():
    model = mercer.SVC(kernel=Normalised(GapWeighted(2)), C=10.0).fit(X, y)
    alone = model.decision_function(["zzzzzz", "", "@"])
    assert_allclose(alone, np.repeat(model.intercept_, 3))


def test_a_column_of_strings_takes_a_named_kernel_in_the_command(tmp_path, capsys):
    rows = "\n".join(f"{s},{i},{'ab'[label]}" for i, (s, label) in enumerate(zip(X, y, strict=True)))
    (tmp_path / "dna.csv").write_text(f"dna,age,kind\n{rows}\n")
    model = str(tmp_path / "dna.mercer")
    kernel = "On('dna', Normalised(GappedKmer(5, k=3))) + 0.1 * On('age', RBF())"
    assert (
        run(["fit", str(tmp_path / "dna.csv"), "--keep", "age", "--kernel", kernel, "--output", model, "--json"]) == 0
    )
    assert "GappedKmer(5, k=3)" in json.loads(capsys.readouterr().out)["kernel"]
    assert mercer.load(model) is not None


def test_kernels_of_columns_are_those_of_their_strings():
    table = {"dna": X, "age": np.arange(40.0)}
    assert_array_equal(On("dna", GapWeighted(2))(table), GapWeighted(2)(X))
