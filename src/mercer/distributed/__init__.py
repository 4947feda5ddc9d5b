"""Rows that are spread over the workers of a Dask cluster: one more source of blocks for the same machines.

Nothing of Dask is imported before a Dask collection or a client is there.

collections.py     what is a Dask collection, without importing Dask
cluster.py         where tasks run: a client, or Dask's own scheduler; broadcasts, cancelled tasks, lost workers
rows.py            rows in blocks: tasks for each block, sums in a fixed order
matrix.py          a tall matrix in blocks: products, and sums over its rows
sums.py            several sums at once
columns.py         means and deviations of columns
routing.py         rows that go to groups, with a task for each group
tree.py            results merged eight at a time, in the order of their blocks
pairs.py           sums over all pairs of blocks of places and blocks of rows
made.py            collections whose blocks are read or held by workers
checks.py          what is wrong with a block, found before long work
variance.py        the variance of all numbers, from those of blocks
deviations.py      means and deviations of columns, from those of blocks
lazy.py            predictions of a Dask collection, made when they are asked for
jobs.py            jobs of different kinds, with their results as they come
gathering.py       fits that keep all rows, which come here first
connection.py      a client of a cluster that is already there, and whether its workers see a file
versions.py        workers, their memory, threads and versions
"""

from mercer.distributed.collections import is_spread
from mercer.distributed.rows import Block, Rows

__all__ = ["Block", "Rows", "is_spread"]
