"""Tests for kernels, ours and yours: the laws, plain formulas to compare with, and Hypothesis strategies.

    from mercer.testing import check_kernel
    check_kernel(MyKernel(0.5), X, Y)      # the laws are in kernel_laws.py

Imported by name only, for they need more than mercer does or serve as references:

strategies.py           Hypothesis strategies for items and kernels (needs Hypothesis)
reference/              every kernel as a plain formula
quadratic_program.py    convex quadratic programs with proof, by an interior-point solver (needs clarabel)
svm_programs.py         support vector machines as quadratic programs
linear_risk.py          linear functions under an l2, l1 or l0 penalty, for any loss
"""

from mercer.testing.kernel_laws import check_kernel

__all__ = ["check_kernel"]
