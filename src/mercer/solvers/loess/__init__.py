"""Loess: local polynomials of the nearest points, in one column or several.

fit.py           the problem, passes against outliers, and what a fit leaves
local_fits.py    weighted least squares around given centres
boxes.py         the tree of boxes whose vertices are the centres
surface.py       values between the vertices, and the weights that each y has in them
statistics.py    the traces that degrees of freedom are made of, exact and by a formula
"""
