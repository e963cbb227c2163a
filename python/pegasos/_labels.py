"""Converts class labels of any kind to the label values and words of the library, and back."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.multiclass import check_classification_targets

from . import _core

_EXACT = 2.0**53


class LabelCode:
    """How the classes of an estimator are stored in its model.

    Integers are stored as they are, so that a saved model predicts them on the command line too.
    Strings are stored as words. Everything else is numbered from 0.
    """

    def __init__(self, classes: NDArray[Any]):
        self.classes = classes
        self.words: list[str] = []
        self.values = np.arange(len(classes), dtype=np.float64)
        listed = classes.tolist()
        if classes.dtype.kind in "iufb":
            if all(abs(one) < _EXACT and one == int(one) for one in listed):
                self.values = classes.astype(np.float64)
        elif all(isinstance(one, str) and _is_plain(one) for one in listed):
            self.words = [str(one) for one in listed]

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


class RowClasses:
    """The sorted distinct labels of rows, and what belongs to the class of each row."""

    def __init__(self, y: NDArray[Any]):
        """Finds the classes like np.unique, but with a hash table: only the distinct labels are sorted."""
        if y.dtype.kind in "iubfUS":
            self._items = np.ascontiguousarray(y)
            self._first = _core.distinct(self._items)
            self.classes, self._class_of_item = np.unique(self._items[self._first], return_inverse=True)
        else:
            labels = y.tolist()
            kinds = sorted(set(labels))
            place = {label: k for k, label in enumerate(kinds)}
            self.classes = np.empty(len(kinds), dtype=y.dtype)
            self.classes[:] = kinds
            self._set_places(np.fromiter(map(place.__getitem__, labels), np.intp, len(labels)))

    @classmethod
    def among(cls, classes: NDArray[Any], y: NDArray[Any]) -> RowClasses:
        """Returns the rows' places among classes that are known, sorted and include all labels of y."""
        found = cls.__new__(cls)
        found.classes = classes
        found._set_places(np.searchsorted(classes, y))
        return found

    def _set_places(self, places: NDArray[Any]) -> None:
        self._items = np.ascontiguousarray(places)
        self._first = _core.distinct(self._items)
        self._class_of_item = self._items[self._first]

    def values(self, of_class: NDArray[Any]) -> NDArray[Any]:
        """Returns for each row the number that belongs to its class."""
        if self._items.dtype.kind in "iuf" and np.array_equal(of_class[self._class_of_item], self._items[self._first]):
            return np.asarray(self._items, dtype=np.float64)  # integers are stored as they are
        return _core.values_of(self._items, self._first, of_class[self._class_of_item])


def require_class_labels(y: NDArray[Any]) -> None:
    """Raises scikit-learn's error for labels that are not classes, without sorting the usual kinds.

    Whole numbers and words are classes, however many there are.
    """
    if y.ndim == 1 and (y.dtype.kind in "iubU" or (y.dtype.kind == "f" and not np.any(y != np.floor(y)))):
        return
    check_classification_targets(y)


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
