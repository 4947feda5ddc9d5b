"""mercer: kernel methods.  One kernel object, every machine, with proof.

    from mercer.kernels import RBF, Linear
    k = 2.0 * RBF(1.5) + Linear() ** 2
    K = k(X)                      # the Gram matrix, on all cores
    print(mercer.certify(k, X))   # is it positive semi-definite here, and why

Names load on first use, so that importing the library costs next to nothing.
"""

from importlib import import_module
from typing import Any

# At once, for the module of that name must not take the function's place.
from mercer.config import config as config
from mercer.config import configure as configure

__version__ = "0.1.0"

_HOME = {
    "BayesianSVC": "mercer.estimators.svm.bayesian",
    "LazyGram": "mercer.gram",
    "MemoryBudgetError": "mercer.errors",
    "NotConverged": "mercer.errors",
    "NotPositiveDefinite": "mercer.errors",
    "NuSVC": "mercer.estimators.svm.svc",
    "NuSVR": "mercer.estimators.svm.svr",
    "OneClassSVM": "mercer.estimators.svm.one_class",
    "RKHSFunction": "mercer.theory",
    "SVC": "mercer.estimators.svm.svc",
    "SVR": "mercer.estimators.svm.svr",
    "StoredGram": "mercer.gram",
    "certify": "mercer.theory",
    "distance": "mercer.theory",
    "kernels": "mercer.kernels",
    "parse": "mercer.kernels",
    "repair": "mercer.theory",
    "svm_path": "mercer.estimators.svm.path",
    "testing": "mercer.testing",
    "theory": "mercer.theory",
    "verify": "mercer.estimators.svm.verify",
}

__all__ = sorted([*_HOME, "__version__", "config", "configure"])


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'mercer' has no attribute {name!r}")
    module = import_module(_HOME[name])
    found = module if module.__name__ == f"mercer.{name}" and not hasattr(module, name) else getattr(module, name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return __all__
