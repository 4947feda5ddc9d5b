"""Claims about cost are tried and reported, whether they hold or not (C3, C9, C10, C13, E22)."""

from __future__ import annotations

import json
import time

from benchmarks import claims


def test_a_smoke_run_reports_on_every_claim(tmp_path, capsys):
    file = tmp_path / "claims.json"
    assert claims.main(["--smoke", "--json", str(file)]) == 0
    found = json.loads(file.read_text())
    assert {row["item"] for row in found} == {"C3", "C9", "C10", "C13", "C14", "E22"}
    assert all(row["machine"] for row in found)
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 1 + len(found)
    assert all(line.split()[0] in ("C3", "C9", "C10", "C13", "C14", "E22") for line in lines[1:])


def test_a_claim_that_does_not_hold_is_said_not_to_C9():
    class Sleeper:
        def __init__(self, length):
            self.length = length

        def fit(self, X, y):
            time.sleep(self.length)

    def short():
        return Sleeper(0.001)

    def long():
        return Sleeper(0.02)

    assert claims.faster("a", short, long, 10, 2).holds
    refuted = claims.faster("a", long, short, 10, 2)
    assert not refuted.holds
    assert "DOES NOT HOLD" in str(refuted)


def test_the_best_round_of_each_counts():
    slow = iter([0.05, 0.0])
    took = claims.seconds({"a": lambda: time.sleep(next(slow)), "b": lambda: time.sleep(0.02)}, 2)
    assert took["a"] < 0.02 <= took["b"]
