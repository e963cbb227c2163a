"""scikit-learn's own checks of estimators, every one of them, with no expected failure."""

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

import pegasos
from pegasos import sklearn as drop_in

ESTIMATORS = [
    pegasos.PegasosClassifier(),
    pegasos.PegasosClassifier("logistic"),
    pegasos.PegasosClassifier(kernel="rbf"),
    pegasos.PegasosClassifier(kernel="rbf", approximation="rff", n_components=64),
    pegasos.PegasosRegressor(),
    pegasos.PegasosRegressor(kernel="rbf"),
    pegasos.RandomFourierFeatures(),
    pegasos.Nystroem(),
    pegasos.TensorSketch(),
    drop_in.LinearSVC(),
    drop_in.LinearSVR(),
    drop_in.SVC(),
    drop_in.SVR(),
    drop_in.SGDClassifier(),
]


@pytest.mark.filterwarnings("ignore")
@parametrize_with_checks(ESTIMATORS)
def test_scikit_learn_check(estimator, check):
    check(estimator)
