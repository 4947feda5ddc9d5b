"""Estimators: machines with scikit-learn's contract, on any kernel and any kind of item.

The names are those of `mercer` itself (mercer.SVC, mercer.KernelRidge, ...), which loads each on first use.

Families of machines:

svm/                     support vector machines
risk/                    any convex loss: logistic, quantile and robust regression
gaussian_process/        Gaussian processes, and the GP-LVM
feature_machines/        linear models whose features are kernel values: RBF networks, L1VM, L2VM, RVM, GLM
ridge/                   kernel ridge regression
recursive_features/      ridge regression that learns its metric
gradient_descent.py      least squares by gradient steps
embedding/               items as points in few coordinates: kernel PCA, classical scaling
discriminant/            kernel discriminant analysis
density/                 densities of rows of numbers, and classes by their densities
smoothing/               curves and surfaces by local fits
features/                transformers: features of a kernel from landmarks, or waves of random frequencies
neighbours/              nearest neighbours by the distance of a kernel
clusters/                clusters around items, and around means of features
table_scaler.py          TableScaler: columns of a table in like units; robust_scale.py, deviations despite outliers

What they share:

base.py                  the base class: scikit-learn's contract, checks, what is kept of a fit
regressor.py             regressions with one target or several
labels.py                labels as numbers, with class weights
training_data/           where kernel values come from: items with a kernel, or a given Gram
kernel_argument.py       what `kernel=` may be
function_kernel.py       a function (X, Y) -> matrix as a kernel; sklearn_kernels.py, scikit-learn's kernel objects
low_rank.py              method="exact", "nystrom" or "auto", and what each would cost
cells/                   method="cells": a tree of splits, and an exact machine in each of its leaves
rows_elsewhere.py        rows on the workers of a Dask cluster, as the checks of scikit-learn see them
rows_in_files.py         memory-mapped arrays, Parquet files and iterators of blocks as X
given_diagonal.py        k(x, x) of new items where kernel values are given as a matrix
positivity.py            what is done about a kernel that is not positive semi-definite
shared_fits.py           what an estimator offers to a search
verify.py                mercer.verify: the proof of a fitted machine, recomputed
capabilities.py          what each kind of machine can do, as a table
conditional_methods.py   methods that exist with certain options only
sklearn_private.py       all private names of scikit-learn that are used
worker_settings.py       mercer.configure's settings in worker processes
"""
