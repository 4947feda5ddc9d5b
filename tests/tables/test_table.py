"""What a table gives: targets, tasks, rows, a kernel to start from."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.model_selection import train_test_split

import mercer
from mercer import TableError
from mercer.kernels import RBF, Hamming, On, Spectrum, TfIdf
from mercer.tables import Table, default_kernel

rng = np.random.default_rng(0)
SENTENCES = ["the cat sat there", "a dog ran far away", "we all go home", "nobody knows the end"]


def made(**columns) -> Table:
    kinds = {name: "numeric" if np.asarray(c).dtype.kind in "fi" else "categorical" for name, c in columns.items()}
    arrays = {n: np.array(c, dtype=float if kinds[n] == "numeric" else object) for n, c in columns.items()}
    return Table("t", arrays, kinds)


@pytest.mark.parametrize(
    ("names", "chosen"),
    [(["Label", "a"], "Label"), (["a", "y", "class"], "class"), (["target", "y", "b"], "target"), (["a", "b"], "b")],
)
def test_the_target_is_the_usual_name_or_the_last_column(names, chosen):
    assert made(**{name: [1.0, 2.0] for name in names}).target_name() == chosen


def test_an_unknown_target_names_the_columns_and_the_nearest():
    with pytest.raises(TableError, match=r"\['strength', 'age'\], got 'strenght'. Did you mean 'strength'\?"):
        made(strength=[1.0], age=[2.0]).split_target("strenght")


@pytest.mark.parametrize(
    ("target", "task", "kind"),
    [
        (["u", "v"] * 10, "classification", "U"),
        ([0.0, 1.0] * 10, "classification", "i"),
        ([0.5, 1.5] * 10, "classification", "f"),
        ([0.0, 1.0, 2.0, 3.0] * 5, "classification", "i"),
        (np.arange(20.0), "regression", "f"),
        (np.tile([0.1, 0.2, 0.3], 10), "regression", "f"),
    ],
)
def test_the_task_is_told_by_the_target(target, task, kind):
    _, y, found = made(x=np.arange(float(len(target))), target=target).split_target()
    assert (found, y.dtype.kind) == (task, kind)


def test_a_task_can_be_asked_for():
    table = made(x=np.arange(20.0), target=[0.0, 1.0, 2.0, 3.0] * 5)
    assert table.split_target(task="regression")[2] == "regression"
    with pytest.raises(ValueError, match="task must be"):
        table.split_target(task="clustering")
    with pytest.raises(TableError, match="expected numbers for regression, got strings"):
        made(x=[1.0, 2.0], y=["a", "b"]).split_target(task="regression")
    with pytest.raises(TableError, match="two different values or more, got 1"):
        made(x=[1.0, 2.0], y=["a", "a"]).split_target()


def test_rows_without_a_target_are_left_out_and_counted():
    table, y, _ = made(x=[1.0, 2.0, 3.0, 4.0], y=["a", None, "b", None]).split_target()
    assert (table.columns["x"].tolist(), y.tolist()) == ([1.0, 3.0], ["a", "b"])
    assert table.notes == ("2 rows without a target were left out",)


def test_a_table_of_only_a_target_is_refused():
    with pytest.raises(TableError, match="expected a column besides"):
        made(y=["a", "b"]).split_target()


def test_scikit_learn_can_split_the_items():
    table = made(x=np.arange(10.0), c=list("abcdefghij"))
    train, test = train_test_split(table.items, test_size=3, random_state=0)
    assert sorted(train.columns["c"] + test.columns["c"]) == list("abcdefghij")
    assert len(test) == 3


def test_constant_empty_and_identifying_columns_are_noted(tmp_path):
    rows = [f"{i},u,,{i % 2}" for i in range(1, 31)]
    (tmp_path / "t.csv").write_text("\n".join(["id,c,e,y", *rows]))
    notes = " | ".join(mercer.tables.read(tmp_path / "t.csv").notes)
    for expected in ("'id' looks like an identifier", "'c' is constant", "'e' is empty"):
        assert expected in notes


# ---- the kernel to start from


def test_numbers_get_one_gaussian_at_the_median_distance():
    kernel = default_kernel(made(a=rng.normal(size=200), b=100.0 * rng.normal(size=200)))
    assert isinstance(kernel, RBF)
    assert 1.3 < kernel.lengthscale < 2.1  # of two standardised columns: sqrt(2 * 2 * 0.69) = 1.67


def test_text_alone_gets_words_and_sequences_get_pieces():
    texts = Table("t", {"s": np.array(SENTENCES, dtype=object)}, {"s": "text"})
    assert default_kernel(texts) == TfIdf()
    dna = Table("t", {"s": np.array(["GATTACA" * 8, "CATTACC" * 8], dtype=object)}, {"s": "text"})
    assert default_kernel(dna) == Spectrum(3)


def test_mixed_columns_get_one_term_for_every_kind_and_print_as_they_parse():
    columns = {"n": rng.normal(size=4), "c": np.array(["u", "v", None, "u"], dtype=object),
               "t": np.array(SENTENCES, dtype=object)}  # fmt: skip
    kernel = default_kernel(Table("t", columns, {"n": "numeric", "c": "categorical", "t": "text"}))
    assert mercer.parse(repr(kernel)) == kernel
    assert [type(term) for term in kernel.children] == [On, On, On]
    assert [type(term.kernel) for term in kernel.children] == [RBF, Hamming, TfIdf]


def test_sparse_rows_get_a_gaussian(tmp_path):
    (tmp_path / "t.svm").write_text("1 1:1\n-1 2:1\n1 1:1 2:1\n-1 5:3\n")
    table, _, _ = mercer.tables.read(tmp_path / "t.svm").split_target()
    kernel = default_kernel(table)
    assert isinstance(kernel, RBF)
    assert kernel(table.items).shape == (4, 4)


def test_one_row_or_equal_rows_have_a_kernel_too():
    for n in (1, 5):
        assert default_kernel(made(a=np.ones(n))) == RBF(1.0)
        assert default_kernel(made(a=["u"] * n)) == On(("a",), Hamming(2.0))
