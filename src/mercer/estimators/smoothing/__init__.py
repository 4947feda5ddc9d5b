"""Smoothing: curves and surfaces from noisy values, by fits to the points near each place.

loess.py               Loess: local polynomials in several columns, with standard errors
loess_proof.py         that no local polynomial fits better
lowess.py              the function lowess: local lines through a scatterplot
nadaraya_watson.py     NadarayaWatson: local means
local_regression.py    LocalRegression: local lines and parabolas
local_smoother.py      what both share: widths, predictions, bands, flags
spread_problem.py      points that stay on the workers of a Dask cluster
mixed_columns.py       numbers and categories in the columns of a table
verify.py              the proof of local fits, made again
"""
