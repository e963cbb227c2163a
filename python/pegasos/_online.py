"""partial_fit: Pegasos steps on rows as they arrive."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils import compute_class_weight
from sklearn.utils.multiclass import check_classification_targets

from . import _core
from ._arrays import dataset
from ._compat import checked_weights, validate_rows
from ._labels import LabelCode

# As in scikit-learn's SGDClassifier: the number of rows is not known, so C does not determine lambda.
DEFAULT_LAMBDA = 1e-4

_ONLINE_OPTIONS = ("loss", "epsilon", "delta", "lambda", "bias", "bias_feature")


def online_options(estimator: Any) -> dict[str, Any]:
    """Returns those of the estimator's options that apply to a stream of rows."""
    if getattr(estimator, "scaling", None) is not None:
        raise ValueError("partial_fit cannot learn a scaling; the 'scaling' parameter must be None.")
    if getattr(estimator, "early_stopping", False):
        raise ValueError("early_stopping should be False with partial_fit")
    options = estimator._options()
    result = {name: options[name] for name in _ONLINE_OPTIONS if options.get(name) is not None}
    result.setdefault("lambda", DEFAULT_LAMBDA / getattr(estimator, "C", 1.0))
    if result.get("bias") == "unregularised":
        result["bias"] = "regularised"  # a free bias has no step size of its own in a stream
    return result


def partial_fit_classes(estimator: Any, X: Any, y: Any, classes: Any, sample_weight: Any) -> Any:
    """One pass over labelled rows; the first call lists all classes."""
    options = online_options(estimator)
    first = not _goes_on(estimator)
    X, y = validate_rows(estimator, X, y, reset=first)
    check_classification_targets(y)
    if first:
        if classes is None:
            raise ValueError("classes must be passed on the first call to partial_fit.")
        estimator.classes_ = np.unique(classes)
        if len(estimator.classes_) < 2:
            raise ValueError(
                f"The number of classes has to be greater than one; got {len(estimator.classes_)} class"
            )
        estimator._code = LabelCode(estimator.classes_)
    elif classes is not None and not np.array_equal(np.unique(classes), estimator.classes_):
        raise ValueError(
            f"`classes={classes!r}` is not the same as on last call to partial_fit, was: {estimator.classes_!r}"
        )
    code = estimator._code
    if not np.all(np.isin(y, estimator.classes_)):
        raise ValueError(f"`y` has classes not in `self.classes_`. {estimator.classes_} has {np.setdiff1d(y, estimator.classes_)}")
    weights = checked_weights(sample_weight, X)
    if estimator.class_weight is not None:
        if estimator.class_weight == "balanced":
            raise ValueError(
                "class_weight 'balanced' is not supported for partial_fit. In order to use 'balanced' weights, use "
                "compute_class_weight('balanced', classes=classes, y=y). In place of y you can use a large enough sample "
                "of the full training set target to properly estimate the class frequency distributions. Pass the "
                "resulting weights as the class_weight parameter."
            )
        of_class = compute_class_weight(estimator.class_weight, classes=estimator.classes_, y=y)
        own = of_class[np.searchsorted(estimator.classes_, y)]
        weights = own if weights is None else weights * own
    rows = dataset(X, code.encode(y), weights, code.words, estimator._names())
    return _step(estimator, rows, options, code.values.tolist(), first)


def partial_fit_numbers(estimator: Any, X: Any, y: Any, sample_weight: Any) -> Any:
    """One pass over rows with regression targets."""
    options = online_options(estimator)
    first = not _goes_on(estimator)
    X, y = validate_rows(estimator, X, y, reset=first, y_numeric=True)
    y = y.astype(np.float64)
    rows = dataset(X, y, checked_weights(sample_weight, X), (), estimator._names())
    return _step(estimator, rows, options, [], first)


def _goes_on(estimator: Any) -> bool:
    """Whether there are weights to continue from, after partial_fit or fit."""
    model = getattr(estimator, "_model", None)
    return model is not None and not model.is_kernel_machine and not model.has_map


def _step(estimator: Any, rows: _core.Dataset, options: dict[str, Any], classes: list[float], first: bool) -> Any:
    model = None if first else estimator._model
    counted = 0.0
    if model is not None:  # after a fit its rows count as seen once
        counted = estimator.__dict__.get("_counted", float(model.record["rows"]))
    estimator._model, estimator._counted = _core.learn_online(rows, options, classes, model, counted)
    estimator._tolerance = 1e-3
    estimator._describe_model()
    estimator.t_ = estimator._model.record["steps"] + 1.0
    return estimator
