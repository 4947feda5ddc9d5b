"""D6: a folder of Parquet files is a table."""

import numpy as np
import pytest

import mercer
from mercer.cli.main import run
from mercer.errors import TableError
from mercer.tables import read
from mercer.tables.part_files import PartFiles

pd = pytest.importorskip("pandas")
pytest.importorskip("pyarrow")


@pytest.fixture
def frame():
    rng = np.random.default_rng(0)
    found = pd.DataFrame({"a": rng.normal(size=200), "b": rng.normal(size=200), "k": rng.choice(["u", "v"], 200)})
    found["y"] = np.sin(found.a) + found.b**2 + (found.k == "u")
    found.loc[5, "a"] = np.nan
    found.loc[[7, 150], "y"] = np.nan
    return found


@pytest.fixture
def folder(frame, tmp_path):
    """Parts of which one has no rows, one several row groups, and a file that is no part."""
    place = tmp_path / "parts"
    place.mkdir()
    frame.iloc[:0].to_parquet(place / "part-0.parquet")
    frame.iloc[:120].to_parquet(place / "part-1.parquet", row_group_size=50)
    frame.iloc[120:].astype({"k": "category"}).to_parquet(place / "part-2.pq")
    (place / "_SUCCESS").write_text("")
    return place


def called(capsys, *arguments):
    code = run([str(a) for a in arguments])
    shown = capsys.readouterr()
    return code, shown.out, " ".join(shown.err.split())


def test_D6_a_folder_is_the_table_of_its_parts(frame, folder, tmp_path):
    frame.to_parquet(tmp_path / "whole.parquet")
    whole, parts = read(tmp_path / "whole.parquet"), read(folder)
    assert parts.kinds == whole.kinds
    assert parts.notes == whole.notes
    for name, column in whole.columns.items():
        np.testing.assert_array_equal(parts.columns[name], column)


def test_D6_pieces_are_row_groups_and_name_their_rows(folder):
    parts = PartFiles.of(folder)
    assert len(parts) == 200
    assert [piece.rows for piece in parts.pieces] == [120, 80]
    assert parts.pieces[1].place(3) == "part-2.pq, row 4"
    some = parts.read(parts.pieces[1], {"a": "numeric", "k": "categorical"})
    assert len(some["a"]) == len(some["k"]) == 80


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda f: f.drop(columns="b"), r"part-3.parquet: expected the columns of part-0.parquet, got none of \['b'\]"),
        (lambda f: f.assign(z=1.0), r"part-3.parquet: expected the columns of part-0.parquet, got also \['z'\]"),
        (lambda f: f.assign(a="x"), r"part-3.parquet, column 'a': expected numbers as in part-0.parquet, got strings"),
        (lambda f: f.assign(b=np.inf), r"part-3.parquet, row 1, column 'b': expected a number, got inf"),
    ],
    ids=["lost", "new", "type", "infinite"],
)
def test_D6_parts_that_do_not_fit_are_named(frame, folder, change, message):
    change(frame.iloc[:10]).to_parquet(folder / "part-3.parquet")
    with pytest.raises(TableError, match=message):
        read(folder)


def test_D6_a_folder_without_parts_or_rows(frame, tmp_path, capsys):
    with pytest.raises(TableError, match="expected a folder of Parquet files, got none that ends"):
        read(tmp_path)
    frame.iloc[:0].to_parquet(tmp_path / "part.parquet")
    with pytest.raises(TableError, match="expected rows, got 1 parts without any"):
        read(tmp_path)
    (tmp_path / "part.parquet").write_bytes(b"PAR1 and no more")
    code, _, shown = called(capsys, "fit", tmp_path, "--target", "y")
    assert code == 2
    assert "part.parquet: expected a Parquet file, got one that cannot be read" in shown
    frame.to_parquet(tmp_path / "part.parquet")
    with pytest.raises(TableError, match="expected format parquet for a folder"):
        read(tmp_path, format="csv")


def test_D6_a_folder_beyond_the_memory_budget(folder, monkeypatch):
    monkeypatch.setattr(PartFiles, "__len__", lambda self: 200_000)
    with mercer.configure(memory=2**16), pytest.raises(TableError, match=r"200000 rows .* fit on landmarks"):
        read(folder)


@pytest.mark.parametrize("drop", [[], ["--drop", "k"]], ids=["mixed", "numbers"])
@pytest.mark.parametrize("way", [[], ["--set", "method=nystrom", "--set", "n_landmarks=30"]], ids=["all", "landmarks"])
def test_D6_fit_and_predict_a_folder_as_its_table(frame, folder, tmp_path, capsys, way, drop):
    frame.to_parquet(tmp_path / "whole.parquet")
    answers = []
    for data, model in ((tmp_path / "whole.parquet", "near"), (folder, "far")):
        command = ["fit", data, "--target", "y", "--method", "ridge", "--output", tmp_path / model]
        code, _, shown = called(capsys, *command, *way, *drop)
        assert code == 0, shown
        code, out, shown = called(capsys, "predict", tmp_path / model, data)
        assert code == 0, shown
        assert "on 198 rows with a known 'y'" in shown
        answers.append(np.array(out.split()[1:], dtype=float))
    np.testing.assert_allclose(*answers, rtol=1e-8, atol=1e-8)


def test_D6_density_of_a_folder(folder, capsys):
    code, out, shown = called(capsys, "density", folder, "-c", "a", "-b", "scott")
    assert code == 0, shown
    assert "rows with gaps, left out" in out
    code, _, shown = called(capsys, "density", folder, "-c", "nothing")
    assert code == 2
    assert "'nothing'" in shown
