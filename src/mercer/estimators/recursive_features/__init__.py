"""Recursive feature machines: kernel ridge regression that learns its own metric.

machine.py      RFMRegressor and RFMClassifier
leaf.py         one machine: rounds of ridge regression and metric, then a fit to all of its rows
probability.py  class probabilities from values that were predicted without the item itself
"""
