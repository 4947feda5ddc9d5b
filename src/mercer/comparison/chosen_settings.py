"""What tuning has chosen: the hyper-parameters of a machine in words, and how much its score depends on them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from mercer.comparison.kernel_family import family
from mercer.comparison.result import innermost
from mercer.kernels import Kernel

_LONG = re.compile(r"\d+\.\d{3,}(?:e[-+]?\d+)?")
_NAMED = 8  # hyper-parameters of a kernel that are listed
STRENGTHS = ("C", "alpha", "epsilon")


@dataclass(frozen=True)
class Sensitivity:
    """The score of every setting in the search of a method; larger is better, `score` names it."""

    score: str
    params: tuple[dict[str, float], ...]
    mean: tuple[float, ...]
    std: tuple[float, ...]

    def as_results(self) -> dict[str, Any]:
        """The same under the names of scikit-learn's cv_results_."""
        columns = {"mean_test_score": np.array(self.mean), "std_test_score": np.array(self.std)}
        return {"params": list(self.params)} | columns


def sensitivity_of(machine: Any, kernel: Kernel) -> Sensitivity | None:
    """How the score of a fitted method depends on C, alpha and the lengthscale; None if nothing was searched."""
    machine = _search_of(machine)
    if hasattr(machine, "cv_results_"):
        return _of_search(machine, kernel)
    return _of_left_out(machine, kernel) if hasattr(machine, "loo_error_") else None


def settings_of(machine: Any, kernel: Kernel) -> str | None:
    """The hyper-parameters that a fitted method has chosen, in words."""
    final, machine = innermost(machine), _search_of(machine)
    best = final if hasattr(final, "kernel") else innermost(machine)
    if not hasattr(best, "kernel") or isinstance(getattr(best, "bandwidth", None), str):
        return _smoother_words(machine, best)
    chosen = {name: getattr(best, f"{name}_", getattr(best, name)) for name in STRENGTHS if name in _searched(machine)}
    own = getattr(best, "kernel_", best.kernel)
    words = [f"{name} = {value:.3g}" for name, value in chosen.items() if isinstance(value, (int, float))]
    return ", ".join([*words, _kernel_words(own, kernel)])


def _search_of(machine: Any) -> Any:
    """The search inside of a method of two stages; a smoother keeps one of another kind, over bandwidths."""
    inner = getattr(machine, "search_", None)
    return inner if hasattr(inner, "fit") else machine


def _smoother_words(machine: Any, best: Any) -> str | None:
    """What a method without a kernel has chosen: by a search, or the bandwidths by a rule of its own."""
    searched = [f"{name} = {value:.3g}" for name, value in getattr(machine, "best_params_", {}).items()]
    found = getattr(best, "bandwidth_", getattr(best, "bandwidths_", None))
    if found is not None and np.size(found) <= _NAMED:
        widths = ", ".join(f"{h:.3g}" for h in np.ravel(found))
        searched.append(f"bandwidth{'s' * (np.size(found) > 1)} {widths}")
    elif found is not None:
        searched.append(f"{np.size(found)} bandwidths by {best.bandwidth!r}")
    return ", ".join(searched) or None


def _searched(machine: Any) -> set[str]:
    """Parameters that a search chose, or the machine itself."""
    itself = hasattr(machine, "alphas") or getattr(innermost(machine), "alpha", None) == "evidence"
    return set(getattr(machine, "best_params_", ())) | ({"alpha"} if itself else set())


def _kernel_words(own: Any, kernel: Kernel) -> str:
    """What distinguishes a kernel in its family, or all free hyper-parameters where these were chosen one by one."""
    for member in family(kernel):
        if own == member.kernel:
            return ", ".join(_varied_words(member.varied)) or "the kernel as it is"
    free = [value for slot in own.slots() for value in slot.numbers[slot.free]]
    words = [f"{name} {value:.3g}" for name, value in zip(own.theta_names, free, strict=True)]
    return ", ".join(words[:_NAMED] + (["..."] if len(words) > _NAMED else []))


def _varied_words(varied: Mapping[str, float]) -> Iterator[str]:
    for name, value in varied.items():
        yield f"lengthscales × {value:g}" if name == "lengthscale factor" else f"{name} {value:.3g}"


def short(kernel: Any) -> str:
    """A kernel with three digits to every number."""
    return _LONG.sub(lambda found: f"{float(found[0]):.3g}", repr(kernel))


def _of_search(search: Any, kernel: Kernel) -> Sensitivity:
    found, members = search.cv_results_, family(kernel)
    params = []
    for one in found["params"]:
        varied = next((member.varied for member in members if member.kernel == one.get("kernel")), {})
        params.append(varied | {key: float(value) for key, value in one.items() if key != "kernel"})
    score = "log evidence" if search.strategy == "evidence" else {None: "score"}.get(search.scoring, "minus log loss")
    return Sensitivity(score, tuple(params), tuple(found["mean_test_score"]), tuple(found["std_test_score"]))


def _of_left_out(machine: Any, kernel: Kernel) -> Sensitivity:
    params = tuple(member.varied | {"alpha": float(alpha)} for member in family(kernel) for alpha in machine.alphas)
    scores = tuple((-machine.loo_error_).ravel().tolist())
    return Sensitivity("minus leave-one-out error", params, scores, (0.0,) * len(scores))
