"""Hidden Markov models: sequences of symbols or vectors from a chain of hidden states."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from mercer.errors import bad
from mercer.models import argument_checks as check
from mercer.models.emissions import GaussianEmissions, SymbolEmissions
from mercer.models.forward_backward import StatePosterior, state_posterior
from mercer.typing import Array

Emissions = SymbolEmissions | GaussianEmissions
_NUMBERS = 2**22  # entries of padded sequences that are worked on at once


@dataclass(frozen=True, eq=False)
class HiddenMarkov:
    """p(x) = sum over states q of start(q_1) p(x_1 | q_1) prod_t transitions(q_t, q_{t+1}) p(x_{t+1} | q_{t+1}).

    `log_likelihoods` are the total log p of the sequences before each step of EM, which never fall.
    """

    start: Array
    transitions: Array
    emissions: Emissions
    log_likelihoods: tuple[float, ...] = ()

    def __post_init__(self) -> None:
        start = check.probabilities("HiddenMarkov", "start", self.start)
        transitions = check.probabilities("HiddenMarkov", "transitions", self.transitions, 2)
        if transitions.shape != (len(start),) * 2 or self._emitters != len(start):
            raise bad("HiddenMarkov", "transitions", f"{len(start)} x {len(start)}, with emissions of as many states",
                      f"shape {transitions.shape} and {self._emitters} states", "One row per state.")  # fmt: skip
        object.__setattr__(self, "start", start)
        object.__setattr__(self, "transitions", transitions)

    @property
    def _emitters(self) -> int:
        return len(
            self.emissions.probabilities if isinstance(self.emissions, SymbolEmissions) else self.emissions.means
        )

    @classmethod
    def fit(cls, sequences: Any, states: int, *, tol: float = 1e-7, max_iter: int = 100, seed: int = 0) -> Self:
        """EM (Baum and Welch) from a random start; sequences of symbols, or of rows of numbers."""
        states = check.count("HiddenMarkov", "states", states)
        sequences = list(sequences)
        if not sequences:
            raise bad("HiddenMarkov", "X", "at least one sequence", "none", "Pass a list of sequences.")
        rng = np.random.default_rng(seed)
        kind = GaussianEmissions if _numeric(sequences) else SymbolEmissions
        model: HiddenMarkov = cls(
            np.full(states, 1.0 / states), rng.dirichlet(np.full(states, 5.0), states),
            kind.start(sequences, states, rng),
        )  # fmt: skip
        read = [model.emissions.read(sequence) for sequence in sequences]
        history: list[float] = []
        for _ in range(max_iter):
            found = list(model._posteriors(read))
            history.append(float(sum(each.log_likelihood.sum() for each in found)))
            model = model._maximised(read, found)
            if len(history) > 1 and history[-1] - history[-2] <= tol * max(abs(history[-1]), 1.0):
                break
        return cls(model.start, model.transitions, model.emissions, tuple(history))

    @classmethod
    def of(cls, sequence: Any, states: int, **options: Any) -> Self:
        """The model of one sequence."""
        return cls.fit([sequence], states, **options)

    def log_density(self, sequences: Any) -> Array:
        """log p(x) of every sequence; 0 for an empty one."""
        return np.concatenate([np.empty(0), *(each.log_likelihood for each in self._posteriors(self._read(sequences)))])

    def posteriors(self, sequences: Any) -> Array:
        """The share of the steps that a sequence is expected to have spent in each state; 1/S for an empty one."""
        read = self._read(sequences)
        time = np.vstack(
            [np.empty((0, len(self.start))), *(each.states.sum(axis=1) for each in self._posteriors(read))]
        )
        lengths = np.array([len(one) for one in read])[:, None]
        return np.asarray(np.where(lengths > 0, time / np.maximum(lengths, 1), 1.0 / len(self.start)))

    def scores(self, sequences: Any) -> Array:
        """The derivatives of log p(x): in the exponents of start and transitions, then in those of the emissions."""
        read = self._read(sequences)
        out = []
        for first, found in zip(self._starts(read), self._posteriors(read), strict=True):
            for i in range(len(found.log_likelihood)):
                codes, gamma, steps = read[first + i], found.states[i], found.steps[i]
                begun = gamma[0] - self.start if len(codes) else np.zeros(len(self.start))
                moved = steps - steps.sum(axis=1, keepdims=True) * self.transitions
                out.append(np.concatenate([begun, moved.ravel(), self.emissions.scores(codes, gamma)]))
        return np.array(out) if out else np.empty((0, 0))

    def information(self) -> None:
        """No formula is known: it is a sum over all sequences."""

    @staticmethod
    def log_products(A: Sequence[HiddenMarkov], B: Sequence[HiddenMarkov], rho: float, length: int | None) -> Array:
        """log of the sum (or integral) of p(x) q(x) over all sequences x of a common length, for all pairs.

        F_1(q, q') = start(q) start'(q') Psi(q, q'), F_{t+1} = (T' F_t T) o Psi with Psi the product of emissions.
        """
        if rho != 1.0:
            raise NotImplementedError(
                f"ProbabilityProduct: rho must be 1 for hidden Markov models; got {rho}. A power of a sum over hidden "
                "states has no closed form."
            )
        if length is None:
            raise bad("ProbabilityProduct", "length", "a whole number for hidden Markov models", "None",
                      "They are compared on sequences of one length: choose it.")  # fmt: skip
        return np.array([[_log_product(p, q, length) for q in B] for p in A]).reshape(len(A), len(B))

    def _read(self, sequences: Any) -> list[Array]:
        return [self.emissions.read(sequence) for sequence in sequences]

    def _starts(self, read: Sequence[Array]) -> range:
        return range(0, len(read), self._together(read))

    def _together(self, read: Sequence[Array]) -> int:
        longest = max((len(one) for one in read), default=0)
        return max(_NUMBERS // max(longest * len(self.start) ** 2, 1), 1)

    def _posteriors(self, read: Sequence[Array]) -> Iterator[StatePosterior]:
        """The posteriors of the states, for parts of the sequences that fit into memory together."""
        for first in self._starts(read):
            part = read[first : first + self._together(read)]
            lengths = np.array([len(one) for one in part])
            logs = np.zeros((len(part), max(int(lengths.max()), 1), len(self.start)))
            for row, one in zip(logs, part, strict=True):
                row[: len(one)] = self.emissions.log_likelihood(one)
            yield state_posterior(self.start, self.transitions, logs, lengths)

    def _maximised(self, read: Sequence[Array], found: Sequence[StatePosterior]) -> HiddenMarkov:
        """The model of highest expected likelihood, given the posterior of the states."""
        states = [gamma for each in found for gamma in each.states]
        begun = sum((gamma[0] for gamma, one in zip(states, read, strict=True) if len(one)), np.zeros(len(self.start)))
        steps = sum((each.steps.sum(axis=0) for each in found), np.zeros_like(self.transitions))
        sums = steps.sum(axis=1, keepdims=True)
        moved = np.where(sums > 0.0, steps / np.where(sums > 0.0, sums, 1.0), self.transitions)
        first = begun / begun.sum() if begun.sum() > 0.0 else self.start
        emissions = self.emissions.maximised(read, states)
        return HiddenMarkov(first, moved / moved.sum(axis=1, keepdims=True), emissions)


def _numeric(sequences: Sequence[Any]) -> bool:
    """Whether the sequences hold rows of numbers, and no symbols."""
    some = next((one for one in sequences if len(one)), None)
    return isinstance(some, np.ndarray) and some.ndim == 2 and some.dtype.kind in "fiu"


def _log_product(p: HiddenMarkov, q: HiddenMarkov, length: int) -> float:
    if type(p.emissions) is not type(q.emissions):
        raise bad("ProbabilityProduct", "emissions", "of one kind in all models", "symbols and vectors", "Split them.")
    Psi = p.emissions.product(q.emissions)  # type: ignore[arg-type]
    F, log_scale = np.outer(p.start, q.start) * Psi, 0.0
    for _ in range(length - 1):
        total = F.sum()
        if not total > 0.0:
            return -np.inf
        F, log_scale = (p.transitions.T @ (F / total) @ q.transitions) * Psi, log_scale + np.log(total)
    return float(log_scale + np.log(F.sum())) if F.sum() > 0.0 else -np.inf
