"""A search that tunes a support vector machine as such and calibrates only the best, by Platt's sigmoid."""

from __future__ import annotations

from typing import Any

from mercer.selection.search import KernelSearchCV


class PlattSearchCV(KernelSearchCV):
    """KernelSearchCV of an SVC whose best machine has probabilities."""

    def _refit(self, X: Any, y: Any, params: dict[str, Any]) -> None:
        self.best_params_ = self.best_params_ | {"probability": True}
        super()._refit(X, y, params)
