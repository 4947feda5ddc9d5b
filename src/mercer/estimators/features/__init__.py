"""Transformers whose columns are features of a kernel: <phi(x), phi(y)> is about k(x, y).

nystroem.py           Nystroem: features from landmarks
random_features.py    RandomFeatures: waves of random frequencies, for stationary kernels
"""
