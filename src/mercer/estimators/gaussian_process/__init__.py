"""Gaussian processes: priors over functions, and what data make of them."""
