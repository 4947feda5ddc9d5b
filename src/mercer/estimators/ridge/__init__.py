"""Kernel ridge regression.

kernel_ridge.py       KernelRidge: one alpha, several, or one per output
kernel_ridge_cv.py    KernelRidgeCV: alpha and kernel by leaving one item out
landmarks.py          KernelRidge on landmarks, in passes over the items
updates.py            more items, or fewer, without a new fit
shared_fits.py        what a search can share between alphas and folds
"""
