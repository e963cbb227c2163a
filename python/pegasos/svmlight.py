"""Reading and writing svmlight files with the library's parser."""

from __future__ import annotations

import os
import shutil
import tempfile
from typing import Any, BinaryIO

import numpy as np
from scipy import sparse
from sklearn.utils import check_array

from . import _core
from ._arrays import csr_matrix, dataset

__all__ = ["dump_svmlight_file", "load_svmlight_file"]


def load_svmlight_file(
    f: Any,
    *,
    n_features: int | None = None,
    dtype: Any = np.float32,
    multilabel: bool = False,
    zero_based: bool | str = "auto",
    query_id: bool = False,
    offset: int = 0,
    length: int = -1,
) -> tuple[sparse.csr_matrix, Any]:
    """Loads an svmlight file as a CSR matrix and labels.

    The parameters are those of ``sklearn.datasets.load_svmlight_file``. The file may be compressed
    with gzip, bzip2, xz or zstd. Values are float32, which the estimators of this package use
    without a copy; ``dtype=numpy.float64`` converts them without adding precision. ``query_id`` is
    not supported: query ids are skipped.

    >>> import io
    >>> from pegasos import load_svmlight_file
    >>> X, y = load_svmlight_file(io.BytesIO(b'1 1:0.5 3:2\\n-1 2:1\\n'))
    >>> X.toarray()
    array([[0.5, 0. , 2. ],
           [0. , 1. , 0. ]], dtype=float32)
    >>> y
    array([ 1., -1.])
    """
    if query_id:
        raise ValueError("The 'query_id' parameter of load_svmlight_file must be False: query ids are skipped.")
    if zero_based not in (True, False, "auto"):
        raise ValueError(f"The 'zero_based' parameter of load_svmlight_file must be a bool or 'auto'. Got {zero_based!r}.")
    if (offset != 0 or length > 0) and zero_based == "auto":
        zero_based = True  # a part of a file cannot tell; as scikit-learn does
    base = None if zero_based == "auto" else 0 if zero_based else 1
    if isinstance(f, (str, os.PathLike)) and offset == 0 and length <= 0:
        read = _core.read_svmlight(os.fspath(f), None, "", base, 0)
    else:
        text = _bytes_of(f, offset, length)
        if offset != 0 and not text.strip():  # a part without a line of its own
            return sparse.csr_matrix((0, n_features or 0), dtype=dtype), [] if multilabel else np.empty(0)
        read = _core.read_svmlight(None, text, "the data", base, 0)
    if read["raised"] is not None:
        raise read["raised"]
    X = _matrix(read, n_features)
    if X.dtype != dtype:
        X = X.astype(dtype)
    return X, _labels(read, multilabel)


def _bytes_of(f: Any, offset: int, length: int) -> bytes:
    """Returns the lines that begin after offset, up to offset + length."""
    if isinstance(f, (str, os.PathLike)):
        with open(f, "rb") as file:
            return _lines(file, offset, length)
    if isinstance(f, int):
        with os.fdopen(f, "rb", closefd=False) as file:
            return _lines(file, offset, length)
    return _lines(f, offset, length)


def _lines(file: BinaryIO, offset: int, length: int) -> bytes:
    if offset == 0 and length <= 0:
        return file.read()
    file.seek(offset)
    if offset > 0:
        file.readline()  # belongs to the part before
    if length <= 0:
        return file.read()
    left = offset + length - file.tell()
    if left <= 0:
        return b""
    return file.read(left) + file.readline()


def _matrix(read: dict[str, Any], n_features: int | None) -> sparse.csr_matrix:
    features = read["features"]
    X = csr_matrix(read["rows"], features)
    seen = read["seen"]
    if seen is not None:  # only the indices that occur have a column yet
        columns = seen.astype(np.int64) - read["index_base"]
        features = int(columns[-1]) + 1
        X = sparse.csr_matrix((X.data, columns[X.indices], X.indptr), shape=(X.shape[0], features))
    if n_features is None or n_features == features:
        return X
    if n_features < features:
        raise ValueError(f"n_features was set to {n_features}, but input file contains {features} features")
    return sparse.csr_matrix((X.data, X.indices, X.indptr), shape=(X.shape[0], n_features))


def _labels(read: dict[str, Any], multilabel: bool) -> Any:
    labels = read["labels"]
    words = read["label_words"]
    if not multilabel:
        if not words:
            return labels
        if read["multilabel"]:
            raise ValueError("rows have several labels; pass multilabel=True")
        return np.array(words)[labels.astype(np.int64)]
    if not words:
        return [() if np.isnan(one) else (float(one),) for one in labels]
    sets = [tuple(float(one) for one in word.split(",")) for word in words]
    return [() if np.isnan(one) else sets[int(one)] for one in labels]


def dump_svmlight_file(
    X: Any,
    y: Any,
    f: Any,
    *,
    zero_based: bool = True,
    comment: str | bytes | None = None,
    query_id: Any = None,
    multilabel: bool = False,
) -> None:
    """Writes rows and labels as an svmlight file, with the fewest digits that read back the same.

    The parameters are those of ``sklearn.datasets.dump_svmlight_file``. Values are written as
    float32. ``query_id`` and ``multilabel`` are not supported.

    >>> import io
    >>> from pegasos import dump_svmlight_file
    >>> file = io.BytesIO()
    >>> dump_svmlight_file([[0.5, 0, 2]], [1], file, zero_based=False)
    >>> file.getvalue()
    b'1 1:0.5 3:2\\n'
    """
    if query_id is not None:
        raise ValueError("The 'query_id' parameter of dump_svmlight_file must be None: query ids are not written.")
    if multilabel:
        raise ValueError("The 'multilabel' parameter of dump_svmlight_file must be False.")
    X = check_array(X, accept_sparse="csr", dtype=np.float32, order="C")
    y = check_array(y, ensure_2d=False, dtype=np.float64)
    if y.ndim != 1:
        raise ValueError(f"expected y of shape (n_samples,), got {y.shape!r}")
    if y.shape[0] != X.shape[0]:
        raise ValueError(f"X.shape[0] and y.shape[0] should be the same, got {X.shape[0]!r} and {y.shape[0]!r} instead.")
    data = dataset(X, y)
    base = 0 if zero_based else 1
    if isinstance(f, (str, os.PathLike)) and not comment:
        _core.write_svmlight(data, os.fspath(f), base, False, 0)
        return
    with tempfile.TemporaryDirectory() as folder:
        rows = os.path.join(folder, "rows")
        _core.write_svmlight(data, rows, base, False, 0)
        if isinstance(f, (str, os.PathLike)):
            with open(f, "wb") as file:
                _copy(rows, file, comment)
        else:
            _copy(rows, f, comment)


def _copy(rows: str, file: BinaryIO, comment: str | bytes | None) -> None:
    if comment:
        text = comment.decode("ascii") if isinstance(comment, bytes) else comment
        if "\0" in text:
            raise ValueError("comment string contains NUL byte")
        file.write("".join(f"# {line}\n" for line in text.splitlines()).encode("utf-8"))
    with open(rows, "rb") as source:
        shutil.copyfileobj(source, file)
