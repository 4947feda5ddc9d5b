"""Where the kernel values of a machine come from: one protocol (data.py), and a file for each kind of training data.

data.py            the protocol: all that an estimator may ask of its training data
kernel_items.py    items of any kind, compared by a kernel
given_gram.py      a given matrix of kernel values: kernel="precomputed"
mapped_items.py    rows in a file, read a block at a time
low_rank.py        items of either kind behind landmarks, for machines with method="nystrom"
spread.py          items in blocks on the workers of a Dask cluster
"""

from mercer.estimators.training_data.data import Cross, Data
from mercer.estimators.training_data.given_gram import Columns, GivenGram
from mercer.estimators.training_data.kernel_items import KernelItems
from mercer.estimators.training_data.low_rank import Approximation, LowRankItems
from mercer.estimators.training_data.mapped_items import MappedItems

__all__ = ["Approximation", "Columns", "Cross", "Data", "GivenGram", "KernelItems", "LowRankItems", "MappedItems"]
