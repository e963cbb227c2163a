"""The places where releases of scikit-learn differ: validation and tags."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
import sklearn
from sklearn.utils.validation import _check_sample_weight

try:  # scikit-learn 1.6 and later
    from sklearn.utils.validation import validate_data as _validate_data
except ImportError:
    _validate_data = None

SKLEARN_VERSION = tuple(int(part) for part in sklearn.__version__.split(".")[:2])

# Rows come as float32, C order or CSR; what is in this form already is not copied.
_ROWS: dict[str, Any] = {
    "accept_sparse": "csr",
    "dtype": np.float32,
    "order": "C",
    "accept_large_sparse": True,
}


def validate_rows(estimator: Any, X: Any, y: Any = "no_validation", *, reset: bool, **wanted: Any) -> Any:
    """Checks X, and y if it is given, with scikit-learn's own words for what is wrong."""
    wanted = {**_ROWS, **wanted}
    if _validate_data is not None:
        return _validate_data(estimator, X, y, reset=reset, **wanted)
    return estimator._validate_data(X, y, reset=reset, **wanted)


def checked_weights(sample_weight: Any, X: Any) -> NDArray[Any] | None:
    """Weights of rows as float64, or None."""
    if sample_weight is None:
        return None
    weights = np.ascontiguousarray(_check_sample_weight(sample_weight, X, dtype=np.float64))
    if (weights < 0).any():
        raise ValueError("Negative values in data passed to `sample_weight`")
    if not (weights > 0).any():
        raise ValueError("Invalid input - all samples have zero or negative weights.")
    return weights
