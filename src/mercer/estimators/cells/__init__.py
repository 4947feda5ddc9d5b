"""method="cells": a tree of splits, and an exact machine in each of its leaves.

tree.py         halves at the median along a direction, with an overlap; which leaf answers for a row
coordinates.py  the numbers by which items of any kind are split
model.py        what is kept of a fit, and how it answers
fitting.py      the fit, and the decorator of machines that have this method
"""
