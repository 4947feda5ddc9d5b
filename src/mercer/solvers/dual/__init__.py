"""The dual of support vector machines: one problem, one entry, one certificate for the whole family.

    problem.py         the box-constrained problem and its instances: C-SVC, epsilon-SVR, one-class, nu-SVC, nu-SVR
    optimality.py      the conditions: which coefficients may rise or fall, by how much they are violated, the bias
    certificate.py     primal, dual, gap and violation in double precision; proof.py has them in one row of numbers
    solve.py           which method solves which problem: `solve_all(gram, problems, limits)`
    batch.py           small problems, several in one native call; warm_path.py, the same for many boxes
    decomposition.py   one problem in parts: growth.py, a growing active set; block.py, blocks of violators
    held_out.py        out-of-fold scores
    best_multiple.py   an upper bound of the optimum: the best multiple of a function
    solutions.py       the solutions of several problems, joined in long arrays

Estimators call `solve_all`, or `solve_paths` where each problem has many boxes; `solve(gram, problem)` is one problem
on all items.
"""

from mercer.solvers.dual.certificate import DualSolution
from mercer.solvers.dual.problem import DualProblem, DualProblems, nu_svc, nu_svr, one_class, svc, svr
from mercer.solvers.dual.solutions import DualSolutions
from mercer.solvers.dual.solve import solve, solve_all, stored_if_small
from mercer.solvers.dual.warm_path import Paths, solve_paths

__all__ = [
    "DualProblem",
    "DualProblems",
    "DualSolution",
    "DualSolutions",
    "Paths",
    "nu_svc",
    "nu_svr",
    "one_class",
    "solve",
    "solve_all",
    "solve_paths",
    "stored_if_small",
    "svc",
    "svr",
]
