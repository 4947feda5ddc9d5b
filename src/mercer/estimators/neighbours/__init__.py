"""Nearest neighbours by the distance that a kernel induces."""
