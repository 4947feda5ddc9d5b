"""Choosing hyper-parameters without doing the work twice."""
