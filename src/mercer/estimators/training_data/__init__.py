"""Where the kernel values of a machine come from: one protocol (data.py), and a file for each kind of training data."""

from mercer.estimators.training_data.data import Cross, Data
from mercer.estimators.training_data.given_gram import Columns, GivenGram
from mercer.estimators.training_data.kernel_items import KernelItems

__all__ = ["Columns", "Cross", "Data", "GivenGram", "KernelItems"]
