"""Smoothing: curves and surfaces from noisy values, by fits to the points near each place.

nadaraya_watson.py     NadarayaWatson: local means
local_regression.py    LocalRegression: local lines and parabolas
local_smoother.py      what both share: widths, predictions, bands, flags
mixed_columns.py       numbers and categories in the columns of a table
verify.py              the proof of local fits, made again
"""
