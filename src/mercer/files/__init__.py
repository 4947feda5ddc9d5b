"""Model files: a fitted machine in one zip of arrays and JSON, written atomically and read without running its code.

model.py           save and load
archive.py         the zip: JSON and raw arrays, with checksums
encode.py          from a model to a tree of JSON and arrays; decode.py, and back
arrays.py          arrays as bytes
registry.py        the classes that a file may name
annotations.py     whether a value from a file fits the annotation of its field
rebuilt.py         classes of which only some fields are stored
sharing.py         what is stored once though a model refers to it several times
transformers.py    scikit-learn's transformers
faults.py          the one form of messages about a bad file
"""

from mercer.files.model import load, save

__all__ = ["load", "save"]
