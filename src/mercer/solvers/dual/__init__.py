"""The dual of support vector machines: one problem, one seam, one certificate for the whole family.

    problem.py         the box-constrained problem and its instances: C-SVC, epsilon-SVR, one-class, nu-SVC, nu-SVR
    optimality.py      the conditions: which coefficients may rise or fall, by how much they are violated, the bias
    certificate.py     primal, dual, gap and violation, recomputed in double precision; proof.py has all of it in a row
    solve.py           which method solves which problem: `solve_all(gram, problems, limits)`
    batch.py           small problems on one stored Gram, and warm_path.py the same with box after box
    decomposition.py   one problem in parts: growth.py, a growing active set; block.py, blocks of violators
    held_out.py        scores of items by machines that did not see them

`solve_all` is what estimators call, and `solve_paths` where each problem has many boxes; `solve(gram, problem)` is one
problem on all items.
"""

from mercer.solvers.dual.certificate import DualSolution
from mercer.solvers.dual.problem import Problem, Problems, nu_svc, nu_svr, one_class, svc, svr
from mercer.solvers.dual.solutions import Solutions
from mercer.solvers.dual.solve import solve, solve_all
from mercer.solvers.dual.warm_path import Paths, solve_paths

__all__ = [
    "DualSolution",
    "Paths",
    "Problem",
    "Problems",
    "Solutions",
    "nu_svc",
    "nu_svr",
    "one_class",
    "solve",
    "solve_all",
    "solve_paths",
    "svc",
    "svr",
]
