"""The estimators: linear and kernel support vector machines with a certificate."""

from __future__ import annotations

from typing import Any, Callable

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin, RegressorMixin
from sklearn.exceptions import NotFittedError
from sklearn.utils import compute_class_weight
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from . import _core
from ._arrays import dataset
from ._base import PegasosEstimator, Problem, components_of, library_name, require_real, seed_of, validated
from ._compat import checked_weights
from ._labels import LabelCode, RowClasses, require_class_labels
from ._online import partial_fit_classes, partial_fit_numbers


def _has_probabilities(estimator: Any) -> bool:
    if not estimator._wants_probabilities():
        raise AttributeError(f"predict_proba is not available {estimator._without_probabilities}")
    return True


def _is_linear(estimator: Any) -> bool:
    if estimator._kernel() is not None:
        raise AttributeError("partial_fit is for linear models; the 'kernel' parameter must be None")
    return True


class _Classifier(ClassifierMixin, PegasosEstimator):  # type: ignore[misc]
    """What is common to all classifiers."""

    _without_probabilities = "without the 'probability' parameter, or the logistic loss and no class weights"
    _drops_negative_weights = False

    def _wants_probabilities(self) -> bool:
        raise NotImplementedError

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        """Fits the model to the rows X with class labels y.

        X is a dense or sparse matrix of shape (n_samples, n_features). float32 arrays in C order and
        float32 CSR matrices are used in place; everything else is converted once.
        """
        X, labels, weights, code, options = self._problem(X, y, sample_weight)
        self._train(X, labels, weights, code, options)
        return self

    def _problem(self, X: Any, y: Any, sample_weight: Any) -> Problem:
        options = self._options()  # a bad parameter is refused before the data is looked at
        X, y = validated(self, X, y)
        require_class_labels(y)
        weights = checked_weights(sample_weight, X, drop_negative=self._drops_negative_weights)
        known: NDArray[Any] | None = getattr(self, "_known_classes", None)  # of all rows; these are some of them
        rows = RowClasses(y) if known is None else RowClasses.among(known, y)
        self.classes_ = rows.classes
        if len(self.classes_) < 2:
            raise ValueError(
                "This solver needs samples of at least 2 classes in the data, but the data contains "
                f"only one class: {self.classes_[0]!r}"
            )
        if weights is not None and known is None and len(RowClasses(y[weights > 0]).classes) < 2:
            raise ValueError("Invalid input - all samples with positive weights belong to the same class.")
        code = LabelCode(self.classes_)
        self._code = code
        several = len(self.classes_) > 2 or options.get("strategy") == "joint"
        extra = {
            "task": "multiclass" if several else "binary",
            "class_weights": self._class_weights(code, y),
        }
        return X, rows.values(code.values), weights, code, {**options, **extra}

    def _class_weights(self, code: LabelCode, y: NDArray[Any]) -> dict[str, float] | None:
        class_weight = self.class_weight
        if class_weight is None:
            self.class_weight_ = np.ones(len(code.classes))
            return None
        self.class_weight_ = compute_class_weight(class_weight, classes=code.classes, y=y)
        return {code.text(k): float(one) for k, one in enumerate(self.class_weight_)}

    def _labelled(self, X: Any, y: Any, sample_weight: Any) -> _core.Dataset:
        check_is_fitted(self)
        X, y = validated(self, X, y, reset=False, finite=True)
        labels = self._code.encode(y)
        return dataset(self._kernel_rows(X), labels, checked_weights(sample_weight, X), self._code.words, self._names())

    def decision_function(self, X: Any) -> NDArray[Any]:
        """Returns one score per row for two classes (above 0 for the second), otherwise one per class."""
        check_is_fitted(self)
        scores = self._ask(self._model.decisions, X)
        if len(self.classes_) == 2 and scores.ndim == 2:  # two classes trained jointly
            return np.asarray(scores[:, 1] - scores[:, 0])
        return np.asarray(scores)

    def predict(self, X: Any) -> NDArray[Any]:
        """Returns the predicted class of each row."""
        check_is_fitted(self)
        return np.asarray(self.classes_[self._ask(self._model.predict, X)])

    @available_if(_has_probabilities)  # type: ignore[misc]
    def predict_proba(self, X: Any) -> NDArray[Any]:
        """Returns the probability of each class.

        The predicted class has the highest probability. With class weights, as in scikit-learn's LogisticRegression,
        the probabilities are those of the weighted rows.
        """
        check_is_fitted(self)
        probabilities = self._ask(self._model.probabilities, X)
        if probabilities is None:
            raise NotFittedError(f"predict_proba is not available when fitted {self._without_probabilities}")
        return np.asarray(probabilities)

    @available_if(_has_probabilities)  # type: ignore[misc]
    def predict_log_proba(self, X: Any) -> NDArray[Any]:
        """Returns the logarithms of the probabilities."""
        return np.asarray(np.log(self.predict_proba(X)))


class _OnlineClassifier(_Classifier):
    """A classifier with online learning."""

    @available_if(_is_linear)  # type: ignore[misc]
    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Any:
        """Learns from more rows, with one step of Pegasos per row; linear models only.

        The first call must list all ``classes``. lambda is ``lambda_reg`` (``alpha`` for SGDClassifier), or
        1e-4/C if only C is given, because the number of rows is not known. There is no certificate. After
        ``fit``, learning continues from the fitted model.
        """
        return partial_fit_classes(self, X, y, classes, sample_weight)


class _OnlineRegressor(PegasosEstimator):
    """A regressor with online learning."""

    @available_if(_is_linear)  # type: ignore[misc]
    def partial_fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        """Learns from more rows, with one step of Pegasos per row; linear models only."""
        return partial_fit_numbers(self, X, y, sample_weight)


class _Regressor(RegressorMixin, PegasosEstimator):  # type: ignore[misc]
    """What is common to all regressors."""

    _drops_negative_weights = False

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        """Fits the model to the rows X with targets y."""
        X, targets, weights, _, options = self._problem(X, y, sample_weight)
        self._train(X, targets, weights, None, options)
        return self

    def _problem(self, X: Any, y: Any, sample_weight: Any) -> Problem:
        options = self._options()
        X, y = validated(self, X, y, y_numeric=True)
        weights = checked_weights(sample_weight, X, drop_negative=self._drops_negative_weights)
        return X, y.astype(np.float64), weights, None, {**options, "task": "regression"}

    def _labelled(self, X: Any, y: Any, sample_weight: Any) -> _core.Dataset:
        check_is_fitted(self)
        X, y = validated(self, X, y, reset=False, finite=True, y_numeric=True)
        return dataset(
            self._kernel_rows(X), y.astype(np.float64), checked_weights(sample_weight, X), (), self._names()
        )

    def predict(self, X: Any) -> NDArray[Any]:
        """Returns the predicted value of each row."""
        check_is_fitted(self)
        return np.asarray(self._ask(self._model.decisions, X))


class _PegasosParameters:
    """Translates the parameters of the two estimators into options of the library."""

    def _shared_options(self) -> dict[str, Any]:
        owner = type(self).__name__
        parameters: Any = self
        if parameters.lambda_reg is None:
            require_real("C", parameters.C, 0, owner=owner)
        else:
            require_real("lambda_reg", parameters.lambda_reg, 0, owner=owner)
        require_real("tol", parameters.tol, 0, strictly=False, owner=owner)
        kernel = parameters.kernel
        options: dict[str, Any] = {
            "loss": library_name(parameters.loss),
            "C": parameters.C if parameters.lambda_reg is None else None,
            "lambda": parameters.lambda_reg,
            "bias": None if parameters.bias == "auto" else parameters.bias,
            "bias_feature": float(parameters.intercept_scaling),
            "solver": parameters.solver,
            "tolerance": float(parameters.tol),
            "max_epochs": parameters.max_iter,
            "max_seconds": parameters.max_time,
            "scaling": parameters.scaling,
            "keep_duals": bool(parameters.warm_start),
            "seed": seed_of(parameters.random_state),
            "threads": parameters._threads(),
        }
        if kernel is not None:
            options |= {
                "kernel": "precomputed" if callable(kernel) else library_name(kernel),
                "gamma": parameters.gamma,
                "degree": parameters.degree,
                "coef0": float(parameters.coef0),
                "approximation": parameters.approximation,
                "components": components_of(parameters.approximation, parameters.n_components, owner),
                "cache_bytes": None if parameters.cache_size is None else int(parameters.cache_size * 2**20),
            }
        elif parameters.approximation is not None:
            raise ValueError(f"The 'approximation' parameter of {owner} needs a kernel. Got kernel=None.")
        return options


class PegasosClassifier(_PegasosParameters, _OnlineClassifier):
    """A linear or kernel support vector classifier, with a proof of how close it is to the optimum.

    It minimises ``lambda/2 |w|^2 + 1/m sum of losses`` with ``lambda = 1/(C m)``, the problem that
    scikit-learn and LIBLINEAR solve with the same C, until the objective is proven to be within
    ``tol`` of the optimum. More than two classes are trained one-vs-rest, or one-vs-one with a
    kernel.

    Parameters
    ----------
    loss : 'hinge', 'squared_hinge' or 'logistic'
    C : float
        Inverse regularisation strength.
    lambda_reg : float, optional
        Regularisation strength as in the paper, instead of C.
    kernel : None, 'linear', 'poly', 'rbf', 'laplacian', 'sigmoid', 'chi2', 'precomputed' or callable
        None for a linear model. A callable takes two matrices and returns the kernel matrix.
    gamma : 'scale', 'auto' or float
    degree, coef0 : int, float
        Parameters of the polynomial and sigmoid kernels.
    approximation : None, 'rff', 'nystroem' or 'tensorsketch'
        Train a linear model on ``n_components`` features that approximate the kernel. The number is
        rounded up to an even number for rff and to a power of two for tensorsketch.
    bias : 'auto', 'none', 'regularised', 'unregularised' or 'exact'
        'auto' is regularised (a constant feature of value ``intercept_scaling``) for linear models
        and none with a kernel.
    scaling : None, 'standard', 'maxabs', 'minmax' or 'unit-row'
        Applied before training and prediction, and stored in the model.
    solver : 'auto', 'pegasos', 'sdca' or 'newton'
    tol : float
        The relative duality gap to reach.
    max_iter : int, optional
        Maximum number of epochs; 1000 by default, 100 for the Pegasos solver.
    max_time : float, optional
        Time limit in seconds.
    class_weight : None, 'balanced' or dict
    strategy : None, 'ovr', 'ovo' or 'joint'
    probability : None, 'platt' or 'isotonic'
        Calibrate probabilities on 5 folds. Not needed for the logistic loss.
    warm_start : bool
        Start the next fit from the current model.
    random_state : int, RandomState or None
    n_jobs : int or None
        Number of threads; it does not change the result.
    cache_size : float, optional
        Size of the kernel cache in megabytes; by default half of the free memory, or less where
        kernel rows are cheap to compute.
    verbose : int
    callback : callable, optional
        Called with a dictionary after every epoch; the fit ends if it returns a true value.

    Attributes
    ----------
    classes_, coef_, intercept_, n_iter_, n_features_in_, feature_names_in_ : as in scikit-learn
    support_, support_vectors_, dual_coef_, n_support_ : as in scikit-learn, for kernel models
    certificate_ : Certificate
    objective_, dual_, gap_ : float
        The values of the certificate.
    history_ : dict of arrays
        Seconds, epoch, steps, objective, dual and gap for every event of the training.
    lambda_ : float

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from pegasos import PegasosClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = PegasosClassifier(scaling='standard', random_state=1).fit(X, y)
    >>> model.score(X, y) > 0.97
    True
    >>> model.certificate_.within(1e-3)
    True
    """

    def __init__(
        self,
        loss: str = "hinge",
        *,
        C: float = 1.0,
        lambda_reg: float | None = None,
        kernel: str | Callable[..., Any] | None = None,
        gamma: str | float = "scale",
        degree: int = 3,
        coef0: float = 0.0,
        approximation: str | None = None,
        n_components: int = 1024,
        bias: str = "auto",
        intercept_scaling: float = 1.0,
        scaling: str | None = None,
        solver: str = "auto",
        tol: float = 1e-3,
        max_iter: int | None = None,
        max_time: float | None = None,
        class_weight: Any = None,
        strategy: str | None = None,
        probability: str | None = None,
        warm_start: bool = False,
        random_state: Any = None,
        n_jobs: int | None = None,
        cache_size: float | None = None,
        verbose: int = 0,
        callback: Callable[[dict[str, Any]], Any] | None = None,
    ):
        self.loss = loss
        self.C = C
        self.lambda_reg = lambda_reg
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.approximation = approximation
        self.n_components = n_components
        self.bias = bias
        self.intercept_scaling = intercept_scaling
        self.scaling = scaling
        self.solver = solver
        self.tol = tol
        self.max_iter = max_iter
        self.max_time = max_time
        self.class_weight = class_weight
        self.strategy = strategy
        self.probability = probability
        self.warm_start = warm_start
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.cache_size = cache_size
        self.verbose = verbose
        self.callback = callback

    def _options(self) -> dict[str, Any]:
        return self._shared_options() | {"strategy": self.strategy, "probabilities": self.probability}

    def _wants_probabilities(self) -> bool:
        if hasattr(self, "_model"):
            return bool(self._model.has_probabilities)
        return self.probability is not None or library_name(self.loss) == "logistic"


class PegasosRegressor(_PegasosParameters, _Regressor, _OnlineRegressor):
    """Linear or kernel support vector regression, with a proof of how close it is to the optimum.

    The parameters are those of PegasosClassifier, with the losses 'epsilon_insensitive',
    'squared_epsilon_insensitive' and 'huber'.

    Parameters
    ----------
    epsilon : float
        Half-width of the tube in which errors cost nothing.
    delta : float
        Residual at which the Huber loss changes from quadratic to linear.

    Examples
    --------
    >>> import numpy as np
    >>> from pegasos import PegasosRegressor
    >>> X = np.arange(20.0)[:, None]
    >>> model = PegasosRegressor(C=100, epsilon=0.0, bias='unregularised', tol=1e-6).fit(X, 2 * X[:, 0] + 1)
    >>> model.predict([[100.0]]).round(1)
    array([201.])
    """

    def __init__(
        self,
        loss: str = "epsilon_insensitive",
        *,
        epsilon: float = 0.1,
        delta: float = 1.0,
        C: float = 1.0,
        lambda_reg: float | None = None,
        kernel: str | Callable[..., Any] | None = None,
        gamma: str | float = "scale",
        degree: int = 3,
        coef0: float = 0.0,
        approximation: str | None = None,
        n_components: int = 1024,
        bias: str = "auto",
        intercept_scaling: float = 1.0,
        scaling: str | None = None,
        solver: str = "auto",
        tol: float = 1e-3,
        max_iter: int | None = None,
        max_time: float | None = None,
        warm_start: bool = False,
        random_state: Any = None,
        n_jobs: int | None = None,
        cache_size: float | None = None,
        verbose: int = 0,
        callback: Callable[[dict[str, Any]], Any] | None = None,
    ):
        self.loss = loss
        self.epsilon = epsilon
        self.delta = delta
        self.C = C
        self.lambda_reg = lambda_reg
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.approximation = approximation
        self.n_components = n_components
        self.bias = bias
        self.intercept_scaling = intercept_scaling
        self.scaling = scaling
        self.solver = solver
        self.tol = tol
        self.max_iter = max_iter
        self.max_time = max_time
        self.warm_start = warm_start
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.cache_size = cache_size
        self.verbose = verbose
        self.callback = callback

    def _options(self) -> dict[str, Any]:
        require_real("epsilon", self.epsilon, 0, strictly=False, owner=type(self).__name__)
        return self._shared_options() | {"epsilon": float(self.epsilon), "delta": float(self.delta)}
