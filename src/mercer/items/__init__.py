"""Items: what a dataset is, whatever it holds.  Length, slicing, one check at the door, a fingerprint."""

from mercer.items.categories import Categories
from mercer.items.items import Anything, Items, Objects
from mercer.items.sets import Intervals, Sets
from mercer.items.tables import Table
from mercer.items.text import Documents, Strings
from mercer.items.vectors import Vectors

__all__ = [
    "Anything",
    "Categories",
    "Documents",
    "Intervals",
    "Items",
    "Objects",
    "Sets",
    "Strings",
    "Table",
    "Vectors",
]
