"""Solvers: one mathematical problem each, as pure functions on arrays or on the Gram protocol.

Every solver returns an answer together with its proof; none knows of kernels or of scikit-learn.
"""
