"""Linear algebra on arrays, or on anything with the methods of a Gram; it knows of no machine and no problem.

cholesky.py              the factor of a matrix in its own buffer, with rows appended and removed
damped_cholesky.py       the same for small matrices that rounding may have made singular
tiled_cholesky.py        the blocks that cholesky.py is made of: factor and inverse in place, on our threads
blas.py                  BLAS and LAPACK on parts of an array, with the interpreter lock released
partial_cholesky.py      the first columns of a factor, a block of random pivots at a time
random_pivots.py         items that stand for all: pivots drawn at random, of a Gram that is not stored
pivoted_cholesky.py      the first columns of a factor, the largest pivot each time
spectrum.py              eigenvectors, for systems with many shifts
leading_eigenpairs.py    the largest eigenvalues and their vectors, from products alone
lanczos.py               the smallest and largest eigenvalue, from products alone
conjugate_gradients.py   linear systems from products alone, with a preconditioner
"""
