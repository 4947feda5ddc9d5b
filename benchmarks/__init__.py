"""Benchmarks: data plus one runner.

    python -m benchmarks gram              one suite, in full
    python -m benchmarks all --smoke       every suite at a tiny size: do the answers agree?
    python -m benchmarks gram --list       its cases

A suite is a module with `cases()`.  A case (harness.py) puts one question to us and to the rivals in the same
process, by turns, checks that they gave the same answer, and reports ratios.
"""
