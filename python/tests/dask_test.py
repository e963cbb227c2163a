"""Training over the processes of a real LocalCluster. They skip where Dask is missing: scripts/setup dask."""

import os
import pickle
import signal
import threading
import time

import numpy as np
import pytest

distributed = pytest.importorskip("distributed")
dask = pytest.importorskip("dask")
import dask.array
import dask.bag
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import load_iris, make_classification, make_regression
from sklearn.exceptions import ConvergenceWarning

from pegasos import PegasosClassifier, PegasosRegressor
from pegasos.dask import DaskPegasosClassifier, DaskPegasosRegressor, WorkerGone

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning")


@pytest.fixture(scope="module")
def client():
    with dask.config.set({"distributed.worker.daemon": False, "distributed.comm.timeouts.connect": "20s"}):
        with distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None, silence_logs=50
        ) as cluster, distributed.Client(cluster) as client:
            yield client


@pytest.fixture(scope="module")
def rows():
    X, y = make_classification(3000, 20, n_informative=10, flip_y=0.1, random_state=0)
    return X.astype(np.float32), np.where(y > 0, "yes", "no")


def spread(client, X, y, parts=4):
    """Collections whose partitions lie on all workers."""
    length = -(-len(X) // parts)
    return client.persist([dask.array.from_array(X, chunks=(length, -1)), dask.array.from_array(y, chunks=length)])


def test_arrays_are_learned_from_where_they_are(client, rows):
    X, y = rows
    dX, dy = spread(client, X, y)
    distributed.wait([dX, dy])
    before = client.who_has(dX)
    model = DaskPegasosClassifier(C=0.1, tol=1e-6, random_state=0).fit(dX, dy)
    assert client.who_has(dX) == before
    alone = PegasosClassifier(C=0.1, tol=1e-6, random_state=0).fit(X, y)
    assert model.gap_ <= 1e-6 and list(model.classes_) == ["no", "yes"]
    assert model.objective_ == pytest.approx(alone.objective_, rel=2e-6)
    assert model.dual_ <= alone.objective_ * (1 + 1e-12)
    np.testing.assert_allclose(model.coef_, alone.coef_, atol=1e-3)
    # The certificate is one of all rows: it is proven again on one machine.
    assert model.verify(X, y).finding == "holds"
    answers = model.predict(dX)
    assert dask.is_dask_collection(answers)
    np.testing.assert_array_equal(answers.compute(), model.predict(X))
    assert model.score(dX, dy) == model.score(X, y)
    np.testing.assert_array_equal(model.decision_function(dX).compute(), model.decision_function(X))
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.coef_, model.coef_)


def test_a_run_repeats_to_the_bit(client, rows):
    dX, dy = spread(client, *rows)
    models = [DaskPegasosClassifier(random_state=0).fit(dX, dy) for _ in range(2)]
    np.testing.assert_array_equal(models[0].coef_, models[1].coef_)


def test_bags_of_csr_partitions(client):
    rng = np.random.default_rng(0)
    parts = [sparse.random(400, 5000, density=0.01, format="csr", dtype=np.float32, random_state=k) for k in range(4)]
    truth = rng.normal(size=5000)
    labels = [np.sign(part @ truth) for part in parts]
    dX = dask.bag.from_sequence(parts, npartitions=4)
    dy = dask.bag.from_sequence(labels, npartitions=4)
    model = DaskPegasosClassifier(tol=1e-4, random_state=0).fit(dX, dy)
    alone = PegasosClassifier(tol=1e-4, random_state=0).fit(sparse.vstack(parts, format="csr"), np.concatenate(labels))
    assert model.gap_ <= 1e-4
    assert model.objective_ == pytest.approx(alone.objective_, rel=2e-4)
    np.testing.assert_array_equal(np.concatenate(model.predict(dX).compute()), model.predict(sparse.vstack(parts)))
    assert model.score(dX, dy) == alone.score(sparse.vstack(parts, format="csr"), np.concatenate(labels))


def test_data_frames_classes_and_weights(client):
    pandas = pytest.importorskip("pandas")
    frames = pytest.importorskip("dask.dataframe")
    X, y = load_iris(return_X_y=True, as_frame=True)
    X["kind"] = pandas.Categorical(np.where(np.arange(150) % 3 == 0, "a", "b"))
    weights = pandas.Series(1.0 + np.arange(150) % 2)
    order = np.random.default_rng(0).permutation(150)
    X, y, weights = (one.iloc[order].reset_index(drop=True) for one in (X, y, weights))
    dX, dy, dw = (frames.from_pandas(one, npartitions=3) for one in (X, y, weights))
    parameters = {"tol": 1e-4, "class_weight": "balanced", "random_state": 0}
    model = DaskPegasosClassifier(**parameters).fit(dX, dy, sample_weight=dw)
    alone = PegasosClassifier(**parameters).fit(X, y, sample_weight=weights)
    assert list(model.feature_names_in_) == list(X.columns) and model.coef_.shape == (3, 6)
    for ours, theirs in zip(model.certificate_.classifiers, alone.certificate_.classifiers):
        assert ours.objective == pytest.approx(theirs.objective, rel=2e-4)
    assert model.certificate_.within(1e-4)
    np.testing.assert_array_equal(model.predict(dX).compute().to_numpy(), model.predict(X))


def test_regression(client):
    X, y = make_regression(500, 10, noise=1.0, random_state=0)
    dX, dy = spread(client, X.astype(np.float32), y)
    model = DaskPegasosRegressor(C=1.0, tol=1e-5, bias="unregularised", random_state=0).fit(dX, dy)
    assert model.gap_ <= 1e-5
    assert model.score(dX, dy) > 0.99
    assert model.score(dX, dy) == pytest.approx(PegasosRegressor.score(model, X, y))


def test_rows_in_memory_are_as_ever(client, rows):
    X, y = rows
    model = DaskPegasosClassifier(random_state=0).fit(X, y)
    np.testing.assert_array_equal(model.coef_, PegasosClassifier(random_state=0).fit(X, y).coef_)
    assert clone(model).get_params() == model.get_params()


def test_what_cannot_be_done_is_said(client, rows):
    dX, dy = spread(client, *rows)
    with pytest.raises(ValueError, match="kernel machines are trained in one process"):
        DaskPegasosClassifier(kernel="rbf").fit(dX, dy)
    with pytest.raises(ValueError, match="'callback' parameter"):
        DaskPegasosClassifier(callback=print).fit(dX, dy)
    with pytest.raises(ValueError, match="'C' parameter"):
        DaskPegasosClassifier(C=-1).fit(dX, dy)
    with pytest.raises(TypeError, match=r"X.compute\(\)"):
        DaskPegasosClassifier().fit(dX, dy).verify(dX, dy)
    with pytest.raises(ValueError, match="partitions"):
        DaskPegasosClassifier().fit(dX, dask.bag.from_sequence([1, 2], npartitions=2))
    X, y = rows
    bad, dy = spread(client, np.where(np.arange(len(X))[:, None] == 2900, np.nan, X), y)
    with pytest.raises(ValueError, match="contains NaN"):
        DaskPegasosClassifier().fit(bad, dy)


def _kill_a_worker(client):
    """Kills one of the workers that train, as soon as one does."""

    def training():
        return [worker for worker, keys in client.processing().items() if any("pegasos-" in str(key) for key in keys)]

    def run():
        while not (workers := training()):
            time.sleep(0.02)
        ((_, pid),) = client.run(os.getpid, workers=workers[:1]).items()
        os.kill(pid, signal.SIGKILL)

    thread = threading.Thread(target=run)
    thread.start()
    return thread


def test_a_worker_that_dies_is_retried_or_reported(client, rows):
    X, y = rows
    # The rows come from a graph, so that Dask can make those of the lost worker again.
    dX, dy = dask.array.from_array(X, chunks=(750, -1)), dask.array.from_array(y, chunks=750)
    slow = {"solver": "pegasos", "tol": 1e-12, "max_iter": 10**6, "random_state": 0}
    model = DaskPegasosClassifier(max_time=2.0, **slow)
    killer = _kill_a_worker(client)
    with pytest.warns(ConvergenceWarning):  # the gap is wide after so little time
        model.fit(dX, dy)
    killer.join()
    assert model.ending_ == "out of time"
    assert model.predict(X).shape == y.shape

    model = DaskPegasosClassifier(max_time=30.0, **slow)
    model.retries = 0
    killer = _kill_a_worker(client)
    begin = time.monotonic()
    with pytest.raises(WorkerGone):
        model.fit(dX, dy)
    killer.join()
    assert not hasattr(model, "coef_")
    assert time.monotonic() - begin < 25
