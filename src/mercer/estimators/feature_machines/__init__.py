"""Machines whose features are kernel values: generalised linear models of k(x, prototypes), for any similarity k."""
