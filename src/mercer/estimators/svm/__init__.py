"""Support vector machines: one dual problem, its proof, and what scikit-learn's users expect around them.

svc.py              SVC and NuSVC; classifier.py, what they share
svr.py              SVR and NuSVR
one_class.py        OneClassSVM
single_problem.py   what machines with one dual problem share: svr.py and one_class.py
bayesian.py         the machine as a posterior over functions
path.py             all classifiers of one dataset, for every C
multiclass.py       one machine for every pair of classes
probability.py      Platt's sigmoid on out-of-fold scores
fitting.py          the steps of a fit that all share
shared_fits.py      what these machines offer to a search: many C and epsilon in one call
certificate.py      what a fitted machine proves of itself
proof_record.py     the numbers of that proof, in a few arrays
model_reader.py     the problem that a fitted machine, also one of scikit-learn, claims to have solved
verify.py           its certificate, recomputed
"""
