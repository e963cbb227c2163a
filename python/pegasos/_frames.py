"""Tables as rows: columns of categories become one column for each category.

A column of pandas' category dtype is known by its dtype, as in scikit-learn's HistGradientBoosting. Its categories are
learned when the estimator is fitted. A later table may have them in another order, as strings, or not at all; a
category that was not there has zeros in all of its columns, and a missing value is refused as NaN is.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

# Wider tables than this are sparse where most of their values are zero.
_MOST_DENSE_COLUMNS = 256


class Columns:
    """The columns of a table with categories, as they were when an estimator was fitted."""

    def __init__(self, frame: Any):
        self.categories: list[list[Any] | None] = [
            dtype.categories.tolist() if _is_categorical(dtype) else None for dtype in frame.dtypes
        ]
        self.names = [str(name) for name in frame.columns]

    def numbers_of(self, frame: Any) -> Any:
        """The table with the place of each category instead of it, and -1 for one that is not known."""
        if not hasattr(frame, "iloc") or frame.shape[1] != len(self.categories):
            return frame  # scikit-learn has words for that
        import pandas

        frame = frame.copy(deep=False)
        for place, categories in enumerate(self.categories):
            if categories is None:
                continue
            column = frame.iloc[:, place]
            codes = pandas.Categorical(column, categories=categories).codes.astype(np.float32)
            codes[column.isna().to_numpy()] = np.nan
            frame.isetitem(place, codes)
        return frame

    def expand(self, numbers: NDArray[Any]) -> Any:
        """Validated numbers of a table as rows for the library: a column for each category."""
        width = sum(1 if categories is None else len(categories) for categories in self.categories)
        dense = width <= _MOST_DENSE_COLUMNS
        blocks: list[Any] = []
        for place, categories in enumerate(self.categories):
            column = numbers[:, place]
            if categories is None:
                blocks.append(column[:, None] if dense else sparse.csr_matrix(column[:, None]))
                continue
            codes = column.astype(np.int64)
            known = np.flatnonzero(codes >= 0)
            ones = np.ones(len(known), dtype=np.float32)
            block = sparse.csr_matrix((ones, (known, codes[known])), shape=(len(codes), len(categories)))
            blocks.append(block.toarray() if dense else block)
        if dense:
            return np.ascontiguousarray(np.hstack(blocks), dtype=np.float32)
        return sparse.hstack(blocks, format="csr", dtype=np.float32)

    def expanded_names(self) -> list[str]:
        """The name of a column, and for a category what it must be equal to."""
        return [
            name if category is None else f"{name}={category}"
            for name, categories in zip(self.names, self.categories)
            for category in (categories if categories is not None else [None])
        ]


def _is_categorical(dtype: Any) -> bool:
    return hasattr(dtype, "categories") and hasattr(dtype, "ordered")


def columns_of(X: Any) -> Columns | None:
    """The columns of a table that has categories; None for everything else."""
    dtypes = getattr(X, "dtypes", None)
    if dtypes is None or not hasattr(X, "iloc") or not hasattr(X, "columns"):
        return None
    return Columns(X) if any(_is_categorical(dtype) for dtype in dtypes) else None


def as_array(X: Any) -> Any:
    """Arrays of other libraries that lend their memory through DLPack; all else as it is."""
    if isinstance(X, np.ndarray) or not hasattr(X, "__dlpack__") or hasattr(X, "__array__"):
        return X
    return np.from_dlpack(X)
