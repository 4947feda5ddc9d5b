"""Losses, links and likelihoods: one vocabulary for every machine that has one.

    protocol.py                          what a machine can ask of a loss of one number
    hinge, squared_hinge, logistic,      losses of a margin y f: each its own file
    probit, exponential, zero_one
    squared, epsilon_insensitive,        losses of a residual y - f
    huber, pinball
    complementary_log_log, log_mean      losses of (y, f) that are neither
    family.py                            what the solvers of generalised linear models ask of a likelihood
    gaussian, bernoulli, multinomial,    exponential families
    poisson
    softmax.py                           probabilities of several classes

A new loss is one file and a line in NAMED: machines choose among these by what they offer.
"""

from typing import Any

from mercer.solvers.losses.bernoulli import Bernoulli
from mercer.solvers.losses.complementary_log_log import ComplementaryLogLog
from mercer.solvers.losses.epsilon_insensitive import EpsilonInsensitive
from mercer.solvers.losses.exponential import Exponential
from mercer.solvers.losses.family import Family
from mercer.solvers.losses.gaussian import Gaussian
from mercer.solvers.losses.hinge import Hinge
from mercer.solvers.losses.huber import Huber
from mercer.solvers.losses.log_mean import LogMean
from mercer.solvers.losses.logistic import Logistic
from mercer.solvers.losses.multinomial import Multinomial
from mercer.solvers.losses.pinball import Pinball
from mercer.solvers.losses.poisson import Poisson
from mercer.solvers.losses.probit import Probit
from mercer.solvers.losses.protocol import Likelihood, Link, Loss, SmoothLoss, StraightLoss
from mercer.solvers.losses.softmax import average_softmax, log_softmax, softmax
from mercer.solvers.losses.squared import Squared
from mercer.solvers.losses.squared_hinge import SquaredHinge
from mercer.solvers.losses.zero_one import zero_one

# What users call them; the same loss may have several names.
NAMED: dict[str, Any] = {
    "hinge": Hinge(),
    "squared_hinge": SquaredHinge(),
    "log_loss": Logistic(),
    "logistic": Logistic(),
    "probit": Probit(),
    "cloglog": ComplementaryLogLog(),
    "exponential": Exponential(),
    "squared_error": Squared(),
    "huber": Huber(),
    "epsilon_insensitive": EpsilonInsensitive(),
    "pinball": Pinball(),
}


def offering(capability: type) -> dict[str, Any]:
    """The named losses that offer a protocol, such as Likelihood or Link."""
    return {name: loss for name, loss in NAMED.items() if isinstance(loss, capability)}


def classifies(loss: Any) -> bool:
    """Whether y must be -1 or +1: a loss of the margin, or a function that says so."""
    return bool(getattr(loss, "margin", getattr(loss, "labels", False)))


__all__ = [
    "NAMED",
    "Bernoulli",
    "ComplementaryLogLog",
    "EpsilonInsensitive",
    "Exponential",
    "Family",
    "Gaussian",
    "Hinge",
    "Huber",
    "Likelihood",
    "Link",
    "LogMean",
    "Logistic",
    "Loss",
    "Multinomial",
    "Pinball",
    "Poisson",
    "Probit",
    "SmoothLoss",
    "Squared",
    "SquaredHinge",
    "StraightLoss",
    "average_softmax",
    "classifies",
    "log_softmax",
    "offering",
    "softmax",
    "zero_one",
]
