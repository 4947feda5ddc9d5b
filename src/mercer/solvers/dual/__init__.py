"""The dual of support vector machines: one problem, one engine, one certificate for the whole family.

    problem.py       the box-constrained problem and its instances: C-SVC, epsilon-SVR, one-class, nu-SVC, nu-SVR
    optimality.py    the conditions: which coefficients may rise or fall, by how much they are violated, the bias
    certificate.py   primal, dual, gap and violation, recomputed in double precision
    block.py         SMO on a stored piece of the Gram
    engine.py        blocks, shrinking and the final proof on all items
    many.py          small problems on one stored Gram, and chained.py the same with box after box

`solve(gram, problem)` is all a caller needs.
"""

from mercer.solvers.dual.certificate import DualSolution
from mercer.solvers.dual.engine import solve
from mercer.solvers.dual.problem import Problem, nu_svc, nu_svr, one_class, svc, svr

__all__ = ["DualSolution", "Problem", "nu_svc", "nu_svr", "one_class", "solve", "svc", "svr"]
