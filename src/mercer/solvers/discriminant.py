"""Kernel discriminant analysis by spectral regression: one linear system in place of an eigenproblem of size n.

Directions w in the space of a kernel are wanted that part c classes: they maximise

    J(w) = (w, S_b w) / (w, (S_w + delta) w),      w = sum_i a_i phi(x_i),

with the scatters between and within classes and a ridge delta.  The c - 1 best span what c - 1 ridge regressions span
whose targets Y are the class indicators, centred and made orthonormal:

    (K + delta I) a + b 1 = Y,   1'a = 0

since (S_w + delta) differs from (S_t + delta) by S_b alone.  The regression brings leaving one out in closed form
(solvers/ridge/leave_one_out.py): from `left`, the scores of each item by the others, the means of the classes and their
common covariance are estimated as new items will have them; fitted scores of a flexible kernel lie far too close
together.  A discriminant analysis of these few coordinates gives axes and probabilities.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mercer.typing import Array

_FLAT = 1e-10  # of the largest variance: the least that a direction is given
_ROUNDING = 1e-14  # variance of scores that rounding may leave, in units of the targets' 1/n


def class_targets(codes: Array, classes: int) -> Array:
    """(n, classes - 1): the indicators of classes, orthonormal and orthogonal to 1; of two, positive for the second.

    With counts n_k, the indicators divided by sqrt(n_k) are orthonormal, and q = sqrt(n_k / n) is the direction of 1
    among them; the columns are the others of an orthonormal basis that begins with q.
    """
    counts = np.bincount(codes, minlength=classes).astype(float)
    q = np.sqrt(counts / counts.sum())
    basis = np.linalg.qr(np.column_stack([q, np.eye(classes)[:, 1:]]))[0][:, 1:]
    basis *= np.where(basis[np.arange(1, classes), np.arange(classes - 1)] < 0.0, -1.0, 1.0)
    return np.asarray((basis / np.sqrt(counts)[:, None])[codes])


@dataclass(frozen=True, eq=False)
class Discriminant:
    """Classes as normal clouds of one covariance in the coordinates (score - centre) @ projection, where that is I.

    means      (classes, axes)
    strength   variance of the classes' means along each axis, in descending order
    """

    projection: Array
    centre: Array
    means: Array
    strength: Array
    log_priors: Array

    def log_joint(self, Z: Array) -> Array:
        """log P(class) - |z - mean|^2 / 2 for points in these coordinates, one column per class."""
        squares = np.square(Z[:, None, :] - self.means[None]).sum(axis=2)
        return np.asarray(self.log_priors - 0.5 * squares)


def discriminant(left: Array, codes: Array, priors: Array) -> Discriminant:
    """The clouds of left-out scores, and the axes that part their means best."""
    n, classes = len(left), len(priors)
    counts = np.bincount(codes, minlength=classes)
    sums = np.zeros((classes, left.shape[1]))
    np.add.at(sums, codes, left)
    means = sums / counts[:, None]
    inside = left - means[codes]
    centre = priors @ means
    apart = np.sqrt(priors)[:, None] * (means - centre)
    values, V = np.linalg.eigh(inside.T @ inside / max(n - classes, 1))
    least = max(_FLAT * float(values.max(initial=0.0)), _FLAT * float(np.square(apart).sum()), _ROUNDING / n)
    white = V / np.sqrt(np.maximum(values, least))
    _, sizes, axes = np.linalg.svd(apart @ white, full_matrices=True)
    P = white @ axes.T
    P = P * np.where((means[-1] - means[0]) @ P < 0.0, -1.0, 1.0)
    strength = np.square(np.pad(sizes, (0, P.shape[1] - len(sizes)))[: P.shape[1]])
    return Discriminant(P, centre, (means - centre) @ P, strength, np.log(priors))
