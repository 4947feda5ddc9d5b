"""Discriminant analysis in the feature space of a kernel."""
