"""The private names of scikit-learn that this project uses, all in one place.

A search that is to agree with GridSearchCV on tables, sparse matrices, lists, scorers and failing fits has to use the
functions that GridSearchCV uses, and scikit-learn has no public names for them.  When a release changes one of
them, only this file and selection/search.py (whose base class has a few private methods) need to follow.

    safe_indexing            some rows of an array, sparse matrix, list or table
    safe_split               the same; rows and columns where an estimator expects a matrix of kernel values
    num_samples              the number of rows
    check_method_params      the parameters of fit or score, cut to some rows where they have one value per row
    score_fitted             the score of a fitted estimator; a scorer that fails has the error score
    metrics_of               the scorers of several metrics
    what_scorer_reads        labels, predictions, or anything
    gives_frames             whether set_output asks a transformer for data frames
    insert_error_scores, warn_about_failures        what becomes of fits that failed
"""

from __future__ import annotations

from typing import Any

from sklearn.metrics._scorer import _BaseScorer, _MultimetricScorer, _PassthroughScorer
from sklearn.model_selection._search import BaseSearchCV
from sklearn.model_selection._validation import _insert_error_scores as insert_error_scores
from sklearn.model_selection._validation import _score as score_fitted
from sklearn.model_selection._validation import _warn_or_raise_about_fit_failures as warn_about_failures
from sklearn.utils import _safe_indexing as safe_indexing
from sklearn.utils._set_output import _get_output_config
from sklearn.utils.metaestimators import _safe_split as safe_split
from sklearn.utils.validation import _check_method_params as check_method_params
from sklearn.utils.validation import _num_samples as num_samples

__all__ = [
    "BaseSearchCV",
    "check_method_params",
    "gives_frames",
    "insert_error_scores",
    "metrics_of",
    "num_samples",
    "safe_indexing",
    "safe_split",
    "score_fitted",
    "warn_about_failures",
    "what_scorer_reads",
]


def gives_frames(transformer: Any) -> bool:
    """Whether what `transform` returns becomes a data frame."""
    return bool(_get_output_config("transform", transformer)["dense"] != "default")


def metrics_of(scorer: Any) -> dict[str, Any] | None:
    """The scorers of several metrics by name; None for a scorer of one metric."""
    return scorer._scorers if isinstance(scorer, _MultimetricScorer) else None


def what_scorer_reads(scorer: Any) -> str:
    """What a scorer reads of a fitted estimator; of several scorers, what the one reads that reads most.

    "labels"         the method `predict` only, or the `score` of the estimator
    "predictions"    other methods too, such as predict_proba: one of scikit-learn's own scorers
    "machine"        possibly any attribute: a user's function
    """
    scorers = (metrics_of(scorer) or {"score": scorer}).values()
    if not all(isinstance(one, (_BaseScorer, _PassthroughScorer)) for one in scorers):
        return "machine"
    labels = all(isinstance(one, _PassthroughScorer) or one._response_method == "predict" for one in scorers)
    return "labels" if labels else "predictions"
