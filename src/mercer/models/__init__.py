"""Probability models: densities on one kind of item, as small frozen values that fit, score and multiply.

A model is an item of its own (kernels.ProbabilityProduct compares two of them), or what a kernel learns from a dataset
(kernels.Fisher and kernels.GenerativeFeatures).

    Gaussian.of(points)             a model of one object: one group of points, one text, one sequence
    GaussianMixture.fit(X, 3)       a model of all items of a dataset
    model.log_density(X)            log p(x) of every item
    model.scores(X)                 the gradient of log p(x) in the free parameters, one row per item
    model.information()             the Fisher information of one item, where a formula exists

gaussian.py              Gaussian with a full covariance; DiagonalGaussian, independent columns
bernoulli.py             independent columns of 0 and 1
discrete.py              one draw from a finite set, and counts of many draws
mixture.py               mixtures of Gaussians, by EM
hidden_markov.py         hidden Markov models, by EM
emissions.py             what a hidden state emits: symbols, or Gaussian vectors
forward_backward.py      the posterior of hidden states, for many sequences at once
density.py               any density on an interval of the real line
argument_checks.py       probabilities and parameters as the models need them
"""

from mercer.models.bernoulli import Bernoulli
from mercer.models.density import Density
from mercer.models.discrete import Discrete, Multinomial
from mercer.models.emissions import GaussianEmissions, SymbolEmissions
from mercer.models.gaussian import DiagonalGaussian, Gaussian
from mercer.models.hidden_markov import HiddenMarkov
from mercer.models.mixture import GaussianMixture

__all__ = [
    "Bernoulli",
    "Density",
    "DiagonalGaussian",
    "Discrete",
    "Gaussian",
    "GaussianEmissions",
    "GaussianMixture",
    "HiddenMarkov",
    "Multinomial",
    "SymbolEmissions",
]
