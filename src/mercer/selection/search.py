"""KernelSearchCV: cross-validated search that computes each kernel value once.

The interface is that of scikit-learn's GridSearchCV.  `fit` makes one candidate of each setting (candidates.py), scores
all candidates on all folds (evaluation.py), chooses the best and fits it to all items.  Candidates share what they can:
all lengthscales share pair statistics, all folds a Gram, and all values of C one path of solutions.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Sequence
from functools import partial
from numbers import Integral, Real
from typing import Any, Self

import numpy as np
from sklearn.base import is_classifier
from sklearn.model_selection import ParameterGrid, ParameterSampler, check_cv
from sklearn.pipeline import Pipeline
from sklearn.utils import indexable
from sklearn.utils.validation import check_is_fitted

from mercer.distributed.cluster import client
from mercer.engine.interrupts import interrupted, until_interrupted
from mercer.errors import NotConverged, bad, warn
from mercer.estimators.base import interruptible
from mercer.estimators.sklearn_private import (
    BaseSearchCV,
    check_method_params,
    insert_error_scores,
    metrics_of,
    num_samples,
    warn_about_failures,
    what_scorer_reads,
)
from mercer.selection.candidates import (
    Candidate,
    Settings,
    candidates_of,
    fit_options,
    model_of,
    weight_name,
)
from mercer.selection.column_dict import with_rows
from mercer.selection.evaluation import Evaluation
from mercer.selection.evidence import EvidenceRun
from mercer.selection.grids import named_grid, scaler_for
from mercer.selection.halving import joined, part_of, shares_of
from mercer.selection.racing import Race
from mercer.selection.scoring import FoldScorer, Split
from mercer.typing import Array

STRATEGIES = ("grid", "random", "halving", "evidence")


class KernelSearchCV(BaseSearchCV):  # type: ignore[misc]
    """The best of many settings of a kernel machine, or of a Pipeline that ends in one, by cross-validation.

    param_grid    a grid or a list of grids as in scikit-learn, or distributions as in RandomizedSearchCV for
                  strategy="random"; kernels are values like any other: {"kernel": [RBF(), Matern()]},
                  {"kernel__lengthscale": [...]}
                  "libsvm": the 110 points of LIBSVM's guide, on columns that are standardised within each fold
                  "auto": at most 35 points, with lengthscales around the median distance, without those that are poorly
                  aligned with the targets; it looks at all items, so use cross_val_score around the search for an
                  unbiased score
    strategy      "grid": all settings;  "random": n_iter of them
                  "halving": all settings on few items, the best 1/factor of them on factor times as many, and so on
                  "evidence": each setting is fitted once, to all items, and the largest log evidence wins (Gaussian
                  processes, relevance vectors); cv and scoring are not used
    time_limit    seconds after which no new fit begins; the best setting so far is returned.  Ctrl-C ends the search
                  too: the best setting so far is fitted to all items, then KeyboardInterrupt is raised; a second Ctrl-C
                  ends that fit as well
    eliminate     after three folds or more, drop settings that are unlikely to become the best (a paired t-test, each
                  setting with a risk of 1 %); splits that were not run have the score nan, and the column "eliminated"
                  of cv_results_ is True; not for "evidence"
    verbose       1 prints the plan and the progress

    If there is a Dask client, its workers evaluate the settings, one task for each kernel; not with `eliminate`.

    scoring, refit, cv, error_score and return_train_score are scikit-learn's.  n_jobs has no effect: the number of
    threads is that of mercer.configure.  Of settings with equal scores the first wins, which for "libsvm" and "auto"
    has the smaller C and then the smaller gamma.

    After fit: the attributes of GridSearchCV; mean_gap in cv_results_, the relative duality gap of the fits;
    certificate_ of the best machine; kernel_evaluations_, the number of pairs of items whose kernel or distance was
    computed in the search.
    """

    def __init__(
        self,
        estimator: Any,
        param_grid: Any,
        *,
        scoring: Any = None,
        n_jobs: int | None = None,
        refit: Any = True,
        cv: Any = None,
        verbose: int = 0,
        error_score: Any = np.nan,
        return_train_score: bool = False,
        strategy: str = "grid",
        n_iter: int = 10,
        factor: int = 3,
        random_state: Any = None,
        time_limit: float | None = None,
        eliminate: bool = False,
    ) -> None:
        self.estimator, self.param_grid, self.scoring, self.n_jobs = estimator, param_grid, scoring, n_jobs
        self.refit, self.cv, self.verbose = refit, cv, verbose
        self.error_score, self.return_train_score = error_score, return_train_score
        self.strategy, self.n_iter, self.factor = strategy, n_iter, factor
        self.random_state, self.time_limit, self.eliminate = random_state, time_limit, eliminate

    @interruptible
    def fit(self, X: Any, y: Any = None, **params: Any) -> Self:
        """Evaluate all settings and fit the best one to all items; groups and sample_weight are named parameters."""
        # check
        self._check_options()
        deadline = np.inf if self.time_limit is None else time.perf_counter() + self.time_limit
        scorer, metric = self._get_scorers()
        X, y = indexable(with_rows(X), y)
        routed = self._get_routed_params_for_fit(check_method_params(X, params=params))
        splits, weight = self._splits(X, y, routed.splitter.split), self._weight(routed.estimator.fit)
        reads, scaler = what_scorer_reads(scorer), scaler_for(self.param_grid, self.estimator, X)
        data = FoldScorer(
            X, y, weight, splits, scorer, reads, routed.scorer.score, self.return_train_score, self.error_score
        )
        candidates = candidates_of(self.estimator, self._settings(X, y), scaler, reads)
        # score all candidates; an Evaluation groups them by kernel and fits each group on shared work
        self.kernel_evaluations_ = 0
        evaluate = self._halved if self.strategy == "halving" else self._evaluated
        self.cv_results_, fitted = evaluate(data, candidates, deadline)
        # choose and refit
        self.scorer_ = metrics_of(scorer) or scorer
        self._choose(metric)
        if self.refit and self.best_index_ in fitted:
            self._keep(fitted[self.best_index_], self.cv_results_["mean_fit_time"][self.best_index_])
        elif self.refit:
            self._refit(X, y, weight)
        return self

    # ---- check

    def _check_options(self) -> None:
        if self.strategy not in STRATEGIES:
            raise bad("KernelSearchCV", "strategy", f"one of {list(STRATEGIES)}", repr(self.strategy), "Try 'grid'.")
        for name, least in (("n_iter", 1), ("factor", 2)):
            given = getattr(self, name)
            if not isinstance(given, Integral) or int(given) < least:
                raise bad("KernelSearchCV", name, f"an integer >= {least}", repr(given), "Leave it out if in doubt.")
        if self.time_limit is not None and not isinstance(self.time_limit, Real):
            raise bad("KernelSearchCV", "time_limit", "seconds, or None", repr(self.time_limit), "e.g. time_limit=60.")

    def _settings(self, X: Any, y: Any) -> list[Settings]:
        """The settings to try."""
        grid = self.param_grid
        if isinstance(grid, str):
            grid = named_grid(grid, self.estimator, X, y)
        if self.strategy == "random":
            return list(ParameterSampler(grid, self.n_iter, random_state=self.random_state))
        return list(ParameterGrid(grid))

    def _splits(self, X: Any, y: Any, params: dict[str, Any]) -> list[Split]:
        """The folds as positions, also where a splitter gave masks; all items as one fold for the evidence."""
        if self.strategy == "evidence":
            every = np.arange(num_samples(X))
            splits = [(every, every)]
        else:
            cv = check_cv(self.cv, y, classifier=is_classifier(self.estimator))
            splits = [(_positions(train), _positions(test)) for train, test in cv.split(X, y, **params)]
        if not splits:
            raise bad("KernelSearchCV", "cv", "at least one split", "none", "cv=5 is the default.")
        self.n_splits_ = len(splits)
        return splits

    def _weight(self, params: dict[str, Any]) -> Array | None:
        """The weights of the items among the parameters of `fit`."""
        name = weight_name(self.estimator)
        if unknown := set(params) - {name}:
            raise bad("KernelSearchCV", "fit", f"given no parameters but {name} and groups", sorted(unknown),
                      "Leave them out.")  # fmt: skip
        return None if params.get(name) is None else np.asarray(params[name], dtype=float)

    # ---- evaluate

    def _evaluated(
        self, data: FoldScorer, candidates: Sequence[Candidate], deadline: float, **columns: Any
    ) -> tuple[dict[str, Any], dict[int, Any]]:
        """cv_results_ of the candidates that time allowed, with more columns of one value each, and fitted models.

        The models are those that the search has fitted to all items, by their row of cv_results_.
        """
        evaluation = self._run_type(data, candidates, deadline, self.verbose)
        evaluation.run()
        self.kernel_evaluations_ += evaluation.evaluations
        done, folds = evaluation.finished()
        self._report_end(len(done), len(candidates), len(folds), len(data.splits))
        outcomes = [evaluation.outcomes[c, f] for c in done for f in folds]
        out = [outcome.as_scikit_learn() for outcome in outcomes]
        warn_about_failures(out, self.error_score)
        if callable(self.scoring):
            insert_error_scores(out, self.error_score)
        more: dict[str, Any] = {name: [value] * len(done) for name, value in columns.items()}
        more["mean_gap"] = np.array([outcome.gap for outcome in outcomes]).reshape(len(done), -1).mean(axis=1)
        with warnings.catch_warnings():
            if isinstance(evaluation, Race):
                more["eliminated"] = [c in evaluation.dropped for c in done]
                if any(more["eliminated"]):  # their scores are nan on purpose
                    warnings.filterwarnings("ignore", "One or more of the .* scores are non-finite", UserWarning)
            results = self._format_results([candidates[c].params for c in done], len(folds), out, more)
        return results, {done.index(c): model for c, model in evaluation.fitted.items()}

    @property
    def _run_type(self) -> Callable[..., Evaluation]:
        if self.strategy == "evidence":
            return EvidenceRun
        if self.eliminate:
            return partial(Race, metric=self.refit)
        if client() is None:
            return Evaluation
        from mercer.selection.on_workers import WorkersEvaluation

        return WorkersEvaluation

    def _report_end(self, done: int, candidates: int, folds: int, splits: int) -> None:
        """Raise or warn if a search ended early: `done` candidates have outcomes on `folds` folds."""
        if not done and interrupted():
            raise KeyboardInterrupt("KernelSearchCV was interrupted before one setting had been tried on one fold.")
        if not done:
            raise bad("KernelSearchCV", "time_limit", "long enough for one setting on one fold", self.time_limit,
                      "Raise it, or use fewer folds.")  # fmt: skip
        if done * folds < candidates * splits and not interrupted():
            warn(f"KernelSearchCV: time_limit ended the search after {done} of {candidates} settings on {folds} of "
                 f"{splits} folds; the best of these is taken.", NotConverged)  # fmt: skip

    def _halved(
        self, data: FoldScorer, candidates: Sequence[Candidate], deadline: float
    ) -> tuple[dict[str, Any], dict[int, Any]]:
        """cv_results_ of all rungs: settings that do best on few items go on to `factor` times as many."""
        results: dict[str, Any] = {}
        for rung, share in enumerate(shares_of(len(candidates), self.factor)):
            if rung and (time.perf_counter() > deadline or interrupted()):
                break
            part = part_of(data, self.estimator, share, self.random_state)
            found, _ = self._evaluated(part, candidates, deadline, iter=rung, n_resources=num_samples(part.X))
            results = joined(results, found) if rung else found
            candidates = self._best_part(candidates, found)
        return results, {}

    def _best_part(self, candidates: Sequence[Candidate], results: Any) -> list[Candidate]:
        """The best 1 / factor of the candidates, by the metric that the best is chosen by."""
        named = f"rank_test_{self.refit}"
        rank = results[named] if named in results else next(v for k, v in results.items() if k.startswith("rank_test_"))
        best = np.argsort(rank, kind="stable")[: max(1, -(-len(rank) // self.factor))]
        by_params = {id(candidate.params): candidate for candidate in candidates}
        return [by_params[id(results["params"][i])] for i in best]

    # ---- choose and refit

    def _choose(self, metric: Any) -> None:
        """Set the attributes of the best setting."""
        results = self.cv_results_
        self.multimetric_ = "mean_test_score" not in results
        if callable(self.scoring) and self.multimetric_:
            self._check_refit_for_multimetric(
                {k[len("mean_test_") :]: 0 for k in results if k.startswith("mean_test_")}
            )
            metric = self.refit
        if self.refit or not self.multimetric_:
            self.best_index_ = self._select_best_index(self.refit, metric, results)
            if not callable(self.refit):
                self.best_score_ = results[f"mean_test_{metric}"][self.best_index_]
            self.best_params_ = results["params"][self.best_index_]

    def _refit(self, X: Any, y: Any, weight: Array | None) -> None:
        """Fit the best setting to all items."""
        began = time.perf_counter()
        best = model_of(self.estimator, self.best_params_, scaler_for(self.param_grid, self.estimator, X))
        options = fit_options(best, weight)
        with until_interrupted():  # an interrupted machine keeps what it has found, and so does the search
            best.fit(X, y, **options) if y is not None else best.fit(X, **options)
        self._keep(best, time.perf_counter() - began)

    def _keep(self, best: Any, seconds: float) -> None:
        """Set the attributes of the best model."""
        self.best_estimator_, self.refit_time_ = best, seconds
        if hasattr(best, "feature_names_in_"):
            self.feature_names_in_ = best.feature_names_in_

    @property
    def certificate_(self) -> Any:
        """How near its optimum the best machine is."""
        check_is_fitted(self, "best_estimator_")
        best = self.best_estimator_
        return (best[-1] if isinstance(best, Pipeline) else best).certificate_

    def _run_search(self, evaluate_candidates: Any) -> None:
        raise NotImplementedError("KernelSearchCV evaluates its settings in fit")


def _positions(index: Any) -> Array:
    """An array of positions, from positions or a mask."""
    index = np.asarray(index)
    return np.flatnonzero(index) if index.dtype == bool else index
