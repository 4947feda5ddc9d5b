"""Tables from files: read, checked by line and column, with a kernel for their columns.

    table, y, task = mercer.tables.read("adult.csv").split_target("income")
    kernel = mercer.tables.default_kernel(table)
    make_pipeline(mercer.TableScaler(table.kinds), mercer.SVC(kernel=kernel)).fit(table.items, y)

reading.py            read: a table from a file of any format
source.py             the bytes, and their format
delimited.py, json_lines.py, parquet.py, svmlight.py, frames.py    one format each, from bytes or memory to cells
part_files.py         a folder of Parquet files, the parts of one table
cells.py              a table before the kinds of its columns are known
columns.py            from cells to columns; column_notes.py, notes on unusual ones
columns_left_out.py   row numbers, identifiers, dates: they do not help to predict
target.py             whether a target holds labels or numbers
table.py              the result
kernel.py             a first kernel for the columns
"""

from mercer.tables.kernel import default_kernel
from mercer.tables.reading import read
from mercer.tables.table import Table

__all__ = ["Table", "default_kernel", "read"]
