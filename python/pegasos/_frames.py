"""Tables as rows: DataFrames of pandas, and Arrow's tables. Categorical columns are one-hot encoded.

Categorical columns are recognised by their dtype, as in scikit-learn's HistGradientBoosting; Arrow calls them
dictionaries. Their categories are
learned when the estimator is fitted. A later table may have them in another order, as strings, or not at all. An unknown
category is encoded as zeros, and a missing value is rejected like NaN.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from . import _core

# Tables wider than this become sparse.
_MOST_DENSE_COLUMNS = 256


class ArrowTable:
    """A table read from Arrow's C stream interface: float32 rows, in which categories are their index."""

    def __init__(self, names: list[str], numbers: NDArray[Any], categories: list[list[Any] | None]):
        self.names = names
        self.numbers = numbers
        self.categories = categories

    def in_terms_of(self, wanted: list[list[Any] | None]) -> ArrowTable:
        """Returns the table with categories replaced by their index in the wanted ones, or by -1 if unknown."""
        numbers = self.numbers.copy()
        for place, (own, others) in enumerate(zip(self.categories, wanted)):
            if others is None:
                continue
            index = {category: float(k) for k, category in enumerate(others)}
            column = numbers[:, place]
            if own is None:  # plain numbers that are categories
                kinds, of_row = np.unique(column, return_inverse=True)
                codes = np.array([index.get(kind, -1.0) for kind in kinds.tolist()])[of_row.reshape(-1)]
            else:
                table = np.array([index.get(category, -1.0) for category in own] + [-1.0])
                codes = table[np.nan_to_num(column, nan=-1.0).astype(np.intp)]
            numbers[:, place] = np.where(np.isnan(column), np.nan, codes)
        return ArrowTable(self.names, numbers, [None if others is not None else own for own, others in zip(self.categories, wanted)])

    def refuse_categories(self) -> None:
        """Raises an error for columns that were numbers when the estimator was fitted and are categories now."""
        for name, categories in zip(self.names, self.categories):
            if categories is not None:
                raise ValueError(f"The column {name!r} has categories, but had none when the estimator was fitted.")


class Columns:
    """The columns of a table with categorical columns, as they were when the estimator was fitted."""

    def __init__(self, frame: Any):
        self.categories: list[list[Any] | None]
        if isinstance(frame, ArrowTable):
            self.categories, self.names = list(frame.categories), list(frame.names)
        else:
            self.categories = [dtype.categories.tolist() if _is_categorical(dtype) else None for dtype in frame.dtypes]
            self.names = [str(name) for name in frame.columns]

    def numbers_of(self, frame: Any) -> Any:
        """Returns the table with categories replaced by their index, or by -1 if unknown."""
        if isinstance(frame, ArrowTable) and len(frame.names) == len(self.categories):
            return frame.in_terms_of(self.categories)
        if not hasattr(frame, "iloc") or frame.shape[1] != len(self.categories):
            return frame  # scikit-learn reports this
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
        """Turns the validated numbers of a table into one-hot encoded rows."""
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
        """Returns the names of the encoded columns, such as colour=red."""
        return [
            name if category is None else f"{name}={category}"
            for name, categories in zip(self.names, self.categories)
            for category in (categories if categories is not None else [None])
        ]


def _is_categorical(dtype: Any) -> bool:
    return hasattr(dtype, "categories") and hasattr(dtype, "ordered")


def columns_of(X: Any) -> Columns | None:
    """Returns the columns of a table with categorical columns; None for everything else."""
    if isinstance(X, ArrowTable):
        return Columns(X) if any(categories is not None for categories in X.categories) else None
    dtypes = getattr(X, "dtypes", None)
    if dtypes is None or not hasattr(X, "iloc") or not hasattr(X, "columns"):
        return None
    return Columns(X) if any(_is_categorical(dtype) for dtype in dtypes) else None


def as_array(X: Any) -> Any:
    """Converts tables of Arrow, and arrays that share their memory through DLPack; returns everything else unchanged."""
    if isinstance(X, np.ndarray) or hasattr(X, "iloc"):
        return X
    if hasattr(X, "__arrow_c_stream__"):
        return ArrowTable(*_core.read_arrow(X.__arrow_c_stream__()))
    return np.from_dlpack(X) if hasattr(X, "__dlpack__") and not hasattr(X, "__array__") else X
