"""Kernels of graphs: what two graphs have in common.

weisfeiler_lehman.py   what surrounds each node, up to some number of steps
shortest_path.py       pairs of nodes by their labels and their distance
propagation.py         what random walks from each node meet, in bins
graphlet.py            connected subgraphs of few nodes
random_walk.py         walks of all lengths

histograms.py          counts of hashed features, which the first three compare
form.py                which labels graphs have; two datasets must agree

Features are hashed to 64 bits by what they are and nothing else: k(x, y) is the same number whatever other graphs
were seen before.  Two different features have the same hash with probability 2^-64; among a million features, some
two of them with probability 3e-8.
"""
