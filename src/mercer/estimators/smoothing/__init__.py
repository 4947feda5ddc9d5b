"""Smoothing: curves and surfaces from noisy values, by fits to the points near each place.

loess.py        Loess: local polynomials in several columns, with standard errors
loess_proof.py  that no local polynomial fits better
lowess.py       the function lowess: local lines through a scatterplot
"""
