"""Estimators: machines with scikit-learn's contract, on any kernel and any kind of item."""

from mercer.estimators.one_class import OneClassSVM
from mercer.estimators.svc import SVC, NuSVC
from mercer.estimators.svr import SVR, NuSVR

__all__ = ["SVC", "SVR", "NuSVC", "NuSVR", "OneClassSVM"]
