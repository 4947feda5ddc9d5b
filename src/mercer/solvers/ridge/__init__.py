"""Kernel ridge regression: f of least squared error under a penalty alpha |f|^2 in the RKHS of a kernel.

problem.py          the problem and its closed forms: targets, weights, the intercept
direct.py           one Gram: by a Cholesky factor for one alpha, by eigenvectors for many
iterative.py        one Gram, in single precision or not stored, by conjugate gradients
leave_one_out.py    the error of predicting each item from the others, without refits
certificate.py      the proof of an answer
batched.py          many folds, outputs and alphas of one Gram at once, by conjugate gradients; its parts are
                    batched_systems.py and batched_preconditioners.py
blocks.py           rows a block at a time, and the sums that are kept of them
low_rank.py         on landmarks, in passes over such blocks
"""

from mercer.solvers.ridge.certificate import RidgeCertificate, certify_ridge
from mercer.solvers.ridge.direct import Factored, Shifted, factorised, solve_ridge
from mercer.solvers.ridge.iterative import Iterated
from mercer.solvers.ridge.leave_one_out import LeaveOneOut, leave_one_out, leave_one_out_residuals
from mercer.solvers.ridge.problem import Expansion, Targets, checked_alphas

__all__ = [
    "Expansion",
    "Factored",
    "Iterated",
    "LeaveOneOut",
    "RidgeCertificate",
    "Shifted",
    "Targets",
    "certify_ridge",
    "checked_alphas",
    "factorised",
    "leave_one_out",
    "leave_one_out_residuals",
    "solve_ridge",
]
