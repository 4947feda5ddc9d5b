"""What both Gaussian process machines share: what `kernel=` may be, and the options of their search."""

from __future__ import annotations

from numbers import Integral
from typing import Any

from mercer.errors import bad
from mercer.estimators.base import KernelEstimator
from mercer.estimators.sklearn_kernels import is_foreign
from mercer.items import Items, Vectors


class GaussianProcess(KernelEstimator):
    """A machine whose kernel may be None and is tuned; as in scikit-learn, its kernels take no sparse rows."""

    optimizer: Any

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        if is_foreign(self.kernel):
            tags.input_tags.sparse = False
        return tags

    @property
    def takes_gram(self) -> bool:
        return self._precomputed

    @property
    def items_kind(self) -> type[Items] | None:
        return Vectors if self.kernel is None else super().items_kind

    def _check_search_options(self) -> None:
        """Refuse options of the search that are out of range."""
        self._require_integer("n_restarts_optimizer", 0)
        if not callable(self.optimizer) and self.optimizer not in (None, "fmin_l_bfgs_b"):
            raise bad(type(self).__name__, "optimizer", "'fmin_l_bfgs_b', None or a function", repr(self.optimizer),
                      "None keeps the hyper-parameters.")  # fmt: skip

    def _require_integer(self, name: str, least: int) -> None:
        given = getattr(self, name)
        if not isinstance(given, Integral) or int(given) < least:
            raise bad(type(self).__name__, name, f"an integer >= {least}", repr(given), "See the documentation.")
