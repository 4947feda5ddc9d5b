"""Machines whose features are kernel values: generalised linear models of k(x, prototypes), for any similarity k.

machine.py               what they share: phi(x) = [k(x, mu_1), ..., k(x, mu_K)] in a linear predictor
design.py                the matrix of features, and the weights found for it
rbf_network.py           few prototypes, placed or moved
l1vm.py, l2vm.py         every training item is a prototype, with an l1 or an l2 penalty
rvm.py                   relevance vector machines
glm.py                   generalised linear models on explicit features
placement.py             where prototypes are put
moving_prototypes.py     prototypes that move to where the penalised likelihood is best
ridge_weights.py         the weights under an l2 penalty
tuning.py                kernel hyper-parameters by evidence
shared_fits.py           what these machines offer to a search: leave-one-out without refits
verify.py                the proof of the weights, recomputed
"""
