"""Differences between scikit-learn releases: validation and tags."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
import sklearn
from scipy import sparse
from sklearn.utils.validation import (
    _check_sample_weight,
    assert_all_finite,
    check_array,
    check_consistent_length,
    check_X_y,
    column_or_1d,
)

from ._frames import ArrowTable, as_array, columns_of

try:  # scikit-learn 1.6 and later
    from sklearn.utils.validation import validate_data as _validate_data
except ImportError:
    _validate_data = None

SKLEARN_VERSION = tuple(int(part) for part in sklearn.__version__.split(".")[:2])

# Rows are float32, in C order or CSR; rows already in this form are not copied.
_ROWS: dict[str, Any] = {
    "accept_sparse": "csr",
    "dtype": np.float32,
    "order": "C",
    "accept_large_sparse": True,
}


_FINITE = "ensure_all_finite" if SKLEARN_VERSION >= (1, 6) else "force_all_finite"


def validate_rows(
    estimator: Any, X: Any, y: Any = "no_validation", *, reset: bool, finite: bool = True, **wanted: Any
) -> Any:
    """Checks X, and y if given, with scikit-learn's own error messages.

    Categorical columns are checked as numbers and returned one-hot encoded. If ``finite`` is False, the binding looks
    for NaN and inf, which saves a pass over the data, and `refuse_bad_values` raises the error.
    """
    wanted = {**_ROWS, **wanted}
    X = as_array(X)
    columns = columns_of(X) if reset else getattr(estimator, "_columns", None)
    if reset:
        estimator.__dict__.pop("_columns", None)
        if columns is not None:
            estimator._columns = columns
    if columns is not None:
        X = columns.numbers_of(X)
    elif not finite:
        wanted[_FINITE] = False
    if isinstance(X, ArrowTable):
        checked = _validate_arrow(estimator, X, y, reset, wanted)
    else:
        checked = _validate(estimator, X, y, reset, wanted)
    if columns is None:
        return checked
    if isinstance(checked, tuple):
        return columns.expand(checked[0]), checked[1]
    return columns.expand(checked)


def _validate(estimator: Any, X: Any, y: Any, reset: bool, wanted: dict[str, Any]) -> Any:
    if _validate_data is not None:
        return _validate_data(estimator, X, y, reset=reset, **wanted)
    return estimator._validate_data(X, y, reset=reset, **wanted)


def validate_labels(estimator: Any, X: Any, y: Any, *, y_numeric: bool = False) -> Any:
    """Checks y alone, for rows that only a kernel of the caller understands: a list of strings, for example."""
    if y is None:
        raise ValueError(f"requires y to be passed, but the target y is None: {type(estimator).__name__} needs labels")
    y = column_or_1d(y, warn=True)
    assert_all_finite(y, estimator_name=type(estimator).__name__, input_name="y")
    if y_numeric and y.dtype.kind == "O":
        y = y.astype(np.float64)
    check_consistent_length(X, y)
    return X, y


def _validate_arrow(estimator: Any, table: ArrowTable, y: Any, reset: bool, wanted: dict[str, Any]) -> Any:
    """Checks a table of Arrow, in which no release of scikit-learn finds the names by itself."""
    table.refuse_categories()
    if reset:
        checked = _validate(estimator, table.numbers, y, True, wanted)
        estimator.feature_names_in_ = np.array(table.names, dtype=object)
        return checked
    known = getattr(estimator, "feature_names_in_", None)
    if known is not None and list(known) != table.names:
        raise ValueError(
            "The feature names should match those that were passed during fit.\n"
            f"Expected {list(known)}, got {table.names}."
        )
    if len(table.names) != estimator.n_features_in_:
        raise ValueError(
            f"X has {len(table.names)} features, but {type(estimator).__name__} "
            f"is expecting {estimator.n_features_in_} features as input."
        )
    wanted = {**wanted, "estimator": estimator}
    if isinstance(y, str) and y == "no_validation":
        return check_array(table.numbers, input_name="X", **wanted)
    return check_X_y(table.numbers, y, **wanted)


def refuse_bad_values(estimator: Any, X: Any) -> None:
    """Raises scikit-learn's error if X contains NaN or inf."""
    values = X.data if sparse.issparse(X) else X
    assert_all_finite(values, estimator_name=type(estimator).__name__, input_name="X")


def checked_weights(sample_weight: Any, X: Any, *, drop_negative: bool = False) -> NDArray[Any] | None:
    """Returns the row weights as float64, or None. Rows with a negative weight are refused or, as in LIBSVM, left out."""
    if sample_weight is None:
        return None
    weights = np.ascontiguousarray(_check_sample_weight(sample_weight, X, dtype=np.float64))
    if (weights < 0).any():
        if not drop_negative:
            raise ValueError("Negative values in data passed to `sample_weight`")
        weights = np.maximum(weights, 0.0)
    if not (weights > 0).any():
        raise ValueError("Invalid input - all samples have zero or negative weights.")
    return weights
