"""Model files: a fitted machine in one zip of arrays and JSON, written atomically and read without running its code."""

from mercer.files.model import load, save

__all__ = ["load", "save"]
