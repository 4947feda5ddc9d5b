"""Choosing hyper-parameters without doing the work twice.

search.py              KernelSearchCV
candidates.py          one model for every setting that is tried; grids.py, grids by name
groups.py              which candidates share work
shared_grams.py        Grams that share their pair statistics
evaluation.py          scores of many candidates on many folds
on_workers.py          the same on the workers of a Dask client
scoring.py             scores of one fit, by scikit-learn's scorers
halving.py, racing.py  candidates dropped early: on few items, or on few folds
evidence.py            settings by their evidence
kernel_heuristics.py   a lengthscale and an alignment from the data, before any fit
column_dict.py         a dict of columns whose rows can be chosen
"""
