"""What a study found: the comparison, the machines, and how much their scores depend on their settings."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import numpy as np

from mercer.comparison import Comparison
from mercer.comparison.methods import Entrant
from mercer.comparison.trial import innermost
from mercer.kernels import Kernel
from mercer.study.evidence import ByEvidence
from mercer.study.sample import Sample
from mercer.study.scales import family, lengthscales
from mercer.typing import Array

_LONG = re.compile(r"\d+\.\d{3,}(?:e[-+]?\d+)?")
_NAMED = 8  # hyper-parameters of a kernel that are told
STRENGTHS = ("C", "alpha", "epsilon")


@dataclass(frozen=True)
class Sensitivity:
    """What every setting was worth to the search of a method; larger is better, `score` names it."""

    score: str
    params: tuple[dict[str, float], ...]
    mean: tuple[float, ...]
    std: tuple[float, ...]

    def as_results(self) -> dict[str, Any]:
        """The same under the names of scikit-learn's cv_results_."""
        columns = {"mean_test_score": np.array(self.mean), "std_test_score": np.array(self.std)}
        return {"params": list(self.params)} | columns


@dataclass(frozen=True, eq=False)
class Study:
    """`fitted` holds the machines of the rows that succeeded, by name, each fitted to the rows at `fitted_to`.

    `asked` are the options that were not left as they are by default, as the command line spells them.
    """

    comparison: Comparison
    sample: Sample
    fitted: dict[str, Any]
    fitted_to: dict[str, Any]
    seconds: float
    random_state: int
    asked: tuple[tuple[str, str], ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """The comparison and the rows it is of, in lists, strings and numbers."""
        s = self.sample
        about = {
            "data": s.table.name, "target": s.target, "rows": s.total, "rows_used": len(s.y), "columns": s.table.kinds,
            "notes": list(s.notes), "random_state": self.random_state, "seconds": self.seconds,
        }  # fmt: skip
        return about | self.comparison.to_dict()

    def held_out(self, name: str) -> Any:
        """The test items as the method of that name takes them."""
        s = self.sample
        numbers = s.vectors is not None and Entrant(name).on_numbers(s.task)
        return s.vectors[s.test] if numbers else s.items(s.test)

    def kept(self, name: str) -> Array | None:
        """Positions, among the rows that take part, of those that a machine predicts with; None for other methods."""
        machine = innermost(self.fitted[name])
        return self.fitted_to[name][machine.support_] if hasattr(machine, "support_") else None

    def proof(self, name: str) -> str:
        """The certificate of a machine in a word or two: the relative gap or the residual that it proves."""
        certificate = getattr(innermost(self.fitted.get(name)), "certificate_", None)
        for kind in ("relative_gap", "residual"):
            bound = getattr(certificate, kind, None)
            if bound is not None and np.isfinite(bound):
                return f"{kind.split('_')[-1]} {max(bound, 0.0):.0e}"
        return "–" if certificate is None else "local" if getattr(certificate, "converged", True) else "open"

    def sensitivity(self, name: str) -> Sensitivity | None:
        """How the score of a method depends on C, alpha and the lengthscale; None if nothing was searched."""
        machine, kernel = self.fitted.get(name), self.sample.kernel
        if hasattr(machine, "cv_results_"):
            return _of_search(machine, kernel)
        if isinstance(machine, ByEvidence) and len(machine.log_evidences_) > 1:
            return _of_evidence(machine, kernel)
        return _of_left_out(machine, kernel) if hasattr(machine, "loo_error_") else None


def settings_of(machine: Any, kernel: Kernel) -> str | None:
    """The hyper-parameters that a fitted method has chosen, in words."""
    best = innermost(machine)
    if not hasattr(best, "kernel"):
        return None
    chosen = {name: getattr(best, f"{name}_", getattr(best, name)) for name in STRENGTHS if name in _searched(machine)}
    own = getattr(best, "kernel_", best.kernel)
    words = [f"{name} = {value:.3g}" for name, value in chosen.items() if isinstance(value, (int, float))]
    return ", ".join([*words, _kernel_words(own, kernel)])


def _searched(machine: Any) -> set[str]:
    if hasattr(machine, "best_params_"):
        return set(machine.best_params_)
    itself = hasattr(machine, "alphas") or getattr(innermost(machine), "alpha", None) == "evidence"
    return {"alpha"} if itself else set()


def _kernel_words(own: Any, kernel: Kernel) -> str:
    """One lengthscale, or one factor of several, or all free hyper-parameters where they went their own ways."""
    for factor, member in family(kernel).items():
        if own == member:
            scales = list(lengthscales(member).values())
            if len(scales) == 1 and isinstance(scales[0], float):
                return f"lengthscale {scales[0]:.3g}"
            return f"lengthscales × {factor:g}" if scales else "the kernel as it is"
    free = [value for slot in own.slots() for value in slot.numbers[slot.free]]
    words = [f"{name} {value:.3g}" for name, value in zip(own.theta_names, free, strict=True)]
    return ", ".join(words[:_NAMED] + (["..."] if len(words) > _NAMED else []))


def short(kernel: Any) -> str:
    """A kernel with three digits to every number."""
    return _LONG.sub(lambda found: f"{float(found[0]):.3g}", repr(kernel))


def _labelled(kernel: Kernel) -> tuple[str, dict[float, float]]:
    """The name of what is varied, and its value for every factor: the lengthscale itself if there is just one."""
    scales = list(lengthscales(kernel).values())
    alone = len(scales) == 1 and isinstance(scales[0], float)
    unit = scales[0] if alone else 1.0
    return ("lengthscale" if alone else "lengthscale factor"), {f: f * unit for f in family(kernel)}


def _of_search(search: Any, kernel: Kernel) -> Sensitivity:
    found, members = search.cv_results_, family(kernel)
    name, values = _labelled(kernel)
    params = []
    for one in found["params"]:
        factor = next((f for f, member in members.items() if member == one["kernel"]), 1.0)
        rest = {key: float(value) for key, value in one.items() if key != "kernel"}
        params.append({name: values[factor]} | rest)
    score = {None: "score", "neg_log_loss": "minus log loss"}[search.scoring]
    return Sensitivity(score, tuple(params), tuple(found["mean_test_score"]), tuple(found["std_test_score"]))


def _of_evidence(machine: ByEvidence, kernel: Kernel) -> Sensitivity:
    members, (name, values) = family(kernel), _labelled(kernel)
    at = [next(values[f] for f, member in members.items() if member == k) for k in machine.kernels]
    tried = machine.log_evidences_
    params = tuple({name: at[i]} for i in range(len(tried)))
    return Sensitivity("log evidence", params, tuple(tried), (0.0,) * len(tried))


def _of_left_out(machine: Any, kernel: Kernel) -> Sensitivity:
    name, values = _labelled(kernel)
    params = tuple({name: value, "alpha": float(alpha)} for value in values.values() for alpha in machine.alphas)
    scores = tuple((-machine.loo_error_).ravel().tolist())
    return Sensitivity("minus leave-one-out error", params, scores, (0.0,) * len(scores))
