"""Regularised risk in a space of functions: 1/2 |h|^2 + sum_i c_i loss(y_i, h(x_i) + r), for any convex loss.

minimise.py      which method solves which loss
boxes.py         losses made of straight lines, by the dual of support vector machines
newton.py        smooth losses, by Newton's method; its parts are summed_loss.py (data and loss), curvature.py,
                 system.py (the linear system of a step) and line_search.py
proof.py         the proof of any function, from its coefficients
solution.py      what is returned, with its proof
"""

from mercer.solvers.risk.minimise import minimise_risk, softmax_risk
from mercer.solvers.risk.solution import RiskSolution

__all__ = ["RiskSolution", "minimise_risk", "softmax_risk"]
