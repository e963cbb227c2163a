"""Training on the workers of a Dask cluster: every worker runs the ordinary solver on its own rows.

>>> from pegasos.dask import DaskPegasosClassifier    # doctest: +SKIP
>>> model = DaskPegasosClassifier(C=10).fit(X, y)     # doctest: +SKIP

X is a Dask array, a Dask DataFrame, or a bag whose partitions hold CSR matrices; y and the row weights are partitioned
in the same way. Rows stay on their workers; only sums over rows are sent. The result is an ordinary estimator with one
model and one certificate.
"""

from __future__ import annotations

import time
import uuid
import warnings
from typing import Any, Callable, Iterable, NamedTuple, Sequence

import dask
import numpy as np
from distributed import Client, Future, KilledWorker, default_client, get_worker, wait
from numpy.typing import NDArray
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.metaestimators import available_if

from ._base import seed_of
from ._frames import columns_of
from ._ranks import Ranks, WorkerGone, close_meeting, open_meeting
from .estimators import PegasosClassifier, PegasosRegressor, _has_probabilities

__all__ = ["DaskPegasosClassifier", "DaskPegasosRegressor", "WorkerGone"]

# When one rank fails the others do so too; the one that knows why may be a little later.
_SECONDS_FOR_THE_REASON = 5.0
# A task whose only worker was lost waits for ever, so the workers are checked at this interval.
_SECONDS_BETWEEN_LOOKS = 1.0


class Part(NamedTuple):
    """The rows of one partition, on their worker."""

    rows: Any
    labels: NDArray[Any]
    weights: NDArray[Any] | None


class Description(NamedTuple):
    """What the client needs to know about a partition."""

    rows: int
    features: int
    names: list[str] | None
    classes: NDArray[Any] | None
    counts: NDArray[Any] | None


# ---- on the workers ----


def _stacked(blocks: Any) -> Any:
    """Concatenates the matrices of a partition of a bag; a single matrix is not copied."""
    if not isinstance(blocks, (list, tuple)) and not hasattr(blocks, "__next__"):
        return blocks
    blocks = list(blocks)
    if len(blocks) == 1:
        return blocks[0]
    if all(sparse.issparse(block) for block in blocks):
        return sparse.vstack(blocks, format="csr") if blocks else sparse.csr_matrix((0, 0), dtype=np.float32)
    if hasattr(blocks[0], "iloc"):
        import pandas

        return pandas.concat(blocks)
    return np.concatenate(blocks) if np.ndim(blocks[0]) else np.asarray(blocks)


def _make_part(rows: Any, labels: Any, weights: Any = None) -> Part:
    rows, labels = _stacked(rows), np.asarray(_stacked(labels))
    if rows.shape[0] != labels.shape[0]:
        raise ValueError(f"a partition of X has {rows.shape[0]} rows, that of y {labels.shape[0]}")
    return Part(rows, labels, None if weights is None else np.asarray(_stacked(weights), dtype=np.float64))


def _describe(part: Part, classifies: bool) -> Description:
    names = [str(name) for name in part.rows.columns] if hasattr(part.rows, "columns") else None
    columns = columns_of(part.rows)
    if columns is not None:
        names = columns.expanded_names()  # partitions with other categories would have other features
    classes, counts = np.unique(part.labels, return_counts=True) if classifies else (None, None)
    return Description(part.rows.shape[0], part.rows.shape[1], names, classes, counts)


def _train_rank(
    parts: list[Part], kind: type, parameters: dict[str, Any], classes: NDArray[Any] | None, place: tuple[str, str, int, int]
) -> tuple[Any, NDArray[Any]]:
    """Trains on the rows of this worker; rank 0 returns the estimator, every rank the weights."""
    name, address, rank, size = place
    ranks = Ranks(name, address, rank, size)
    try:
        estimator = kind(**parameters)
        if estimator.n_jobs is None:
            estimator.n_jobs = int(get_worker().state.nthreads)
        estimator._ranks, estimator._known_classes = ranks, classes
        weights = None if parts[0].weights is None else np.concatenate([part.weights for part in parts])
        rows = _stacked([part.rows for part in parts])
        labels = np.concatenate([part.labels for part in parts])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            estimator.fit(rows, labels, sample_weight=weights)
    finally:
        ranks.close()
    del estimator._ranks, estimator._known_classes
    return (estimator if rank == 0 else None), np.append(estimator.coef_, estimator.intercept_)


def _answers_of(model: Any, method: str, rows: Any) -> NDArray[Any]:
    return np.asarray(getattr(model, method)(_stacked(rows)))


# ---- on the client ----


def _is_collection(X: Any) -> bool:
    return bool(dask.is_dask_collection(X))


def _partitions(collection: Any, like: Any = None) -> list[Any]:
    """Returns the partitions of a collection, with the same rows in each as in another one."""
    if hasattr(collection, "chunks"):  # an array
        if collection.ndim == 2 and collection.numblocks[1] > 1:
            collection = collection.rechunk({1: -1})
        if like is not None and hasattr(like, "chunks") and not np.isnan(like.chunks[0]).any():
            collection = collection.rechunk({0: like.chunks[0]})
    return list(np.ravel(np.array(collection.to_delayed(), dtype=object)))


def _parts(client: Client, X: Any, y: Any, sample_weight: Any) -> list[Future]:
    """Returns one future per partition, computed where its rows are."""
    rows = _partitions(X)
    columns = [rows, _partitions(y, X)] + ([] if sample_weight is None else [_partitions(sample_weight, X)])
    if any(len(column) != len(rows) for column in columns):
        raise ValueError(f"X has {len(rows)} partitions; y and sample_weight must be divided in the same way")
    # All at once, since they may have tasks in common. Some releases of Dask hand delayed functions the keys of
    # persisted blocks instead of their values, so the parts are made from futures.
    computed = iter(client.compute([one for column in columns for one in column]))
    futures = [[next(computed) for _ in rows] for _ in columns]
    return [client.submit(_make_part, *one, pure=False) for one in zip(*futures)]


def _agree(described: Sequence[Description]) -> tuple[NDArray[Any] | None, NDArray[Any] | None]:
    """Returns the classes of all partitions and their row counts; rejects different columns."""
    if not described:
        raise ValueError("Found array with 0 sample(s) while a minimum of 1 is required.")
    first = described[0]
    for one in described[1:]:
        if one.features != first.features or one.names != first.names:
            raise ValueError("partitions of X have different columns")
    if first.classes is None:
        return None, None
    classes, places = np.unique(np.concatenate([one.classes for one in described]), return_inverse=True)
    counts = np.bincount(places, weights=np.concatenate([one.counts for one in described]))
    return classes, counts


def _rows_by_worker(client: Client, parts: Iterable[Future]) -> list[tuple[str, list[Future]]]:
    """Returns the partitions of each worker, in a fixed order."""
    where = client.who_has(list(parts))
    groups: dict[str, list[Future]] = {}
    for part in parts:
        holders = sorted(where.get(part.key, ()))
        if not holders:
            raise WorkerGone("the rows of a lost worker are not available yet")
        groups.setdefault(holders[0], []).append(part)
    return sorted(groups.items())


def _results(client: Client, futures: list[Future], workers: list[str]) -> list[Any]:
    """Returns the results of the ranks, or raises the error that caused the others."""
    looked = time.monotonic()
    gone: BaseException | None = None
    while gone is None and not all(future.status == "finished" for future in futures):
        time.sleep(0.05)
        if any(future.status not in ("pending", "finished") for future in futures):
            gone = WorkerGone("a worker no longer takes part")
        elif time.monotonic() > looked + _SECONDS_BETWEEN_LOOKS:
            looked = time.monotonic()
            missing = set(workers) - set(client.scheduler_info()["workers"])
            if missing:
                gone = WorkerGone(f"the worker {min(missing)} was lost")
    if gone is None:
        return [future.result() for future in futures]
    until = time.monotonic() + _SECONDS_FOR_THE_REASON
    while time.monotonic() < until and not all(future.done() for future in futures):
        time.sleep(0.05)
    for future in futures:
        problem = future.exception() if future.status == "error" else None
        if problem is not None and not isinstance(problem, (WorkerGone, KilledWorker)):
            raise problem
    raise gone


def _train_once(client: Client, parts: list[Future], kind: type, parameters: dict[str, Any], classes: Any) -> Any:
    wait(parts)
    groups = _rows_by_worker(client, parts)
    name = uuid.uuid4().hex
    size = len(groups)
    lead = groups[0][0]
    try:
        address = client.run(open_meeting, name, size, workers=[lead])[lead]
    except (OSError, KeyError) as problem:
        raise WorkerGone(f"the worker {lead} cannot be reached: {problem}") from problem
    futures: list[Future] = []
    try:
        for rank, (worker, own) in enumerate(groups):
            place = (name, address, rank, size)
            futures.append(
                client.submit(
                    _train_rank, own, kind, parameters, classes, place,
                    workers=[worker], allow_other_workers=False, pure=False, retries=0, key=f"pegasos-{name}-{rank}",
                )
            )  # fmt: skip
        results = _results(client, futures, [worker for worker, _ in groups])
    except BaseException:
        for future in futures:
            future.cancel(force=True)
        _forget(client, name, lead)
        raise
    weights = [own.tobytes() for _, own in results]
    if any(one != weights[0] for one in weights):
        raise RuntimeError("the workers trained different models")
    return results[0][0]


def _forget(client: Client, name: str, lead: str) -> None:
    """Closes the connections of a failed training run; a lost worker has none."""
    if lead not in client.scheduler_info()["workers"]:
        return
    try:
        client.run(close_meeting, name, workers=[lead])
    except (OSError, KeyError, ValueError):
        pass


class _OverWorkers:
    """fit and predict for collections; everything else works as for rows in memory."""

    #: How often training starts again after a worker is lost. Dask recomputes its rows on another worker.
    retries = 2

    _client: Client | None = None

    @property
    def client(self) -> Client:
        """The client of the cluster: the one that was set, or Dask's default."""
        return self._client if self._client is not None else default_client()

    @client.setter
    def client(self, client: Client | None) -> None:
        self._client = client

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        """Fits the model to Dask collections without moving their rows; rows in memory work as usual."""
        own: Any = self
        if not _is_collection(X):
            return super().fit(X, y, sample_weight)  # type: ignore[misc]
        own._options()  # a bad parameter is refused before the data is looked at
        client, kind = self.client, self._local_kind()
        classifies = kind is PegasosClassifier
        parts = _parts(client, X, y, sample_weight)
        described = client.gather(client.map(_describe, parts, classifies=classifies, pure=False))
        filled = [part for part, one in zip(parts, described) if one.rows > 0]
        classes, counts = _agree([one for one in described if one.rows > 0])
        parameters = self._parameters(classes, counts)
        for attempt in range(self.retries + 1):
            try:
                trained = _train_once(client, filled, kind, parameters, classes)
                break
            except WorkerGone:
                if attempt == self.retries:
                    raise
        fitted = {key: value for key, value in vars(trained).items() if key not in own.get_params(deep=False)}
        own.__dict__.update(fitted)
        own._warn_unless_proven({"ending": own.ending_}, own._tolerance)  # workers warn where nobody looks
        return self

    def _local_kind(self) -> type:
        return next(kind for kind in (PegasosClassifier, PegasosRegressor) if isinstance(self, kind))

    def _parameters(self, classes: NDArray[Any] | None, counts: NDArray[Any] | None) -> dict[str, Any]:
        """Returns the parameters for every rank; whatever depends on all rows is determined here."""
        own: Any = self
        parameters = dict(own.get_params(deep=False))
        for name in ("callback", "warm_start", "verbose"):
            if parameters[name]:
                raise ValueError(f"The {name!r} parameter of {type(self).__name__} is for rows in memory. Got {parameters[name]!r}.")
        parameters["random_state"] = seed_of(parameters["random_state"])
        if parameters.get("class_weight") == "balanced" and classes is not None and counts is not None:
            share = counts.sum() / (len(classes) * counts)
            parameters["class_weight"] = dict(zip(classes.tolist(), share.tolist()))
        return parameters

    def _local(self) -> Any:
        """Returns this estimator as an ordinary one, small enough to send with every task."""
        own: Any = self
        local = self._local_kind()(**own.get_params(deep=False))
        local.__dict__.update({key: value for key, value in vars(own).items() if key != "_client"})
        return local

    def _lazily(self, method: str, X: Any) -> Any:
        """Applies the method to every partition and returns a collection like X; rows in memory are handled at once."""
        if not _is_collection(X):
            return getattr(super(), method)(X)
        own: Any = self
        local = self._local()
        sample = np.asarray(getattr(local, method)(self._some_rows()))
        if hasattr(X, "chunks"):
            if X.numblocks[1] > 1:
                X = X.rechunk({1: -1})
            shape: dict[str, Any] = {"drop_axis": 1} if sample.ndim == 1 else {"chunks": (X.chunks[0], (sample.shape[1],))}
            return X.map_blocks(_block_answers, local, method, dtype=sample.dtype, meta=sample[:0], **shape)
        if hasattr(X, "dtypes"):
            import pandas

            meta = pandas.Series(sample[:0]) if sample.ndim == 1 else pandas.DataFrame(sample[:0])
            return X.map_partitions(_frame_answers, local, method, meta=meta)
        return X.map_partitions(lambda rows: [_answers_of(local, method, rows)])

    def _some_rows(self) -> Any:
        own: Any = self
        rows = np.zeros((1, own.n_features_in_), dtype=np.float32)
        names = getattr(own, "feature_names_in_", None)
        if names is None:
            return rows
        import pandas

        return pandas.DataFrame(rows, columns=names)

    def _only_in_memory(self, what: str, X: Any) -> None:
        if _is_collection(X):
            raise TypeError(f"{what} is for rows in memory, and X is a Dask collection; pass X.compute()")

    def predict(self, X: Any) -> Any:
        """Returns predictions; for a Dask collection, a lazy collection."""
        return self._lazily("predict", X)

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Returns accuracy or R^2; labels and predictions of a collection are sent to the client, its rows are not."""
        if not _is_collection(X):
            return float(super().score(X, y, sample_weight))  # type: ignore[misc]
        from sklearn.metrics import accuracy_score, r2_score

        answers, truth, weights = (
            None if one is None else np.concatenate([np.atleast_1d(_stacked(part)) for part in dask.compute(*_partitions(one))])
            for one in (self.predict(X), y, sample_weight)
        )
        measure = accuracy_score if self._local_kind() is PegasosClassifier else r2_score
        return float(measure(truth, answers, sample_weight=weights))

    def verify(self, X: Any, y: Any, sample_weight: Any = None, *, tol: float = 1e-3) -> Any:
        """Re-proves the certificate; for rows in memory only."""
        self._only_in_memory("verify", X)
        return super().verify(X, y, sample_weight, tol=tol)  # type: ignore[misc]

    def __getstate__(self) -> dict[str, Any]:
        state = dict(super().__getstate__())  # type: ignore[misc]
        state.pop("_client", None)
        return state


def _block_answers(block: Any, model: Any, method: str) -> NDArray[Any]:
    return _answers_of(model, method, block)


def _frame_answers(frame: Any, model: Any, method: str) -> Any:
    import pandas

    answers = _answers_of(model, method, frame) if len(frame) else np.empty(0)
    kind: Callable[..., Any] = pandas.Series if answers.ndim == 1 else pandas.DataFrame
    return kind(answers, index=frame.index)


class DaskPegasosClassifier(_OverWorkers, PegasosClassifier):
    """PegasosClassifier on the workers of a Dask cluster.

    The parameters are those of PegasosClassifier. Supports linear models and kernel approximations
    (``approximation='rff'`` or ``'tensorsketch'`` with a numeric ``gamma``); several classes are trained one-vs-rest.
    ``n_jobs`` is the number of threads per worker, by default those of the worker. Set ``client`` to use another client
    than Dask's default.
    """

    def decision_function(self, X: Any) -> Any:
        """Returns the scores of rows; for a Dask collection, a lazy collection."""
        return self._lazily("decision_function", X)

    @available_if(_has_probabilities)  # type: ignore[misc]
    def predict_proba(self, X: Any) -> Any:
        """Returns the probabilities of the logistic loss."""
        return self._lazily("predict_proba", X)


class DaskPegasosRegressor(_OverWorkers, PegasosRegressor):
    """PegasosRegressor on the workers of a Dask cluster; see DaskPegasosClassifier."""
