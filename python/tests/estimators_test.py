"""The estimators against scikit-learn, NumPy and their own certificates."""

import copy
import functools
import os
import pathlib
import pickle
import re
import signal
import subprocess
import sys
import threading
import time

import joblib
import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import load_breast_cancer, load_diabetes, load_digits, load_iris, make_classification
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import pegasos
from pegasos import PegasosClassifier, PegasosRegressor


@pytest.fixture(scope="module")
def two_classes():
    X, y = make_classification(400, 12, random_state=3)
    return X.astype(np.float32), y


def objective(model, X, y, C):
    """The hinge objective of a linear model with its regularised bias, divided by C m."""
    score = X.astype(np.float64) @ model.coef_[0] + model.intercept_[0]
    loss = np.maximum(0, 1 - (2 * y - 1) * score).mean()
    return (model.coef_[0] @ model.coef_[0] + model.intercept_[0] ** 2) / (2 * C * len(y)) + loss


def test_certificate_is_that_of_the_weights(two_classes):
    X, y = two_classes
    model = PegasosClassifier(C=2.0, tol=1e-5, random_state=0).fit(X, y)
    assert model.objective_ == pytest.approx(objective(model, X, y, 2.0), rel=1e-9)
    assert model.dual_ <= model.objective_ <= model.dual_ * (1 + 1.1e-5)
    assert model.gap_ <= 1e-5
    assert model.certificate_.within(1e-5)
    assert model.lambda_ == pytest.approx(1 / (2.0 * len(y)))
    assert (model.decision_function(X) == pytest.approx(X @ model.coef_[0] + model.intercept_[0], abs=1e-5))


@pytest.mark.parametrize("kernel", [None, "rbf"])
@pytest.mark.parametrize("classes", [2, 3])
def test_verify_proves_it_anew_and_finds_a_lie(kernel, classes):
    X, y = load_iris(return_X_y=True)
    X, y = X[y < classes] + 0.01, y[y < classes]
    model = PegasosClassifier(kernel=kernel, random_state=0).fit(X, y)
    found = model.verify(X, y)
    assert found and found.same_data
    assert not model.verify(X[:, ::-1], y)


def test_history_tells_the_course_of_training(two_classes):
    X, y = two_classes
    model = PegasosClassifier(random_state=0).fit(X, y)
    assert model.history_["objective"][-1] == pytest.approx(model.objective_)
    assert np.all(np.diff(model.history_["seconds"]) >= 0)
    assert model.history_["epoch"][-1] == model.n_iter_


def test_layouts_and_types_give_the_same_model(two_classes, tmp_path):
    X, y = two_classes
    expected = PegasosClassifier(random_state=0).fit(X, y).coef_
    wide = sparse.csr_matrix(X)
    wide.indices = wide.indices.astype(np.int64)
    wide.indptr = wide.indptr.astype(np.int64)
    np.save(tmp_path / "X.npy", X)
    for other in (X.astype(np.float64), np.asfortranarray(X), np.load(tmp_path / "X.npy", mmap_mode="r")):
        np.testing.assert_array_equal(PegasosClassifier(random_state=0).fit(other, y).coef_, expected)
    for other in (sparse.csr_matrix(X), wide, sparse.csc_matrix(X), sparse.coo_matrix(X)):
        np.testing.assert_allclose(PegasosClassifier(random_state=0, tol=1e-7).fit(other, y).coef_, expected, atol=0.05)


def test_float32_is_used_in_place():
    X = np.zeros((1000, 1000), dtype=np.float32)
    matrix = sparse.random(2000, 3000, 0.05, "csr", np.float32, random_state=0)
    for rows in (X, matrix):
        held = pegasos._arrays.dataset(rows)
        shared = rows if rows is X else rows.data
        assert sys.getrefcount(shared) > 2  # borrowed
        assert held.rows == rows.shape[0]
    # A Dataset of a matrix that changes sees the change, so there is no copy.
    held = pegasos._arrays.dataset(X[:2, :3].copy())
    assert held.features == 3
    code = """
import resource, numpy as np, sys
from scipy import sparse
from pegasos import PegasosClassifier
rng = np.random.default_rng(0)
indices = np.tile(np.arange(0, 20000, 50, dtype=np.int32), 10000)
X = sparse.csr_matrix((np.ones(4_000_000, np.float32), indices, np.arange(0, 4_000_001, 400)), shape=(10000, 20000))
X.has_sorted_indices, X.has_canonical_format
y = rng.integers(0, 2, X.shape[0])
PegasosClassifier(max_iter=1, tol=10.0).fit(X[:100], y[:100])
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
PegasosClassifier(max_iter=1, tol=10.0).fit(X, y)
grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * 1024
print(grown / (X.data.nbytes + X.indices.nbytes))
"""
    ran = subprocess.run([sys.executable, "-W", "ignore", "-c", code], capture_output=True, text=True, check=True)
    assert float(ran.stdout) < 0.5


def test_unsorted_and_doubled_indices_are_put_in_order():
    X = sparse.csr_matrix(
        (np.array([1, 2, 3, 1], np.float32), np.array([2, 0, 0, 1]), np.array([0, 3, 4])), shape=(2, 3)
    )
    before = X.indices.copy()
    model = PegasosClassifier().fit(X, [0, 1])
    np.testing.assert_array_equal(X.indices, before)
    np.testing.assert_allclose(model.coef_, PegasosClassifier().fit(X.toarray(), [0, 1]).coef_, atol=1e-6)


@pytest.mark.parametrize("names", [[0, 1], [-1, 1], ["ham", "spam"], [False, True], [10**17, 10**17 + 16]])
def test_any_class_labels(two_classes, names, tmp_path):
    X, y = two_classes
    labels = np.array(names)[y]
    model = PegasosClassifier(random_state=0).fit(X, labels)
    assert list(model.classes_) == sorted(names)
    assert set(model.predict(X)) <= set(names)
    assert model.score(X, labels) > 0.8
    assert model.verify(X, labels)
    if names in ([-1, 1], ["ham", "spam"]):
        model.save(tmp_path / "model")
        np.testing.assert_array_equal(PegasosClassifier.load(tmp_path / "model").predict(X), model.predict(X))


@pytest.mark.parametrize("class_weight", [None, "balanced", {1: 7.0}])
@pytest.mark.parametrize("how", ["logistic", "platt", "isotonic", "platt-3", "ovo"])
def test_probabilities_never_contradict_predictions(how, class_weight):
    if how == "logistic" and class_weight is not None:
        pytest.skip("the logistic loss has probabilities of its own, without class weights")
    X, y = load_iris(return_X_y=True)
    X, y = X[:130], y[:130]
    if how in ("logistic", "platt", "isotonic"):
        X, y = X[y > 0][:, :2], y[y > 0]
    parameters = {"loss": "logistic"} if how == "logistic" else {"probability": "platt" if how != "isotonic" else how}
    if how == "ovo":
        parameters["kernel"] = "rbf"
    model = PegasosClassifier(random_state=0, class_weight=class_weight, **parameters).fit(X, y)
    probability = model.predict_proba(X)
    np.testing.assert_allclose(probability.sum(axis=1), 1)
    np.testing.assert_array_equal(model.classes_[probability.argmax(axis=1)], model.predict(X))
    with np.errstate(divide="ignore"):
        np.testing.assert_allclose(model.predict_log_proba(X), np.log(probability))


def test_no_probabilities_no_method(two_classes):
    assert not hasattr(PegasosClassifier(), "predict_proba")
    assert hasattr(PegasosClassifier("logistic"), "predict_proba")


def test_class_weights_are_row_weights(two_classes):
    X, y = two_classes
    by_class = PegasosClassifier(class_weight={0: 1, 1: 5}, tol=1e-9, random_state=0).fit(X, y)
    by_row = PegasosClassifier(tol=1e-9, random_state=0).fit(X, y, sample_weight=np.where(y == 1, 5.0, 1.0))
    np.testing.assert_allclose(by_class.coef_, by_row.coef_, atol=1e-4)
    words = np.array(["no", "yes"])[y]
    named = PegasosClassifier(class_weight={"no": 1, "yes": 5}, tol=1e-9, random_state=0).fit(X, words)
    np.testing.assert_allclose(named.coef_, by_class.coef_, atol=1e-4)


@pytest.mark.parametrize("kernel", ["rbf", "poly", "linear"])
@pytest.mark.parametrize("classes", [2, 4])
def test_support_vectors_make_the_decision(kernel, classes):
    X, y = load_digits(return_X_y=True)
    X, y = (X[y < classes] / 16)[:300].astype(np.float32), y[y < classes][:300]
    model = PegasosClassifier(kernel=kernel, gamma=0.1, random_state=0).fit(X, y)
    np.testing.assert_array_equal(model.support_vectors_, X[model.support_])
    assert model.n_support_.sum() == len(model.support_)
    assert list(y[model.support_]) == sorted(y[model.support_])
    if classes > 2:
        assert model.dual_coef_.shape == (classes - 1, len(model.support_))
        return
    product = model.support_vectors_.astype(np.float64) @ X.T
    if kernel == "rbf":
        squares = (X.astype(np.float64) ** 2).sum(axis=1)
        values = np.exp(-0.1 * (squares[model.support_][:, None] + squares - 2 * product))
    else:
        values = product if kernel == "linear" else (0.1 * product) ** 3
    np.testing.assert_allclose(model.dual_coef_[0] @ values, model.decision_function(X), atol=1e-4)


def test_kernel_as_a_function_and_as_a_matrix():
    X, y = load_breast_cancer(return_X_y=True)
    X = StandardScaler().fit_transform(X)[:200].astype(np.float32)
    y = y[:200]

    def linear(A, B):
        return np.asarray(A @ B.T)

    expected = PegasosClassifier(kernel="linear", tol=1e-6, random_state=0).fit(X, y).decision_function(X)
    called = PegasosClassifier(kernel=linear, tol=1e-6, random_state=0).fit(X, y)
    np.testing.assert_allclose(called.decision_function(X), expected, atol=2e-3)
    given = PegasosClassifier(kernel="precomputed", tol=1e-6, random_state=0).fit(linear(X, X), y)
    np.testing.assert_allclose(given.decision_function(linear(X, X)), expected, atol=2e-3)
    assert called.certificate_.within(1e-6)


@pytest.mark.parametrize(
    "model",
    [
        PegasosClassifier(random_state=0),
        PegasosClassifier(kernel="rbf", random_state=0),
        PegasosClassifier(kernel="rbf", approximation="nystroem", n_components=32, random_state=0),
        PegasosClassifier("logistic", scaling="standard", random_state=0),
        PegasosRegressor(random_state=0),
    ],
)
def test_pickle_joblib_copy_and_file(model, tmp_path):
    X, y = load_iris(return_X_y=True)
    model = clone(model).fit(X, y)
    joblib.dump(model, tmp_path / "model.joblib")
    for other in (pickle.loads(pickle.dumps(model)), copy.deepcopy(model), joblib.load(tmp_path / "model.joblib")):
        np.testing.assert_array_equal(other.predict(X), model.predict(X))
        assert other.certificate_ == model.certificate_
    model.save(tmp_path / "model")
    loaded = type(model).load(tmp_path / "model")
    np.testing.assert_array_equal(loaded.predict(X), model.predict(X))
    assert loaded.gap_ == model.gap_


def test_damaged_bytes_are_refused(two_classes):
    model = PegasosClassifier(random_state=0).fit(*two_classes)
    state = model.__getstate__()
    damaged = bytearray(state["_model"])
    damaged[len(damaged) // 2] ^= 1
    with pytest.raises(pegasos.CorruptFile):
        PegasosClassifier().__setstate__(state | {"_model": bytes(damaged)})
    with pytest.raises(FileNotFoundError):
        PegasosClassifier.load("/nowhere/model")


def test_files_of_liblinear_and_libsvm(two_classes, tmp_path):
    X, y = two_classes
    linear = PegasosClassifier(random_state=0).fit(X, y)
    linear.save(tmp_path / "linear", format="liblinear")
    np.testing.assert_array_equal(PegasosClassifier.load(tmp_path / "linear").predict(X), linear.predict(X))
    kernel = PegasosClassifier(kernel="rbf", random_state=0).fit(X, y)
    kernel.save(tmp_path / "kernel", format="libsvm")
    np.testing.assert_allclose(
        PegasosClassifier.load(tmp_path / "kernel").decision_function(X), kernel.decision_function(X), rtol=1e-4, atol=1e-5
    )
    with pytest.raises(ValueError, match="linear"):
        kernel.save(tmp_path / "other", format="liblinear")


def test_report_is_a_page(two_classes, tmp_path):
    X, y = two_classes
    model = PegasosClassifier(random_state=0).fit(X, y)
    model.report(tmp_path / "page.html", X, y, name="A name & more")
    page = (tmp_path / "page.html").read_text()
    assert page.lstrip().startswith("<!doctype html>") and len(page) > 10000
    model.report(tmp_path / "bare.html")
    assert len((tmp_path / "bare.html").read_text()) < len(page)


def test_names_of_a_data_frame():
    pandas = pytest.importorskip("pandas")
    X, y = load_iris(return_X_y=True, as_frame=True)
    model = PegasosClassifier(random_state=0).fit(X, y)
    assert list(model.feature_names_in_) == list(X.columns)
    with pytest.raises(ValueError, match="feature names"):
        model.predict(X[X.columns[::-1]])
    assert isinstance(X, pandas.DataFrame)


def test_events_and_an_early_end(two_classes):
    X, y = two_classes
    events = []
    PegasosClassifier(callback=events.append, random_state=0).fit(X, y)
    assert events and events[-1]["gap"] <= 1e-3
    model = PegasosClassifier(solver="pegasos", tol=0, max_iter=500, callback=lambda event: event["epoch"] >= 3).fit(X, y)
    assert model.n_iter_ == 3 and model.ending_ == "stopped"

    def raises(event):
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        PegasosClassifier(callback=raises).fit(X, y)


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int64, np.uint64, bool, np.float64, object, str])
def test_labels_are_those_of_unique(dtype):
    from pegasos._labels import RowClasses

    rng = np.random.default_rng(0)
    for low, high in ((0, 2), (-3, 4), (100, 128), (-128, 127), (0, 10**9)):
        if np.dtype(dtype).kind in "iu" and not np.iinfo(dtype).min <= low <= high <= np.iinfo(dtype).max:
            continue
        y = rng.integers(low, high, 1000).astype(dtype)
        found = RowClasses(y)
        classes, places = np.unique(y, return_inverse=True)
        np.testing.assert_array_equal(found.classes, classes)
        assert found.classes.dtype == classes.dtype
        np.testing.assert_array_equal(found.values(np.arange(len(classes)) / 4), places / 4)
        some, places = np.unique(y[::-2], return_inverse=True)
        np.testing.assert_array_equal(RowClasses(y[::-2]).values(np.arange(len(some)) / 4), places / 4)
        np.testing.assert_array_equal(RowClasses.among(classes, y[:3]).values(np.arange(len(classes)) / 4), np.searchsorted(classes, y[:3]) / 4)
    zeros = RowClasses(np.array([0.0, 1.0, -0.0, 1.0]))
    assert zeros.classes.tolist() == [0, 1] and zeros.values(np.array([5.0, 6.0])).tolist() == [5, 6, 5, 6]


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("classes", [2, 3])
def test_bad_values_are_found_in_scores(bad, classes):
    X, y = make_classification(400, 20, n_informative=10, n_classes=classes, random_state=0)
    X[:, 3] = 0  # a weight of zero hides nothing
    model = PegasosClassifier(random_state=0, scaling="maxabs" if classes == 3 else None).fit(X, y)
    for column in (0, 3, 19):
        wrong = X.copy()
        wrong[7, column] = bad
        for call in (model.predict, model.decision_function, sparse_call(model.predict), lambda X: clone(model).fit(X, y)):
            with pytest.raises(ValueError, match="Input X contains (NaN|infinity)"):
                call(wrong)


def sparse_call(method):
    return lambda X: method(sparse.csr_matrix(X))


def test_verbose_tells_of_progress(two_classes, capfd):
    PegasosClassifier(verbose=1, random_state=0).fit(*two_classes)
    assert re.search(r"PegasosClassifier: epoch \d+, objective", capfd.readouterr().err)


def test_ctrl_c_leaves_a_usable_estimator():
    X, y = make_classification(20000, 50, flip_y=0.4, random_state=0)
    X = X.astype(np.float32)
    model = PegasosClassifier(solver="pegasos", tol=0, max_iter=10**6)
    timer = threading.Timer(1.0, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        model.fit(X, y)
    timer.join()
    assert model.score(X, y) > 0.5
    assert model.ending_ == "stopped"


@pytest.mark.parametrize(
    "parameters", [{"kernel": "rbf", "C": 1e4}, {"solver": "newton"}, {"kernel": "rbf", "approximation": "rff"}], ids=str
)
def test_ctrl_c_does_not_wait_for_a_proof(parameters):
    X, y = make_classification(20000, 300, flip_y=0.4, random_state=0)
    # At the first event: a short run may be over before a timer goes off.
    pressed = []

    def press(*_):
        if not pressed:
            pressed.append(True)
            os.kill(os.getpid(), signal.SIGINT)

    model = PegasosClassifier(tol=1e-14, max_iter=10**6, callback=press, **parameters)
    with pytest.raises(KeyboardInterrupt):
        model.fit(X.astype(np.float32), y)
    if hasattr(model, "ending_"):  # else nothing was there yet
        assert model.ending_ == "stopped" and model.certificate_ is None
        assert model.predict(X[:10]).shape == (10,)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_the_gil_is_released():
    X, y = make_classification(20000, 50, flip_y=0.4, random_state=0)
    counted = 0
    model = PegasosClassifier(solver="pegasos", tol=0, max_iter=10**6, max_time=0.5)
    thread = threading.Thread(target=model.fit, args=(X.astype(np.float32), y))
    thread.start()
    while thread.is_alive():
        counted += 1
        time.sleep(0.001)
    assert counted > 20
    assert model.ending_ == "out of time"


def test_warm_start_begins_where_the_last_fit_ended():
    X, y = load_digits(return_X_y=True)
    X = X[:600] / 16
    y = y[:600] % 2
    model = PegasosClassifier(warm_start=True, tol=1e-6, random_state=0).fit(X, y)
    first = model.n_iter_
    model.fit(X, y)
    assert model.n_iter_ < first
    assert model.gap_ <= 1e-6


def test_not_reaching_tol_is_a_warning(two_classes):
    with pytest.warns(ConvergenceWarning, match="relative gap"):
        PegasosClassifier(solver="pegasos", max_iter=1, tol=1e-9).fit(*two_classes)


def test_threads_change_no_bit():
    X, y = load_digits(return_X_y=True)
    one = PegasosClassifier(n_jobs=1, random_state=0).fit(X, y)
    two = PegasosClassifier(n_jobs=2, random_state=0).fit(X, y)
    np.testing.assert_array_equal(one.coef_, two.coef_)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_in_the_company_of_scikit_learn():
    X, y = load_iris(return_X_y=True)
    assert cross_val_score(PegasosClassifier(random_state=0), X, y, n_jobs=2).mean() > 0.9
    search = GridSearchCV(
        make_pipeline(StandardScaler(), PegasosClassifier(kernel="rbf", random_state=0)),
        {"pegasosclassifier__C": [0.1, 10], "pegasosclassifier__gamma": ["scale", 0.1]},
        cv=3,
    ).fit(X, y)
    assert search.best_score_ > 0.9
    calibrated = CalibratedClassifierCV(PegasosClassifier(random_state=0), cv=3).fit(X, y)
    assert calibrated.predict_proba(X).shape == (150, 3)
    assert make_pipeline(pegasos.RandomFourierFeatures(n_components=200, random_state=0), PegasosClassifier()).fit(X, y).score(X, y) > 0.9


def test_online_learning_over_many_calls():
    X, y = load_digits(return_X_y=True)
    X = (X / 16).astype(np.float32)
    model = PegasosClassifier(lambda_reg=1e-3)
    for epoch in range(3):
        for begin in range(0, 1500, 100):
            model.partial_fit(X[begin : begin + 100], y[begin : begin + 100], classes=np.arange(10))
    assert model.score(X[1500:], y[1500:]) > 0.8
    assert model.certificate_ is None
    # However the rows are cut, and across a pickle, the steps are the same.
    whole = PegasosClassifier(lambda_reg=1e-3).partial_fit(X[:200], y[:200], classes=np.arange(10))
    halves = PegasosClassifier(lambda_reg=1e-3).partial_fit(X[:100], y[:100], classes=np.arange(10))
    halves = pickle.loads(pickle.dumps(halves)).partial_fit(X[100:200], y[100:200])
    np.testing.assert_allclose(halves.coef_, whole.coef_, rtol=1e-6, atol=1e-9)


def test_online_learning_with_one_class_at_a_time_and_weights(two_classes):
    X, y = two_classes
    model = PegasosClassifier(lambda_reg=0.01, class_weight={0: 1, 1: 2})
    model.partial_fit(X[y == 0], y[y == 0], classes=[0, 1]).partial_fit(X[y == 1], y[y == 1])
    weighted = PegasosClassifier(lambda_reg=0.01)
    weighted.partial_fit(X[y == 0], y[y == 0], classes=[0, 1])
    weighted.partial_fit(X[y == 1], y[y == 1], sample_weight=np.full((y == 1).sum(), 2.0))
    np.testing.assert_allclose(model.coef_, weighted.coef_)
    with pytest.raises(ValueError, match="balanced"):
        PegasosClassifier(class_weight="balanced").partial_fit(X, y, classes=[0, 1])
    with pytest.raises(ValueError, match="classes must be passed"):
        PegasosClassifier().partial_fit(X, y)
    assert not hasattr(PegasosClassifier(kernel="rbf"), "partial_fit")


def test_regression_of_numbers():
    X, y = load_diabetes(return_X_y=True)
    y = (y - y.mean()) / y.std()
    for loss in ("epsilon_insensitive", "squared_epsilon_insensitive", "huber"):
        assert PegasosRegressor(loss, C=100, random_state=0).fit(X, y).score(X, y) > 0.4
    model = PegasosRegressor(lambda_reg=1e-3)
    for _ in range(20):
        model.partial_fit(X, y)
    assert model.score(X, y) > 0.3


@pytest.mark.parametrize(
    "parameters, message",
    [
        ({"C": 0}, "'C' parameter"),
        ({"C": float("nan")}, "'C' parameter"),
        ({"tol": -1}, "'tol' parameter"),
        ({"loss": "absolute"}, "absolute"),
        ({"kernel": "cubic"}, "cubic"),
        ({"bias": "maybe"}, "maybe"),
        ({"solver": "magic"}, "magic"),
        ({"approximation": "rff"}, "'approximation' parameter"),
        ({"loss": "huber"}, "huber"),
    ],
)
def test_bad_parameters_are_named(two_classes, parameters, message):
    with pytest.raises(ValueError, match=message):
        PegasosClassifier(**parameters).fit(*two_classes)


def test_page_in_a_notebook(two_classes):
    model = PegasosClassifier(random_state=0).fit(*two_classes)
    assert "lower bound" in model._repr_html_()
    assert "lower bound" in model.certificate_._repr_html_()
    assert "within" in str(model.certificate_)


def test_a_model_of_logarithms_predicts_in_the_units_of_its_targets(tmp_path):
    program = pathlib.Path(os.environ.get("PEGASOS_BUILD_DIR", "")) / "pegasos"
    if not program.exists():
        pytest.skip("the program is not built")
    x = np.linspace(0.1, 3, 40)
    rows = "".join(f"{np.exp(2 * value):.9g} 1:{value:.9g}\n" for value in x)
    (tmp_path / "rows.svm").write_text(rows)
    run = functools.partial(subprocess.run, cwd=tmp_path, check=True)
    run([program, "train", "rows.svm", "log.model", "--task", "regression", "--target", "log", "-q"])
    run([program, "predict", "rows.svm", "log.model", "out.txt", "-q"])
    expected = np.loadtxt(tmp_path / "out.txt")
    loaded = PegasosRegressor.load(tmp_path / "log.model")
    np.testing.assert_allclose(loaded.predict(x[:, None]), expected, rtol=1e-5)


def test_weights_are_repeated_rows_also_with_a_free_bias():
    """As scikit-learn 1.6 and later check it, which Debian 12 does not have."""
    rng = np.random.RandomState(42)
    X, y, weight = rng.rand(15, 30), rng.randint(0, 3, 15), rng.randint(0, 5, 15)
    again = rng.permutation(15)
    for model in (
        PegasosClassifier(lambda_reg=1e-4, bias="unregularised", random_state=0),
        PegasosClassifier(kernel="rbf", random_state=0),
        PegasosClassifier(kernel="rbf", approximation="rff", n_components=64, random_state=0),
    ):
        repeated = clone(model).fit(X.repeat(weight, axis=0), y.repeat(weight))
        weighted = clone(model).fit(X[again], y[again], weight[again])
        np.testing.assert_allclose(weighted.decision_function(X), repeated.decision_function(X), rtol=1e-7, atol=1e-9)
