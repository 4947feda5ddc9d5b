"""Items: what a dataset is, whatever it holds.  Length, slicing, one check at the door, a fingerprint.

Names load on first use: a machine on vectors needs a few of these modules.
"""

from typing import TYPE_CHECKING

from mercer.lazy import on_first_use

if TYPE_CHECKING:
    from mercer.items.categories import Categories
    from mercer.items.items import Anything, Items, Objects
    from mercer.items.sets import Intervals, Sets
    from mercer.items.tables import Table
    from mercer.items.text import Documents, Strings
    from mercer.items.vectors import Vectors
else:
    __getattr__, __dir__ = on_first_use(
        __name__,
        {
            "categories": "Categories",
            "items": "Anything Items Objects",
            "sets": "Intervals Sets",
            "tables": "Table",
            "text": "Documents Strings",
            "vectors": "Vectors",
        },
    )

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
