"""Converts validated matrices to the library's datasets, copying only when necessary."""

from __future__ import annotations

from typing import Any, Sequence

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from . import _core


def dataset(
    X: Any,
    labels: NDArray[Any] | None = None,
    weights: NDArray[Any] | None = None,
    label_words: Sequence[str] = (),
    feature_names: Sequence[str] = (),
    *,
    check: bool = True,
) -> _core.Dataset:
    """Returns rows as a dataset of the library.

    float32 arrays in C order and float32 CSR matrices with 32-bit indices are used in place, even
    if they are read-only or memory-mapped. 64-bit column indices are converted to 32 bits. Without ``check``, the
    values of an array may be NaN or inf, and the caller must check them.
    """
    shared: dict[str, Any] = {
        "features": X.shape[1],
        "labels": None if labels is None else np.ascontiguousarray(labels, dtype=np.float64),
        "weights": weights,
        "label_words": list(label_words),
        "feature_names": list(feature_names),
    }
    if not sparse.issparse(X):
        return _core.Dataset(values=np.require(X, np.float32, ["C", "A"]), check=check, **shared)
    if X.shape[1] > np.iinfo(np.uint32).max:
        raise ValueError(f"X has {X.shape[1]} features; at most {np.iinfo(np.uint32).max} are possible")
    try:
        return _sparse_dataset(X, shared)
    except _core.InvalidOption:  # the binding looks at the order of the indices faster than SciPy
        if X.has_canonical_format:
            raise
    X = X.copy()
    X.sum_duplicates()
    return _sparse_dataset(X, shared)


def _sparse_dataset(X: Any, shared: dict[str, Any]) -> _core.Dataset:
    return _core.Dataset(
        values=np.require(X.data, np.float32, ["C", "A"]),
        ids=_unsigned(X.indices, np.uint32),
        offsets=_unsigned(X.indptr, np.uint64),
        **shared,
    )


def _unsigned(array: NDArray[Any], wanted: Any) -> NDArray[Any]:
    """Converts non-negative integers to another width, or reuses the bytes if the width is the same."""
    if array.dtype.itemsize == np.dtype(wanted).itemsize:
        return np.require(array, requirements=["C", "A"]).view(wanted)
    return array.astype(wanted)


def csr_matrix(rows: Any, features: int) -> sparse.csr_matrix:
    """Returns the rows of a dataset as a CSR matrix."""
    if rows is None:
        return sparse.csr_matrix((0, features), dtype=np.float32)
    if isinstance(rows, np.ndarray):
        return sparse.csr_matrix(rows)
    values, ids, offsets = rows
    small = np.iinfo(np.int32).max
    if features <= small and offsets[-1] <= small:
        return sparse.csr_matrix((values, ids.view(np.int32), offsets.astype(np.int32)), shape=(len(offsets) - 1, features))
    return sparse.csr_matrix((values, ids.astype(np.int64), offsets.view(np.int64)), shape=(len(offsets) - 1, features))
