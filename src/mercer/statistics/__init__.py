"""Tests with kernels: do two samples differ (mmd_test), do two variables depend on each other (hsic_test)?

sample_kernel   what `kernel=` stands for, and the Gram of the pooled items
mmd, hsic       the two statistics and their nulls by permutation
moments         the nulls by a gamma distribution with the exact moments of all permutations
blocks          the nulls by the spread over blocks, in linear time
centred         centred Grams, on which both statistics depend
result          what a test returns
"""
