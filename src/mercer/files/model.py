"""save and load: from a model to its file and back.

    mercer.save(machine, "spam.mercer")
    machine = mercer.load("spam.mercer")

The file is a zip of `manifest.json` (format, version, checksums), `model.json` (what the model is made of) and
`arrays/0`, `arrays/1`, ... (raw little-endian numbers).  Nothing is pickled.  A file can name classes of the list in
registry.py with their fields, and no other code.  Loading checks every value, allocates within mercer's memory budget,
and evaluates no kernel: data are prepared for it when they are first used.

Read archive.py for the container, encode.py and decode.py for the values, rebuilt.py for the classes that are not
stored field by field.
"""

from __future__ import annotations

import os
from typing import Any

from mercer.errors import ModelFileError
from mercer.files.archive import opened, written
from mercer.files.decode import Decoder
from mercer.files.encode import Encoder

Path = str | os.PathLike[str]


def save(model: Any, path: Path) -> None:
    """Write a model to a file, which is replaced as a whole or not at all.

    A model is a machine of mercer, a kernel, a scikit-learn Pipeline of the transformers below that ends in a machine,
    or a dict or list of these and of plain values.  Functions of yours cannot be saved.

    scaling       StandardScaler, MinMaxScaler, MaxAbsScaler, RobustScaler, Normalizer, PowerTransformer,
                  QuantileTransformer
    encoding      OneHotEncoder, OrdinalEncoder, KBinsDiscretizer, Binarizer, PolynomialFeatures
    gaps          SimpleImputer, KNNImputer, MissingIndicator
    text          CountVectorizer, TfidfVectorizer, TfidfTransformer, HashingVectorizer
    reduction     PCA, TruncatedSVD, SelectKBest, SelectPercentile, VarianceThreshold
    composition   Pipeline, FeatureUnion, ColumnTransformer (also with make_column_selector),
                  TransformedTargetRegressor, FunctionTransformer of no function or of one of NumPy's such as log1p
    """
    encoder = Encoder(type(model).__name__)
    tree = encoder.encode(model)
    written(os.fspath(path), tree, encoder.members)


def load(path: Path) -> Any:
    """The model of a file written by `save`; ModelFileError for any other file."""
    name = os.fspath(path)
    with open(name, "rb") as file:
        try:
            with opened(file) as archive:
                decoder = Decoder(archive)
                model = decoder.decode(archive.tree)
                archive.require_all_used()
                return model
        except ModelFileError as error:
            raise ModelFileError(f"{name}: {error}") from error.__cause__
        except Exception as error:  # a damaged or hostile file may fail any check of any class
            raise ModelFileError(f"{name}: the file must hold a model that can be built; got {type(error).__name__}: "
                                 f"{error}. Save the model again, or ask for a new copy.") from error  # fmt: skip
