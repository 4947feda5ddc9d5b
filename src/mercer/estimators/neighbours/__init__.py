"""Nearest neighbours by the distance that a kernel induces.

classifier.py, regressor.py   the two machines
machine.py                    what they share: items, distances, graphs of neighbours
search.py                     the neighbours of items by kernel distance
weights.py                    the weight of each neighbour in a vote or a mean
shared_fits.py                what these machines offer to a search: all numbers of neighbours in one call
verify.py                     the proof that no other items are nearer
"""
