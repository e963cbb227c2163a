"""pegasos.tune: the library's search, seen from Python."""

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris
from sklearn.model_selection import cross_val_score

import pegasos
from pegasos import PegasosClassifier, PegasosRegressor, tune
from pegasos.sklearn import LinearSVC


@pytest.fixture(scope="module")
def cancer():
    return load_breast_cancer(return_X_y=True)


def test_scores_are_those_of_held_out_rows(cancer):
    X, y = cancer
    model = PegasosClassifier(scaling="standard", random_state=1)
    found = tune(model, X, y, Cs=[0.001, 0.01, 0.1, 1], choice="best")
    assert found.score == "error" and not found.interrupted
    assert [point.params["C"] for point in found.points] == pytest.approx([0.001, 0.01, 0.1, 1])
    for point in found.points:
        assert len(point.scores) == 5 and point.mean == pytest.approx(np.mean(point.scores), abs=0.01)
        theirs = 1 - cross_val_score(model.set_params(**point.params), X, y).mean()
        assert point.mean == pytest.approx(theirs, abs=0.02)
    assert found.chosen is found.best and found.best.mean == min(point.mean for point in found.points)


def test_the_estimator_gets_the_choice_and_is_a_new_one(cancer):
    X, y = cancer
    model = PegasosClassifier(lambda_reg=0.5, scaling="standard", random_state=1)
    found = tune(model, X, y)
    assert model.lambda_reg == 0.5 and not hasattr(model, "classes_")
    assert found.estimator.lambda_reg == found.params["lambda_reg"] != 0.5
    assert found.estimator.fit(X, y).score(X, y) > 0.95
    assert len(found.points) >= 11 and found.chosen.mean <= found.best.mean + found.best.standard_error
    assert found.chosen_index <= found.best_index  # at least as strong


def test_the_number_of_threads_changes_nothing(cancer):
    X, y = cancer
    one, two = (tune(PegasosClassifier(random_state=1, n_jobs=n), X, y, Cs=[0.1, 1], folds=3) for n in (1, 2))
    assert one.points == two.points


def test_kernels_classes_and_weights():
    X, y = load_iris(return_X_y=True)
    words = np.array(["setosa", "versicolor", "virginica"])[y]
    model = PegasosClassifier(kernel="rbf", class_weight="balanced", random_state=0)
    found = tune(model, X, words, np.ones(len(y)), Cs=[1.0, 10.0], gammas=[0.1, 1.0], score="accuracy", folds=3)
    assert {(point.params["C"], point.params["gamma"]) for point in found.points} == {(1, 0.1), (1, 1), (10, 0.1), (10, 1)}
    assert found.best.mean > 0.9 and found.estimator.fit(X, words).score(X, words) > 0.9


def test_regression_and_wide_search():
    X, y = load_diabetes(return_X_y=True)
    found = tune(PegasosRegressor(bias="unregularised", random_state=0), X, y, epsilons=[0.0, 20.0], Cs=[1, 10])
    assert found.score == "mae" and {point.params["epsilon"] for point in found.points} == {0, 20}
    wide = tune(PegasosRegressor(bias="unregularised", random_state=0), X, y, Cs=[1, 10], search="wide", folds=3)
    assert len({point.params["loss"] for point in wide.points}) > 1
    assert len({point.params["scaling"] for point in wide.points}) > 1
    assert wide.estimator.fit(X, y).score(X, y) > 0.3


def test_the_callback_ends_the_search(cancer):
    X, y = cancer
    calls = []
    model = PegasosClassifier(scaling="standard", random_state=1)
    found = tune(model, X, y, folds=2, callback=lambda event: calls.append(event) or event["points"] >= 2)
    assert found.interrupted and 2 <= len(found.points) < 11
    assert [one["fits"] for one in calls] == list(range(1, len(calls) + 1))
    with pytest.raises(pegasos.PegasosError, match="before a point"):
        tune(model, X, y, callback=lambda event: True)
    with pytest.raises(ZeroDivisionError):
        tune(model, X, y, callback=lambda event: 1 / 0)


def test_bad_arguments_are_named(cancer):
    X, y = cancer
    model = PegasosClassifier()
    with pytest.raises(TypeError, match="LinearSVC"):
        tune(LinearSVC(), X, y)
    with pytest.raises(ValueError, match="folds"):
        tune(model, X, y, folds=1)
    with pytest.raises(ValueError, match="not both"):
        tune(model, X, y, Cs=[1], lambdas=[1])
    with pytest.raises(ValueError, match="no gamma"):
        tune(model, X, y, gammas=[1])
    with pytest.raises(ValueError, match="best.*one-se"):
        tune(model, X, y, choice="worst")
    with pytest.raises(ValueError, match="folds"):
        tune(PegasosClassifier(kernel="precomputed"), X @ X.T, y)
    with pytest.raises(ValueError, match="NaN"):
        tune(model, np.where(X > 100, np.nan, X), y)
