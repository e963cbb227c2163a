"""tune: chooses the regularisation strength and the parameters of kernels by cross-validation, in the library."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Callable, Iterable

from sklearn.base import clone

from . import _core
from ._arrays import dataset
from ._compat import refuse_bad_values
from .estimators import PegasosClassifier, PegasosRegressor


@dataclass(frozen=True)
class TunedPoint:
    """One combination of parameters and its scores on the held-out rows."""

    params: dict[str, Any]
    mean: float
    standard_error: float | None
    scores: tuple[float, ...]
    gap: float | None  # the widest proven relative gap of its models


@dataclass(frozen=True)
class TuneResult:
    """What a search has found."""

    estimator: Any  # a copy of the given one with the chosen parameters, not fitted
    score: str
    points: tuple[TunedPoint, ...]
    best_index: int
    chosen_index: int
    interrupted: bool  # by the time limit or the callback; the points are those that were complete

    @property
    def best(self) -> TunedPoint:
        """The point with the best mean score."""
        return self.points[self.best_index]

    @property
    def chosen(self) -> TunedPoint:
        """The point that ``choice`` selects."""
        return self.points[self.chosen_index]

    @property
    def params(self) -> dict[str, Any]:
        """The chosen parameters."""
        return dict(self.chosen.params)


def tune(
    estimator: Any,
    X: Any,
    y: Any,
    sample_weight: Any = None,
    *,
    Cs: Iterable[float] | None = None,
    lambdas: Iterable[float] | None = None,
    gammas: Iterable[float] | None = None,
    degrees: Iterable[int] | None = None,
    epsilons: Iterable[float] | None = None,
    search: str = "usual",
    folds: int = 5,
    holdout: float | None = None,
    score: str | None = None,
    choice: str = "one-se",
    search_tol: float = 1e-2,
    callback: Callable[[dict[str, Any]], Any] | None = None,
) -> TuneResult:
    """Searches parameters of a PegasosClassifier or PegasosRegressor by cross-validation.

    The search walks from strong to weak regularisation with warm starts and trains the folds in parallel
    (``n_jobs`` of the estimator), which is many times faster than GridSearchCV. The estimator is not changed;
    its ``C`` and ``lambda_reg`` are what is searched, and its other parameters hold.

    Parameters
    ----------
    Cs, lambdas : lists of numbers, optional
        The strengths to try, of one kind. By default 11 values suited to the data (7 with a kernel), and more
        beyond an end at which the best is found.
    gammas, degrees, epsilons : lists of numbers, optional
        Values of the kernel's and the loss's parameters. By default five of gamma, unless the estimator's gamma
        is a number, and its own degree and epsilon.
    search : 'usual' or 'wide'
        A wide search also tries scalings and losses. A scaling of the estimator that is not None and a loss that
        is not the default one are kept.
    folds : int
        Number of folds, stratified by class.
    holdout : float, optional
        Hold out this share of the rows instead.
    score : 'error', 'accuracy', 'f1', 'auc', 'mae' or 'rmse', optional
        Default: error, or mae for regression.
    choice : 'one-se' or 'best'
        The strongest regularisation within one standard error of the best mean score, or the best itself.
    search_tol : float
        The relative duality gap of the models in the search.
    callback : callable, optional
        Called with a dictionary after every model; a true answer ends the search with the complete points.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from pegasos import PegasosClassifier, tune
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> found = tune(PegasosClassifier(scaling='standard', random_state=1), X, y)
    >>> found.chosen.mean < 0.05
    True
    >>> model = found.estimator.fit(X, y)
    >>> model.C == found.params['C']
    True
    """
    if not isinstance(estimator, (PegasosClassifier, PegasosRegressor)):
        raise TypeError(f"tune takes a PegasosClassifier or PegasosRegressor, not {type(estimator).__name__}")
    tuned = clone(estimator)
    rows, labels, weights, code, train = tuned._problem(X, y, sample_weight)
    if tuned._is_precomputed():
        raise ValueError("tune cannot divide a precomputed or callable kernel into folds.")
    try:
        data = dataset(rows, labels, weights, code.words if code else (), tuned._names())
    except (_core.InvalidOption, _core.PegasosError):
        refuse_bad_values(tuned, rows)
        raise
    if search == "wide" and "loss" in _default_parameters(tuned):
        train["loss"] = None
    options = {
        "lambdas": _numbers(lambdas),
        "cs": _numbers(Cs),
        "gammas": _numbers(gammas),
        "degrees": None if degrees is None else [int(one) for one in degrees],
        "epsilons": _numbers(epsilons),
        "search": search,
        "folds": folds,
        "holdout": holdout,
        "score": score,
        "choice": choice,
        "search_tolerance": search_tol,
    }
    searched = {"C": None, "lambda": None, "keep_duals": None, "probabilities": None}
    found = _core.tune(data, {**train, **searched}, options, callback)
    if found["raised"] is not None:
        raise found["raised"]
    if not found["points"]:
        raise _core.PegasosError("the search was ended before a point was complete")
    points = tuple(_point(one, tuned) for one in found["points"])
    return TuneResult(
        estimator=clone(estimator).set_params(**points[found["chosen"]].params),
        score=found["score"],
        points=points,
        best_index=found["best"],
        chosen_index=found["chosen"],
        interrupted=found["interrupted"],
    )


def _numbers(values: Iterable[float] | None) -> list[float] | None:
    return None if values is None else [float(one) for one in values]


def _default_parameters(estimator: Any) -> set[str]:
    """Returns the names of the parameters that have their default values."""
    defaults = type(estimator)().get_params()
    return {name for name, value in estimator.get_params().items() if value is defaults[name] or value == defaults[name]}


def _point(found: dict[str, Any], estimator: Any) -> TunedPoint:
    params: dict[str, Any] = {"C": found["C"]}
    if estimator.lambda_reg is not None:
        params = {"lambda_reg": found["lambda"]}
    if found["gamma"] is not None:
        params["gamma"] = found["gamma"]
    if found["degree"] is not None:
        params["degree"] = found["degree"]
    if found["epsilon"] is not None and hasattr(estimator, "epsilon"):
        params["epsilon"] = found["epsilon"]
    if found["loss"] is not None:
        params["loss"] = found["loss"].replace("-", "_")
    if found["scaling"] is not None:
        params["scaling"] = None if found["scaling"] == "none" else found["scaling"]
    return TunedPoint(
        params=params,
        mean=found["mean"],
        standard_error=found["standard_error"],
        scores=tuple(found["scores"]),
        gap=found["gap"],
    )
