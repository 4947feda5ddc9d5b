"""Recursive feature machines: kernel ridge regression that learns its own metric.

machine.py      RFMRegressor and RFMClassifier
rows_elsewhere.py   the same for rows on the workers of a Dask cluster: a task for each leaf
columns.py      columns in units of their own, or as normal scores of ranks
choice.py       width and penalty of least leave-one-out error
leaf.py         one machine: rounds of ridge regression and metric, then a fit to all of its rows
probability.py  class probabilities from values that were predicted without the item itself
"""
