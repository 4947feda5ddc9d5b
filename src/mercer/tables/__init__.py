"""Tables from files: read, checked by line and column, with a kernel for their columns.

    table, y, task = mercer.tables.read("adult.csv").split_target("income")
    kernel = mercer.tables.default_kernel(table)
    make_pipeline(mercer.TableScaler(table.kinds), mercer.SVC(kernel=kernel)).fit(table.items, y)

Read `reading.py` for the formats, `columns.py` for what is made of their cells, `table.py` for what comes out.
"""

from mercer.tables.kernel import default_kernel
from mercer.tables.reading import read
from mercer.tables.table import Table

__all__ = ["Table", "default_kernel", "read"]
