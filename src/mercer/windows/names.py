"""Windows by name, scikit-learn's names included."""

from __future__ import annotations

from typing import Any

from mercer.errors import bad
from mercer.windows.compact import Biweight, Boxcar, Cosine, Epanechnikov, Triangular, TriCube, Triweight
from mercer.windows.unbounded import Exponential, Gaussian
from mercer.windows.window import Window

NAMES: dict[str, Window] = {
    "gaussian": Gaussian(),
    "epanechnikov": Epanechnikov(),
    "tricube": TriCube(),
    "boxcar": Boxcar(),
    "tophat": Boxcar(),
    "biweight": Biweight(),
    "triweight": Triweight(),
    "triangular": Triangular(),
    "linear": Triangular(),
    "cosine": Cosine(),
    "exponential": Exponential(),
}


def window_of(given: Any, owner: str = "window_of", argument: str = "kernel") -> Window:
    """The window of a name, or the object itself."""
    if isinstance(given, Window):
        return given
    if isinstance(given, str) and given in NAMES:
        return NAMES[given]
    raise bad(owner, argument, f"a Window or one of {', '.join(NAMES)}", repr(given),
              "mercer.windows has them; FunctionWindow takes a function.")  # fmt: skip
