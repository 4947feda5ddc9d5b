"""Compiled loops: few, short, named for the mathematics, without the interpreter lock.

Importing any module of this folder loads numba, so it is done on first use, never at start-up.
"""
