"""Machines of regularised risk: any convex loss, the representer form, and a proof.

classification.py    any convex loss, and logistic regression of two classes or more
regression.py        any convex loss, and quantile regression
losses.py            what the argument `loss` may be
fitting.py           the steps of a fit that they share
problem.py           one loss with its targets and weights, to be solved or proved
certificate.py       what a machine proves of itself
verify.py            the same, recomputed
"""
