"""Tables with names and categories, arrays of other libraries, and both generations of scikit-learn's interfaces."""

import pickle
import types

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.pipeline import make_pipeline
from sklearn.utils import validation

import pegasos
from pegasos import PegasosClassifier, PegasosRegressor, _compat
from pegasos.sklearn import SVC, LinearSVC

pandas = pytest.importorskip("pandas")


@pytest.fixture
def table():
    rng = np.random.default_rng(0)
    colour = rng.choice(["red", "green", "blue"], 300)
    frame = pandas.DataFrame(
        {
            "length": rng.normal(size=300),
            "colour": pandas.Categorical(colour, categories=["red", "green", "blue", "none of them"]),
            "size": pandas.Categorical(rng.integers(1, 4, 300), ordered=True),
        }
    )
    return frame, np.where((colour == "red") ^ (frame["length"] > 1.5), "yes", "no")


def one_hot(frame):
    dummies = pandas.get_dummies(frame)
    return dummies.to_numpy(dtype=np.float32)


def test_categories_are_columns_of_zeros_and_ones(table):
    frame, y = table
    model = PegasosClassifier(random_state=0, tol=1e-6).fit(frame, y)
    assert model.n_features_in_ == 3 and list(model.feature_names_in_) == ["length", "colour", "size"]
    assert model.coef_.shape == (1, 8)
    plain = PegasosClassifier(random_state=0, tol=1e-6).fit(one_hot(frame), y)
    np.testing.assert_array_equal(model.coef_, plain.coef_)
    np.testing.assert_array_equal(model.predict(frame), plain.predict(one_hot(frame)))
    assert model.score(frame, y) > 0.9
    assert model.verify(frame, y)


def test_the_model_knows_the_names_of_categories(table, tmp_path):
    frame, y = table
    model = PegasosClassifier(random_state=0).fit(frame, y)
    model.save(tmp_path / "model")
    loaded = PegasosClassifier.load(tmp_path / "model")
    assert list(loaded.feature_names_in_[:3]) == ["length", "colour=red", "colour=green"]


def test_later_tables_may_say_the_same_otherwise(table):
    frame, y = table
    model = PegasosClassifier(random_state=0).fit(frame, y)
    expected = model.decision_function(frame)
    for other in (
        frame.assign(colour=frame["colour"].astype(str)),
        frame.assign(colour=frame["colour"].cat.reorder_categories(["blue", "none of them", "red", "green"])),
        frame.assign(colour=frame["colour"].cat.remove_unused_categories()),
    ):
        np.testing.assert_array_equal(model.decision_function(other), expected)
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.decision_function(frame), expected)


def test_unknown_and_missing_categories(table):
    frame, y = table
    model = PegasosClassifier(random_state=0).fit(frame, y)
    row = frame[:1].assign(colour="violet")
    unknown = one_hot(frame[:1])
    unknown[0, 1:5] = 0
    np.testing.assert_allclose(model.decision_function(row), unknown @ model.coef_[0] + model.intercept_)
    missing = frame.copy()
    missing.loc[3, "colour"] = None
    for call in (lambda: model.predict(missing), lambda: PegasosClassifier().fit(missing, y)):
        with pytest.raises(ValueError, match="contains NaN"):
            call()
    with pytest.raises(ValueError, match="feature names should match"):
        model.predict(frame.rename(columns={"size": "weight"}))
    with pytest.raises(ValueError, match="features|feature names"):
        model.predict(frame[["length", "colour"]])


def test_many_categories_are_sparse():
    rng = np.random.default_rng(0)
    words = np.array([f"w{k}" for k in range(600)])
    chosen = rng.integers(0, 600, 2000)
    frame = pandas.DataFrame({"word": pandas.Categorical(words[chosen]), "x": rng.random(2000)})
    model = PegasosRegressor(random_state=0, C=10).fit(frame, chosen % 2 + 0.1 * frame["x"])
    assert sparse.issparse(model._rows(frame))
    assert model.coef_.shape == (len(set(chosen)) + 1,)
    assert model.score(frame, chosen % 2 + 0.1 * frame["x"]) > 0.9


def test_categories_in_drop_ins_and_transformers(table):
    frame, y = table
    for model in (LinearSVC(random_state=0), SVC(), make_pipeline(pegasos.RandomFourierFeatures(random_state=0), LinearSVC())):
        assert model.fit(frame, y).score(frame, y) > 0.85
    model = PegasosClassifier().partial_fit(frame, y, classes=["no", "yes"])
    assert model.predict(frame).shape == (300,)


def test_a_fit_without_categories_forgets_them(table):
    frame, y = table
    model = PegasosClassifier().fit(frame, y).fit(frame[["length"]], y)
    assert model.coef_.shape == (1, 1)


class Lent:
    """An array of another library: all it has is DLPack."""

    def __init__(self, array):
        self.array = array

    def __dlpack__(self, **wanted):
        return self.array.__dlpack__(**wanted)

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


def test_arrays_of_other_libraries_are_used_in_place():
    X = np.random.default_rng(0).random((50, 4), dtype=np.float32)
    y = X[:, 0] > 0.5
    model = PegasosClassifier(random_state=0).fit(Lent(X), y)
    np.testing.assert_array_equal(model.predict(Lent(X)), model.predict(X))
    assert np.shares_memory(model._rows(Lent(X)), X)


# What scikit-learn 1.6 and later have instead of methods of BaseEstimator, as stand-ins: the releases themselves are
# tested where they are installed, by estimator_checks_test.py.


@pytest.mark.skipif(hasattr(validation, "validate_data"), reason="this release has it")
def test_validation_of_newer_releases(monkeypatch):
    asked = []

    def validate_data(estimator, X, y="no_validation", **wanted):
        asked.append(wanted["reset"])
        return estimator._validate_data(X, y, **wanted)

    monkeypatch.setattr(_compat, "_validate_data", validate_data)
    X = np.arange(8.0).reshape(4, 2)
    PegasosClassifier().fit(X, [0, 0, 1, 1]).predict(X)
    assert asked == [True, False]


@pytest.mark.skipif(hasattr(BaseEstimator, "__sklearn_tags__"), reason="this release has them")
def test_tags_of_newer_releases(monkeypatch):
    def tags(self):
        return types.SimpleNamespace(input_tags=types.SimpleNamespace(sparse=False, pairwise=False))

    monkeypatch.setattr(BaseEstimator, "__sklearn_tags__", tags, raising=False)
    assert PegasosClassifier().__sklearn_tags__().input_tags.sparse
    assert not SVC().__sklearn_tags__().input_tags.pairwise
    assert SVC(kernel="precomputed").__sklearn_tags__().input_tags.pairwise


def test_a_binding_too_old_for_numpy_says_so(monkeypatch):
    from pegasos import _versions

    _versions.check("1.24.2", (2, 10, 3))
    _versions.check("2.1.0", (2, 12, 0))
    with pytest.raises(ImportError, match=r"pybind11 2\.12 or later"):
        _versions.check("2.1.0", (2, 10, 3))
