"""Tests for kernels, ours and yours: the laws, plain formulas to compare with, and Hypothesis strategies.

    from mercer.testing import check_kernel
    check_kernel(MyKernel(0.5), X, Y)

`mercer.testing.strategies` needs Hypothesis and is imported by name only.
"""

from mercer.testing.kernel_laws import check_kernel

__all__ = ["check_kernel"]
