"""EditSimilarity: a similarity by the number of edits, which is no Mercer kernel."""

from __future__ import annotations

from typing import Any

import numpy as np

from mercer.items import Strings
from mercer.kernels.base import Kernel, Pool, kernel
from mercer.kernels.strings.letters import Letters, encode, tile
from mercer.native import edit_distance
from mercer.parameters import Parameter, hyper, value
from mercer.typing import Array


@kernel
class EditSimilarity(Kernel):
    """k(s, t) = exp(-gamma d(s, t)), d the fewest insertions, deletions and replacements from s to t (Levenshtein).

    It is not positive semi-definite: machines that need that refuse or repair it.  The distances are exact, of strings
    of any length; `distances` gives them.
    """

    gamma: Parameter = hyper(1.0)

    items = Strings
    psd = False
    bound = 1.0

    def prepare_in(self, X: Strings, frame: Any, pool: Pool) -> Letters:
        return encode(X, frame, pool, "EditSimilarity")

    def block(self, A: Letters, B: Letters) -> Array:
        D = _distances(A, B)
        D *= -value(self.gamma)
        return np.exp(D, out=D)

    def diag(self, A: Letters) -> Array:
        return np.ones(len(A))

    def parameter_gradients(self, A: Letters, B: Letters, W: Array) -> dict[str, Any]:
        D = _distances(A, B)
        return {"gamma": -float(np.sum(W * D * np.exp(-value(self.gamma) * D)))}

    def distances(self, X: Any, Y: Any = None) -> Array:
        """d(X, Y), or d(X, X) when Y is left out."""
        A = self.prepare(X)
        return _distances(A, A if Y is None else self.prepare(Y, A.frame))


def _distances(A: Letters, B: Letters) -> Array:
    return tile(edit_distance.edit_distances, A, B, len(A.alphabet))
