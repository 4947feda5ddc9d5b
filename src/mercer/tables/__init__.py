"""Tables from files: read, checked by line and column, with a kernel for their columns.

    table, y, task = mercer.tables.read("adult.csv").split_target("income")
    kernel = mercer.tables.default_kernel(table)
    make_pipeline(mercer.TableScaler(table.kinds), mercer.SVC(kernel=kernel)).fit(table.items, y)

reading.py has the formats, columns.py turns cells into columns, table.py has the result.
"""

from mercer.tables.kernel import default_kernel
from mercer.tables.reading import read
from mercer.tables.table import Table

__all__ = ["Table", "default_kernel", "read"]
