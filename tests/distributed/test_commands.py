"""D6: the command on a cluster that is there."""

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
