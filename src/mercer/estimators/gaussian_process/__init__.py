"""Gaussian processes: priors over functions, and what data make of them.

regressor.py, classifier.py    the two machines; base.py, what they share
gplvm.py                       latent points under a Gaussian process
model.py                       from arguments and data to a covariance and a mean; its parts:
means.py, covariance.py        the mean function; the covariance with noise, as functions of hyper-parameters
targets.py                     targets in the units of the model
converted_kernel.py            scikit-learn's kernels, with their theta
tuning.py                      the hyper-parameters of largest evidence, from the points of starts.py
regression_evidence.py         the evidence of numbers; label_evidence.py, of labels
posterior.py                   the posterior of a regression; class_posterior.py, of labels
methods/                       how a process is conditioned on many items
prior_predictions.py           predictions before any fit
report.py                      what a fit reports of its search
failed_factor.py               why a covariance has no Cholesky factor, in words
shared_fits.py                 what these machines offer to a search: leave-one-out without refits
verify.py                      equations, evidence and slope, recomputed
"""
