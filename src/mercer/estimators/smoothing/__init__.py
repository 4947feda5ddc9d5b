"""Smoothing: curves and surfaces from noisy values, by fits to the points near each place.

lowess.py       the function lowess: local lines through a scatterplot
"""
