"""Densities of rows of numbers, and classes by their densities.

classifier.py          KernelDensityClassifier: a kernel density for every class, and Bayes' rule
class_bandwidths.py    the bandwidths of every class
neighbour_density.py   NeighbourDensity: a ball around x that grows until it holds K rows
"""
