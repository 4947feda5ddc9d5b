"""Items: what a dataset is, whatever it holds.  Length, slicing, one check at the door, a fingerprint.

items.py           the contract of a dataset, and its most general kind: a sequence of objects
vectors.py         rows of a dense or sparse matrix
mapped.py          rows of numbers that stay in a file: memory maps, Parquet, iterators of blocks
categories.py      rows of values that are equal or different
text.py            strings (letter by letter) and documents (word by word)
sets.py            finite sets, in lists or packed into bits, and unions of intervals
point_lists.py     lists of points: time series and sets of points
sequences.py       strings or lists of points, for kernels that take both
rankings.py        orders of the same things
graphs.py          graphs with labels and attributes
graph_forms.py     graphs of networkx, igraph, SciPy, edge lists and dicts, read one by one
labels.py          labels of nodes and edges, and their hashes
tables.py          rows whose columns are of several kinds
column_kinds.py    what a column of a table holds: numbers, categories, text, sequences or graphs
symbols.py         the hashable values that texts, sets and categories are made of
models.py          fitted probability models, one per object
joined.py          two datasets of one kind as one

Names load on first use: a machine on vectors needs a few of these modules.
"""

from typing import TYPE_CHECKING

from mercer.lazy import on_first_use

if TYPE_CHECKING:
    from mercer.items.categories import Categories
    from mercer.items.graphs import Graphs
    from mercer.items.items import Anything, Items, Objects
    from mercer.items.models import Models
    from mercer.items.point_lists import PointLists
    from mercer.items.rankings import Rankings
    from mercer.items.sequences import Sequences
    from mercer.items.sets import Intervals, Sets
    from mercer.items.tables import Table
    from mercer.items.text import Documents, Strings
    from mercer.items.vectors import Vectors
else:
    __getattr__, __dir__ = on_first_use(
        __name__,
        {
            "categories": "Categories",
            "graphs": "Graphs",
            "items": "Anything Items Objects",
            "models": "Models",
            "point_lists": "PointLists",
            "rankings": "Rankings",
            "sequences": "Sequences",
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
    "Graphs",
    "Intervals",
    "Items",
    "Models",
    "Objects",
    "PointLists",
    "Rankings",
    "Sequences",
    "Sets",
    "Strings",
    "Table",
    "Vectors",
]
