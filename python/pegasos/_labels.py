"""Converts class labels of any kind to the label values and words of the library, and back."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

_EXACT = 2.0**53
_COUNTED = 2**16  # the widest range of labels that is counted


class LabelCode:
    """How the classes of an estimator are stored in its model.

    Integers are stored as they are, so that a saved model predicts them on the command line too.
    Strings are stored as words. Everything else is numbered from 0.
    """

    def __init__(self, classes: NDArray[Any]):
        self.classes = classes
        self.words: list[str] = []
        self.values = np.arange(len(classes), dtype=np.float64)
        if classes.dtype.kind in "iufb":
            values = classes.astype(np.float64)
            if np.all(values == np.floor(values)) and np.all(np.abs(values) < _EXACT):
                self.values = values
        elif all(isinstance(one, str) and _is_plain(one) for one in classes.tolist()):
            self.words = [str(one) for one in classes.tolist()]

    def text(self, place: int) -> str:
        """Returns the library's name for a class."""
        return self.words[place] if self.words else repr(float(self.values[place]))

    def encode(self, y: NDArray[Any]) -> NDArray[Any]:
        """Returns the label values of rows; an unknown label is an error."""
        places = np.searchsorted(self.classes, y)
        places = np.clip(places, 0, len(self.classes) - 1)
        if not np.all(self.classes[places] == y):
            unknown = np.setdiff1d(y, self.classes)
            raise ValueError(f"y contains labels that the estimator was not trained on: {unknown[:5]}")
        return self.values[places]


def classes_and_places(y: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    """Returns the sorted distinct labels and the index of each row's label, like np.unique.

    Integers within a small range, as class labels usually are, are counted instead of sorted.
    """
    if y.dtype.kind in "iu" and len(y) > 0:
        low, high = int(y.min()), int(y.max())
        if high - low < _COUNTED and -(2**62) < low and high < 2**62:
            offsets = y.astype(np.intp) - low
            present = np.bincount(offsets, minlength=1) > 0
            place = np.cumsum(present) - 1
            return (np.flatnonzero(present) + low).astype(y.dtype), place[offsets]
    classes, places = np.unique(y, return_inverse=True)
    return classes, places


def _is_plain(word: str) -> bool:
    if not word or not word.isprintable():
        return False
    try:
        word.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def classes_from(described: list[tuple[float, str]], has_words: bool) -> NDArray[Any]:
    """Returns the classes of a model that was loaded from a file."""
    if has_words:
        return np.array([text for _, text in described])
    values: Any = np.array([value for value, _ in described])
    if np.all(values == np.floor(values)):
        values = values.astype(np.int64)
    return np.asarray(values)
