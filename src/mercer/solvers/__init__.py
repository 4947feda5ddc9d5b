"""Solvers: one mathematical problem each, as pure functions on arrays or on the Gram protocol.

Every solver returns an answer together with its proof; none knows of kernels or of scikit-learn.

dual/                                support vector machines of all kinds, by their dual
linear_svm.py, linear_svm_newton.py  the same with explicit features, by the primal
path.py, active_set.py               all solutions of the two-class machine, for every C
smo.py                               the textbook algorithm, to compare with
hinge_posterior.py                   the machine as a posterior: EM and Gibbs sampling
ridge/                               kernel ridge regression: one, many at once, leave-one-out
least_squares.py                     ridge regression on explicit features, and its evidence
local_regression/                    polynomials fitted to the points around each place
gradient_descent.py                  least squares by gradient steps
metric_rounds.py                     a metric from the gradients of a fitted function, in rounds
risk/                                any convex loss in an RKHS
glm.py, separation.py                generalised linear models with a ridge; whether classes are separable
fisher_scoring.py                    the same with a link that is not canonical, by Fisher scoring
weight_evidence.py                   their evidence
sparse/                              linear models with few nonzero weights: lasso and group lasso
rvm/                                 relevance vector machines
gaussian_process.py                  Gaussian processes conditioned on numbers; state_space.py, on a line in O(n)
grid.py                              the same on a full grid; products_evidence.py, evidence without the covariance
inducing.py                          a Gaussian process through landmarks, and bounds around its evidence
local_conditioning.py                a Gaussian process at one item, given few others
laplace.py, laplace_softmax.py       the same on labels, by Laplace's approximation
laplace_inducing.py                  the same through landmarks, for the likelihoods of label_sites.py
evidence_search.py                   their hyper-parameters of largest evidence, by ascents of evidence_climb.py
quasi_newton.py                      L-BFGS-B that Ctrl-C ends at its best point
principal_axes.py                    leading eigenpairs of a centred Gram; nystroem.py, from some of the items
landmarks.py                         items that stand for all others, by several rules
discriminant.py                      kernel discriminant analysis, by one linear system
medoids/                             clusters around items, from distances
kernel_k_means.py                    clusters around means of features, from products with a Gram
loess/                               local polynomials at the vertices of boxes, and surfaces between them
lowess.py                            a scatterplot smoothed by local lines
gplvm.py                             latent points under a Gaussian process
bandwidth/                           widths of smoothing windows: rules, and leave-one-out scores
platt.py                             probabilities from decision values
losses/                              losses, links and likelihoods, one file each
solution.py, kkt.py, limits.py       what is returned, and when to stop
"""
