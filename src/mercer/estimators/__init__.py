"""Estimators: machines with scikit-learn's contract, on any kernel and any kind of item.

The names are those of `mercer` itself (mercer.SVC, mercer.KernelRidge, ...), which loads each on first use.
"""
