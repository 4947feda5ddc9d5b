"""Sparse Bayesian learning: relevance vector machines by the evidence of their precisions.

basis.py       the functions to choose from: kernel values with every item, and a constant
row_cache.py   rows of a matrix, computed on demand and kept
evidence.py    what a change of one precision gains, in closed form; the answer and its proof
gaussian.py    the evidence of numbers with Gaussian noise
laplace.py     the evidence of labels, by Laplace's approximation
greedy.py      the ascent that both share: add, re-estimate, delete, exchange
proof.py       the proof for given weights and precisions
em.py          the slower way, to compare with: all precisions at once, by EM or MacKay's fixed point
"""
