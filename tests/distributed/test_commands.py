"""D6: the command on a cluster that is there."""

import numpy as np
import pytest

from mercer.cli.main import run


def called(capsys, *arguments):
    code = run([str(a) for a in arguments])
    shown = capsys.readouterr()
    return code, " ".join((shown.out + shown.err).split())


def test_D6_cluster_check_lists_workers_that_agree(client, capsys):
    code, shown = called(capsys, "cluster-check", client.scheduler.address)
    assert code == 0, shown
    assert "versions agree" in shown
    assert "yes" in shown


def test_D6_a_search_goes_to_the_workers(client, tmp_path, rows, capsys):
    X, y = rows
    file = tmp_path / "table.csv"
    lines = [f"{a:.4f},{b:.4f},{t:.4f}" for (a, b, _), t in zip(X[:60], y[:60], strict=True)]
    file.write_text("\n".join(["a,b,y", *lines]))
    command = ("tune", file, "--target", "y", "--method", "ridge", "--kernel", "RBF(1.0)", "--grid", "alpha=[0.1,1]")
    code, shown = called(capsys, *command, "--folds", 3, "--scheduler", client.scheduler.address, "--json")
    assert code == 0, shown
    assert "alpha" in shown


def test_D6_an_address_without_a_scheduler_is_refused(capsys):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("mercer.distributed.connection._PATIENCE", 0.5)
        code, shown = called(capsys, "cluster-check", "tcp://127.0.0.1:9")
    assert code == 2
    assert "the scheduler must be the address of one that answers" in shown


@pytest.fixture(scope="module")
def tables(tmp_path_factory, rows):
    """A folder of parts and the same table in one file: numbers, a category, a text."""
    pd = pytest.importorskip("pandas")
    place = tmp_path_factory.mktemp("tables")
    X, y = rows
    frame = pd.DataFrame({"a": X[:300, 0], "b": X[:300, 1], "k": np.where(X[:300, 2] > 0, "up", "down")})
    words = np.where(y[:300] > 1, "red", "blue")
    frame["t"] = [f"{word} apple and a green pear number {i % 37}" for i, word in enumerate(words)]
    frame["y"] = y[:300]
    frame.to_parquet(place / "whole.parquet")
    (place / "parts").mkdir()
    for i, part in enumerate((frame.iloc[:120], frame.iloc[120:120], frame.iloc[120:])):
        part.to_parquet(place / "parts" / f"part-{i}.parquet")
    return place


@pytest.mark.parametrize("drop", [[], ["--drop", "k", "--drop", "t"]], ids=["mixed", "numbers"])
def test_D6_fit_and_predict_on_workers_as_here(client, tables, tmp_path, capsys, drop):
    answers = {}
    landmarks = ("--set", "method=nystrom", "--set", "n_landmarks=30")
    at = ("--scheduler", client.scheduler.address)
    for data, where in (("whole.parquet", ()), ("parts", at), ("whole.parquet", at)):
        fit = ("fit", tables / data, "--target", "y", "--method", "ridge", *landmarks, *drop, "-o", tmp_path / "model")
        code, shown = called(capsys, *fit, *where)
        assert code == 0, shown
        code, shown = called(capsys, "predict", tmp_path / "model", tables / data, "-o", tmp_path / "out.csv", *where)
        assert code == 0, shown
        assert "on 300 rows with a known 'y'" in shown
        answers[data, where] = np.loadtxt(tmp_path / "out.csv", skiprows=1)
    wanted, *others = answers.values()
    for found in others:
        np.testing.assert_allclose(found, wanted, rtol=1e-8, atol=1e-8)


def test_D6_density_on_workers_as_here(client, tables, tmp_path, capsys):
    command = ("density", tables / "parts", "-c", "a", "-c", "b", "-b", "scott")
    (_, near), (code, far) = called(capsys, *command), called(capsys, *command, "--scheduler", client.scheduler.address)
    assert code == 0, far
    assert far.partition("method")[0] == near.partition("method")[0]


def test_D6_methods_that_need_all_rows_are_refused_on_workers(client, tables, capsys):
    at = ("--scheduler", client.scheduler.address)
    code, shown = called(capsys, "fit", tables / "parts", "--target", "y", "--method", "rvm", *at)
    assert code == 2
    assert "the method must be one on landmarks" in shown
