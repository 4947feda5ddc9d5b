"""KernelSearchCV: cross-validated search that computes each kernel value once.

The interface is that of scikit-learn's GridSearchCV.  What can be shared is shared (evaluation.py): pair statistics by
all lengthscales, Grams by all folds, solutions by all values of C.
"""

from __future__ import annotations

import sys
import time
import warnings
from collections.abc import Sequence
from functools import partial
from numbers import Integral, Real
from typing import Any, Self

import numpy as np
from sklearn.base import is_classifier
from sklearn.model_selection import ParameterGrid, ParameterSampler, check_cv
from sklearn.pipeline import Pipeline
from sklearn.utils import indexable
from sklearn.utils.validation import check_is_fitted

from mercer.engine.interrupts import interrupted, until_interrupted
from mercer.errors import NotConverged, bad, warn
from mercer.estimators.base import interruptible
from mercer.estimators.sklearn_private import (
    BaseSearchCV,
    check_method_params,
    insert_error_scores,
    metrics_of,
    reads_labels_only,
    warn_about_failures,
)
from mercer.selection.candidates import Settings, candidates_of, with_params, without_probabilities
from mercer.selection.columns import with_rows
from mercer.selection.evaluation import Evaluation
from mercer.selection.evidence import by_evidence
from mercer.selection.halving import joined, part_of, shares_of
from mercer.selection.named_grids import named_grid
from mercer.selection.racing import Race
from mercer.selection.scaling import scaler_for
from mercer.selection.scoring import FoldScorer, Split
from mercer.typing import Array

STRATEGIES = ("grid", "random", "halving", "evidence")


class KernelSearchCV(BaseSearchCV):  # type: ignore[misc]
    """The best of many settings of a kernel machine, or of a Pipeline that ends in one, by cross-validation.

    param_grid    a grid or list of grids as in scikit-learn; kernels are values like any other ({"kernel": [RBF(),
                  Matern()]}, {"kernel__lengthscale": [...]}); "libsvm" is LIBSVM's 110 points on columns that are
                  standardised within each fold, "auto" at most 35, whose lengthscales are found by the median heuristic
                  and thinned by their alignment with the targets of all items: an honest score of it is that of
                  cross_val_score around the search; for strategy="random" distributions as in
                  RandomizedSearchCV
    strategy      "grid", "random" (n_iter settings) or "halving": all settings on few items, the best 1/factor of
                  them on factor times as many, and so on; "evidence" fits each setting once, to all items, and takes
                  that of the largest log evidence (Gaussian processes, relevance vectors); cv and scoring are not used
    time_limit    seconds after which no new fit begins; the best so far is returned.  Ctrl-C keeps it, too: it is
                  fitted to all items, and then KeyboardInterrupt is raised; a second Ctrl-C ends that fit as well
    eliminate     after three folds and more, drop settings that will not catch up with the best, by a paired t-test at
                  the risk of 1 % for each (racing.py): then nan in the splits that were not run, and True in the
                  column "eliminated" of cv_results_; not with "evidence"
    verbose       1 tells the plan and how far it is

    scoring, refit, cv, error_score and return_train_score are scikit-learn's; n_jobs has no effect, threads are those
    of mercer.configure.  Equal scores go to the setting that comes first, which for "libsvm" and "auto" is the smaller
    C and then the smaller gamma.

    After fit: what GridSearchCV has; mean_gap in cv_results_, the relative duality gap of the fits; certificate_ of the
    best machine; kernel_evaluations_, the number of pairs of items whose kernel or distance was computed in the search.
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
        began = time.perf_counter()
        self._check_options()
        self._deadline = np.inf if self.time_limit is None else began + self.time_limit
        scorer, metric = self._get_scorers()
        X, y = indexable(with_rows(X), y)
        settings = self._settings(X, y)
        routed = self._get_routed_params_for_fit(check_method_params(X, params=params))
        splits, weight = self._splits(X, y, routed.splitter.split), self._weight(routed.estimator.fit)
        fold_scorer = FoldScorer(X, y, splits, scorer, routed.scorer.score, self.return_train_score, self.error_score)
        self.kernel_evaluations_ = 0
        ways = {"halving": self._halved, "evidence": self._by_evidence}
        results = ways.get(self.strategy, self._evaluated)(fold_scorer, settings, weight)
        self._choose(results, metric)
        self.scorer_, self.cv_results_ = metrics_of(scorer) or scorer, results
        fitted = self.__dict__.pop("_fitted", {})
        del self._deadline
        if self.refit:
            self._refit(X, y, routed.estimator.fit, fitted.get(self.best_index_))
        return self

    # ---- what to try

    def _built(self, X: Any, params: Settings) -> Any:
        """The estimator with these parameters, after a scaler where the grid is one for standardised columns."""
        model = with_params(self.estimator, params)
        if isinstance(self.param_grid, str) and not isinstance(model, Pipeline):
            return Pipeline([("scale", scaler_for(self.param_grid, X)), ("machine", model)])
        return model

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
        grid = self.param_grid
        if isinstance(grid, str):
            grid = named_grid(grid, self.estimator, X, y)
        if self.strategy == "random":
            return list(ParameterSampler(grid, self.n_iter, random_state=self.random_state))
        return list(ParameterGrid(grid))

    def _splits(self, X: Any, y: Any, params: dict[str, Any]) -> list[Split]:
        cv = check_cv(self.cv, y, classifier=is_classifier(self.estimator))
        splits = [(np.asarray(train), np.asarray(test)) for train, test in cv.split(X, y, **params)]
        if not splits:
            raise bad("KernelSearchCV", "cv", "at least one split", "none", "cv=5 is the default.")
        self.n_splits_ = len(splits)
        return [_positions(split) for split in splits]

    def _weight(self, params: dict[str, Any]) -> Array | None:
        """The weights of the items among the parameters of `fit`."""
        last = f"{self.estimator.steps[-1][0]}__" if isinstance(self.estimator, Pipeline) else ""
        if unknown := set(params) - {f"{last}sample_weight"}:
            raise bad("KernelSearchCV", "fit", f"given no parameters but {last}sample_weight and groups",
                      sorted(unknown), "Leave them out.")  # fmt: skip
        weight = params.get(f"{last}sample_weight")
        return None if weight is None else np.asarray(weight, dtype=float)

    # ---- what comes out

    def _evaluated(
        self, fold_scorer: FoldScorer, settings: Sequence[Settings], weight: Array | None, **more: Any
    ) -> Any:
        """cv_results_ of the settings that time allowed, with columns of `more`."""
        candidates = candidates_of(self.estimator, partial(self._built, fold_scorer.X), settings)
        if reads_labels_only(fold_scorer.scorer):
            without_probabilities(candidates)
        run: Any = partial(Race, metric=self.refit) if self.eliminate else Evaluation
        evaluation = run(fold_scorer, candidates, weight, self._deadline, self._tell)
        evaluation.run()
        self.kernel_evaluations_ += evaluation.evaluations
        done, folds = evaluation.finished()
        if not done and interrupted():
            raise KeyboardInterrupt("KernelSearchCV was interrupted before one setting had been tried on one fold.")
        if not done:
            raise bad("KernelSearchCV", "time_limit", "long enough for one setting on one fold", self.time_limit,
                      "Raise it, or try fewer folds.")  # fmt: skip
        if len(done) * len(folds) < len(settings) * len(fold_scorer.splits) and not interrupted():
            warn(f"KernelSearchCV: time_limit ended the search after {len(done)} of {len(settings)} settings "
                 f"on {len(folds)} of {len(fold_scorer.splits)} folds; the best of these is taken.",
                 NotConverged)  # fmt: skip
        outcomes = [evaluation.outcomes[c, f] for c in done for f in folds]
        out = [outcome.as_scikit_learn() for outcome in outcomes]
        warn_about_failures(out, self.error_score)
        if callable(self.scoring):
            insert_error_scores(out, self.error_score)
        columns = {name: [value] * len(done) for name, value in more.items()}
        if self.eliminate:
            columns["eliminated"] = [c in evaluation.dropped for c in done]
        gaps = np.array([outcome.gap for outcome in outcomes]).reshape(len(done), -1)
        with warnings.catch_warnings():
            if any(columns.get("eliminated", ())):
                warnings.filterwarnings("ignore", "One or more of the .* scores are non-finite", UserWarning)
            return self._format_results(
                [settings[c] for c in done], len(folds), out, columns | {"mean_gap": gaps.mean(1)}
            )

    def _halved(self, fold_scorer: FoldScorer, settings: Sequence[Settings], weight: Array | None) -> Any:
        """cv_results_ of all rungs: settings that do best on few items go on to `factor` times as many."""
        left, results = list(settings), None
        for rung, share in enumerate(shares_of(len(left), self.factor)):
            if rung and (time.perf_counter() > self._deadline or interrupted()):
                break
            part, some = part_of(fold_scorer, self.estimator, share, self.random_state)
            own = None if weight is None else weight[some]
            found = self._evaluated(part, left, own, iter=rung, n_resources=len(some))
            results = found if results is None else joined(results, found)
            left = self._better_part(found)
        return results

    def _by_evidence(self, fold_scorer: FoldScorer, settings: Sequence[Settings], weight: Array | None) -> Any:
        """cv_results_ with the log evidence of every setting as the score of the only split."""
        self._tell(f"{len(settings)} candidates by their evidence: one fit each, on all items.")
        last = f"{self.estimator.steps[-1][0]}__" if isinstance(self.estimator, Pipeline) else ""
        options = {} if weight is None else {f"{last}sample_weight": weight}
        candidates = candidates_of(self.estimator, partial(self._built, fold_scorer.X), settings)
        X, y, failed = fold_scorer.X, fold_scorer.y, fold_scorer.failed
        found = by_evidence(candidates, X, y, options, failed, lambda: time.perf_counter() < self._deadline)
        if not found:
            raise KeyboardInterrupt("KernelSearchCV was interrupted before one setting had been fitted.")
        out = [outcome.as_scikit_learn() | {"test_scores": {"score": outcome.score}} for outcome in found]
        warn_about_failures(out, self.error_score)
        self.n_splits_ = 1
        done = () if interrupted() else enumerate(found)
        self._fitted = {i: candidates[i].model for i, outcome in done if outcome.error is None}
        return self._format_results(settings[: len(found)], 1, out, {"mean_gap": np.array([o.gap for o in found])})

    def _better_part(self, results: Any) -> list[Settings]:
        """The best 1 / factor of the settings, by the metric that the best is chosen by."""
        named = f"rank_test_{self.refit}"
        rank = results[named] if named in results else next(v for k, v in results.items() if k.startswith("rank_test_"))
        best = np.argsort(rank, kind="stable")[: max(1, -(-len(rank) // self.factor))]
        return [results["params"][i] for i in best]

    def _choose(self, results: Any, metric: Any) -> None:
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

    def _refit(self, X: Any, y: Any, params: dict[str, Any], fitted: Any) -> None:
        """Fit the best setting to all items, unless the search has done so (`fitted`)."""
        began = time.perf_counter()
        self.best_estimator_ = self._built(X, self.best_params_) if fitted is None else fitted
        if not isinstance(self.estimator, Pipeline) and isinstance(self.best_estimator_, Pipeline):
            params = {f"machine__{name}": value for name, value in params.items()}
        with until_interrupted():  # the machine keeps what it has, and so does the search
            if fitted is None:
                self.best_estimator_.fit(X, y, **params) if y is not None else self.best_estimator_.fit(X, **params)
        spent = time.perf_counter() - began
        self.refit_time_ = spent if fitted is None else self.cv_results_["mean_fit_time"][self.best_index_]
        if hasattr(self.best_estimator_, "feature_names_in_"):
            self.feature_names_in_ = self.best_estimator_.feature_names_in_

    @property
    def certificate_(self) -> Any:
        """How near its optimum the best machine is."""
        check_is_fitted(self, "best_estimator_")
        best = self.best_estimator_
        return (best[-1] if isinstance(best, Pipeline) else best).certificate_

    def _run_search(self, evaluate_candidates: Any) -> None:
        raise NotImplementedError("KernelSearchCV evaluates its settings in fit")

    def _tell(self, sentence: str) -> None:
        if self.verbose:
            sys.stdout.write(f"[KernelSearchCV] {sentence}\n")


def _positions(split: tuple[Array, Array]) -> Split:
    """Positions also where a splitter gave masks."""
    train, test = (np.flatnonzero(part) if part.dtype == bool else part for part in split)
    return train, test
