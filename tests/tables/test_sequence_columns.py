"""A column of sequences in a table: DNA, proteins, SMILES (K23)."""

from __future__ import annotations

import numpy as np
import pytest

import mercer
from mercer.cli.main import run
from mercer.comparison.kernel_family import family
from mercer.items.column_kinds import kind_of
from mercer.kernels import RBF, GappedKmer, Normalised, On, Spectrum, WeisfeilerLehman
from mercer.tables import default_kernel, read

rng = np.random.default_rng(0)


def dna(n, motif, length=30):
    rows = rng.choice(list("acgt"), (n, length))
    for row in rows:
        at = rng.integers(0, length - len(motif))
        row[at : at + len(motif)] = list(motif)
    return ["".join(row) for row in rows]


@pytest.fixture
def file(tmp_path):
    lines = [f"{s},{i % 2}.5,{kind}" for kind, motif in (("a", "tataatg"), ("b", "ggcgtcc"))
             for i, s in enumerate(dna(30, motif))]  # fmt: skip
    path = tmp_path / "dna.csv"
    path.write_text("dna,age,kind\n" + "\n".join(lines) + "\n")
    return path


@pytest.mark.parametrize(("kind", "values"), [
    ("sequence", dna(30, "tata")),
    ("sequence", [s.upper() for s in dna(30, "tata", 15)]),
    ("sequence", [f"CC(=O)N{'C' * i}c1ccccc1" for i in range(30)]),
    ("categorical", [f"AB-{i}-CDEF-GHIJKL" for i in range(30)]),  # codes
    ("categorical", ["Alexandria", "Johannesburg", "Thessaloniki"] * 10),
    ("categorical", ["acgtacgtacgtacgt", "ttttacgtacgtacgt"] * 15),  # two values only
    ("text", [f"the cat number {i} sat on a mat" for i in range(30)]),
])  # fmt: skip
def test_kinds_of_strings(kind, values):
    assert kind_of(values) == kind


def test_sequences_are_compared_by_words_of_letters_K23(file):
    table = read(file)
    assert table.kinds == {"dna": "sequence", "age": "numeric", "kind": "categorical"}
    features, *_ = table.split_target("kind")
    assert default_kernel(features.drop(["age"])) == Normalised(Spectrum(3))
    assert "On('dna', Normalised(Spectrum()))" in repr(default_kernel(features))


def test_a_family_varies_lengths_of_words_and_lengthscales():
    words = {int(member.varied["letters"]): member.kernel for member in family(Normalised(Spectrum(7)))}
    assert sorted(words) == [2, 3, 4, 5, 6, 7]
    assert words[4] == Normalised(Spectrum(4))
    both = family(On("s", Normalised(Spectrum(3))) + On("x", RBF(2.0)))
    assert len(both) == 15
    assert {"lengthscale": 4.0, "letters": 2.0} in [member.varied for member in both]
    assert [m.kernel.g for m in family(GappedKmer(7, k=6))] == [6, 7, 8, 10]
    assert [m.varied["rounds"] for m in family(WeisfeilerLehman(3))] == [1, 2, 3, 4, 5]


def test_the_command_tunes_the_length_of_words_K23(file, tmp_path, capsys):
    page = tmp_path / "page.html"
    assert run(["compare", str(file), "--target", "kind", "--methods", "svm,lda", "--report", str(page)]) == 0
    assert "letters" in page.read_text()
    found = mercer.compare(read(file), "kind", methods=["svm"], tune=True, random_state=0)
    assert "letters" in found["svm"].settings
    assert found["svm"].score > 0.6
    model = str(tmp_path / "dna.mercer")
    assert run(["fit", str(file), "--target", "kind", "--kind", "dna=sequence", "-o", model]) == 0
    assert run(["predict", model, str(file)]) == 0
