"""What a table gives: targets, tasks, rows, a kernel to start from."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.model_selection import train_test_split

import mercer
from mercer import TableError
from mercer.kernels import RBF, Hamming, Normalised, On, Spectrum, TfIdf
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


# ---- columns that are no features


def read_rows(tmp_path, header, rows, **options):
    (tmp_path / "t.csv").write_text("\n".join([header, *rows]))
    return mercer.tables.read(tmp_path / "t.csv", **options)


def test_constant_empty_and_identifying_columns_are_noted(tmp_path):
    table = read_rows(tmp_path, "id,c,e,x,y", [f"{i},u,,{i % 7},{i % 2}" for i in range(1, 31)])
    features, _, _ = table.split_target()
    assert list(features.columns) == ["c", "e", "x"]
    notes = " | ".join(features.notes)
    for expected in ("column 'id' is left out: it numbers the rows", "'c' is constant", "'e' is empty"):
        assert expected in notes


N = 40
IDENTIFYING = {
    "": [*range(N)],
    "Unnamed: 0": rng.permutation(1000)[:N].tolist(),
    "index": rng.permutation(N).tolist(),
    "counter": [*range(1, N + 1)],
    "customer_id": rng.permutation(10_000)[:N].tolist(),
    "PassengerId": rng.permutation(10_000)[:N].tolist(),
    "name": [f"n{i * 7919 % 10_007}" for i in range(N)],
}
DATES = [
    "2024-01-31", "2024-01-31T10:30:00Z", "2024-01-31 10:30:00.123+01:00", "31.01.2024", "1/31/24", "1/31/2024 9:05 pm",
    "2024/1/31", "2024-01", "31-Jan-2024", "January 31, 2024", "3 Feb 2024", "10:30", "10:30:59",
]  # fmt: skip
FEATURES = {
    "year": [*range(1950, 1950 + N)],
    "humid": rng.permutation(1000)[:N].tolist(),
    "price": rng.normal(size=N).round(6).tolist(),
    "id": rng.integers(0, 9, N).tolist(),
    "text": [f"a long story of number {i} and more" for i in range(N)],
    "code": [f"c{i % 20}" for i in range(N)],
    "version": [f"1.{i % 5}" for i in range(N)],
    "ratio": [f"{i % 5}/{i % 3}" for i in range(N)],
    "score": [f"{i % 5}:{i % 3}" for i in range(N)],
    "range": [f"{i}-{i + 5}" for i in [10, 20] * (N // 2)],
}


def rows_of(values):
    return [f'"{value}",{i % 7}.5,{i % 2}' for i, value in enumerate(values)]


@pytest.mark.parametrize(
    ("name", "values"), [*IDENTIFYING.items(), *((f"on {d}", [d] * 20 + [""] + [d] * 19) for d in DATES)]
)
def test_an_index_identifiers_and_dates_are_left_out_and_noted(tmp_path, name, values):
    table = read_rows(tmp_path, f'"{name}",x,y', rows_of(values))
    shown = name or "Unnamed: 0"
    assert list(table.columns) == [shown, "x", "y"]
    features, _, _ = table.split_target()
    assert list(features.columns) == ["x"]
    assert features.notes[0].startswith(f"column {shown!r} is left out: it ")


@pytest.mark.parametrize(("name", "values"), FEATURES.items())
def test_other_columns_stay(tmp_path, name, values):
    features, _, _ = read_rows(tmp_path, f"{name},x,y", rows_of(values)).split_target()
    assert list(features.columns) == [name, "x"]


@pytest.mark.parametrize("options", [{"keep": ["id"]}, {"kinds": {"id": "numeric"}}, {"kinds": {"id": "categorical"}}])
def test_a_column_is_kept_by_name_or_by_its_kind(tmp_path, options):
    table = read_rows(tmp_path, "id,x,y", rows_of(range(N)), **options)
    assert list(table.split_target()[0].columns) == ["id", "x"]


def test_a_column_to_keep_must_be_there(tmp_path):
    with pytest.raises(TableError, match="Did you mean 'id'"):
        read_rows(tmp_path, "id,x,y", rows_of(range(N)), keep=["idd"])


def test_the_only_column_stays_and_is_noted(tmp_path):
    features, _, _ = read_rows(tmp_path, "t,y", [f"{i},{i % 2}" for i in range(N)]).split_target()
    assert list(features.columns) == ["t"]
    assert features.notes == ("column 't' numbers the rows",)


def test_the_target_is_not_left_out_and_an_identifier_is_no_target_by_chance(tmp_path):
    rows = [f"{i % 7}.5,{i % 2},{i}" for i in range(N)]
    table = read_rows(tmp_path, "x,z,row", rows)
    assert table.target_name() == "z"
    features, y, task = table.split_target("row")
    assert (list(features.columns), len(y), task, features.notes) == (["x", "z"], N, "regression", ())


# ---- codes


@pytest.mark.parametrize(
    "cells", [["02134", "10001", "94105"], ["007", "012", "123"], ["00", "01"], ["02134", "10001-1234"]]
)
def test_codes_with_leading_zeros_stay_text(tmp_path, cells):
    rows = [f"{cells[i % len(cells)]},{i % 7}.5,{i % 2}" for i in range(N)]
    table = read_rows(tmp_path, "zip,x,y", rows)
    assert table.kinds["zip"] == "categorical"
    assert table.columns["zip"][:2].tolist() == cells[:2]
    assert "column 'zip' has leading zeros: it is read as text" in table.notes


@pytest.mark.parametrize(
    "cells", [["0", "1"], ["0.5", "10"], ["00.5", "1.5"], ["0", "-01", "2.5"], ["0e1", "01"], ["10", "20"]]
)
def test_numbers_with_a_zero_in_front_are_numbers(tmp_path, cells):
    rows = [f"{cells[i % len(cells)]},{i % 2}" for i in range(N)]
    assert read_rows(tmp_path, "x,y", rows).kinds["x"] == "numeric"


def test_codes_are_numbers_where_that_is_asked_for(tmp_path):
    table = read_rows(tmp_path, "zip,y", [f"0{i},{i % 2}" for i in range(N)], kinds={"zip": "numeric"})
    assert table.columns["zip"].tolist() == list(range(N))


# ---- the kernel to start from


def test_numbers_get_one_gaussian_at_the_median_distance():
    kernel = default_kernel(made(a=rng.normal(size=200), b=100.0 * rng.normal(size=200)))
    assert isinstance(kernel, RBF)
    assert 1.3 < kernel.lengthscale < 2.1  # of two standardised columns: sqrt(2 * 2 * 0.69) = 1.67


def test_text_alone_gets_words_and_sequences_get_pieces():
    texts = Table("t", {"s": np.array(SENTENCES, dtype=object)}, {"s": "text"})
    assert default_kernel(texts) == TfIdf()
    dna = Table("t", {"s": np.array(["GATTACA" * 8, "CATTACC" * 8], dtype=object)}, {"s": "text"})
    assert default_kernel(dna) == Normalised(Spectrum(3))


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
