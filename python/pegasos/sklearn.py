"""Estimators with scikit-learn's names and constructor parameters.

>>> from sklearn.datasets import load_iris
>>> from pegasos.sklearn import LinearSVC
>>> X, y = load_iris(return_X_y=True)
>>> LinearSVC(random_state=0).fit(X, y).score(X, y) > 0.9
True

Parameters have the same meaning as in scikit-learn, except for the differences listed in docs/python.md:
``tol`` is the proven relative duality gap, and ``dual`` and ``shrinking``, which select an algorithm and
not the optimum, are ignored. A value that the library does not support raises an error that names
the parameter.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.utils.validation import check_is_fitted

from ._base import PegasosEstimator, library_name, require_choice, require_real, seed_of
from ._sgd import SGDClassifier, SparseWeights
from .estimators import _Classifier, _Regressor

__all__ = ["LinearSVC", "LinearSVR", "SGDClassifier", "SVC", "SVR"]


def _iterations(max_iter: Any, owner: str) -> int | None:
    """Maps scikit-learn's -1, no limit, to the library's default."""
    if max_iter == -1:
        return None
    require_real("max_iter", max_iter, 0, owner=owner)
    return int(max_iter)


class _LinearParameters:
    """What LinearSVC and LinearSVR share."""

    def _linear_options(self) -> dict[str, Any]:
        owner = type(self).__name__
        own: Any = self
        require_real("C", own.C, 0, owner=owner)
        require_real("tol", own.tol, 0, owner=owner)
        require_choice("dual", own.dual, (True, False, "auto"), owner)
        if own.fit_intercept:
            require_real("intercept_scaling", own.intercept_scaling, 0, owner=owner)
        return {
            "loss": library_name(own.loss),
            "C": float(own.C),
            "bias": "regularised" if own.fit_intercept else "none",
            "bias_feature": float(own.intercept_scaling) if own.fit_intercept else 1.0,
            "tolerance": float(own.tol),
            "max_epochs": _iterations(own.max_iter, owner),
            "seed": seed_of(own.random_state),
            "threads": 1,
        }


class LinearSVC(_LinearParameters, SparseWeights, _Classifier):
    """sklearn.svm.LinearSVC, built on the Pegasos library."""

    def __init__(
        self,
        penalty: str = "l2",
        loss: str = "squared_hinge",
        *,
        dual: Any = True,
        tol: float = 1e-4,
        C: float = 1.0,
        multi_class: str = "ovr",
        fit_intercept: bool = True,
        intercept_scaling: float = 1,
        class_weight: Any = None,
        verbose: int = 0,
        random_state: Any = None,
        max_iter: int = 1000,
    ):
        self.penalty = penalty
        self.loss = loss
        self.dual = dual
        self.tol = tol
        self.C = C
        self.multi_class = multi_class
        self.fit_intercept = fit_intercept
        self.intercept_scaling = intercept_scaling
        self.class_weight = class_weight
        self.verbose = verbose
        self.random_state = random_state
        self.max_iter = max_iter

    def _options(self) -> dict[str, Any]:
        owner = type(self).__name__
        require_choice("loss", self.loss, ("hinge", "squared_hinge"), owner)
        if self.penalty == "l1" and (self.loss == "hinge" or self.dual is True):  # scikit-learn rejects these, too
            arguments = f"penalty={self.penalty!r}, loss={self.loss!r}, dual={self.dual!r}"
            raise ValueError(f"Unsupported set of arguments: the 'penalty' parameter must be 'l2'. Got {arguments}.")
        require_choice("penalty", self.penalty, ("l2",), owner)
        require_choice("multi_class", self.multi_class, ("ovr", "crammer_singer"), owner)
        options = self._linear_options()
        if self.multi_class == "crammer_singer":
            options |= {"strategy": "joint", "loss": "hinge"}
        return options

    def _wants_probabilities(self) -> bool:
        return False


class LinearSVR(_LinearParameters, _Regressor):
    """sklearn.svm.LinearSVR, built on the Pegasos library."""

    def __init__(
        self,
        *,
        epsilon: float = 0.0,
        tol: float = 1e-4,
        C: float = 1.0,
        loss: str = "epsilon_insensitive",
        fit_intercept: bool = True,
        intercept_scaling: float = 1.0,
        dual: Any = True,
        verbose: int = 0,
        random_state: Any = None,
        max_iter: int = 1000,
    ):
        self.epsilon = epsilon
        self.tol = tol
        self.C = C
        self.loss = loss
        self.fit_intercept = fit_intercept
        self.intercept_scaling = intercept_scaling
        self.dual = dual
        self.verbose = verbose
        self.random_state = random_state
        self.max_iter = max_iter

    def _options(self) -> dict[str, Any]:
        owner = type(self).__name__
        require_choice("loss", self.loss, ("epsilon_insensitive", "squared_epsilon_insensitive"), owner)
        require_real("epsilon", self.epsilon, 0, strictly=False, owner=owner)
        return self._linear_options() | {"epsilon": float(self.epsilon)}


class _KernelParameters(PegasosEstimator):
    """What SVC and SVR share."""

    _drops_negative_weights = True

    @property
    def coef_(self) -> Any:
        """The weights of a linear kernel, read-only: they follow from dual_coef_ and support_vectors_."""
        if self.kernel != "linear":
            raise AttributeError("coef_ is only available when using a linear kernel")
        check_is_fitted(self)
        coef = self._linear_coef()
        (coef.data if sparse.issparse(coef) else coef).flags.writeable = False
        return coef

    def _set_linear_coef(self) -> None:
        """The property computes them."""

    def _take_support(self, duals: list[NDArray[Any]], X: Any, labels: NDArray[Any]) -> None:
        super()._take_support(duals, X, labels)
        self.shape_fit_ = X.shape if hasattr(X, "shape") else (len(X),)
        proven = self.certificate_
        self.fit_status_ = 0 if proven is None or proven.within(self._tolerance) else 1
        if sparse.issparse(X):
            self.dual_coef_ = sparse.csr_matrix(self.dual_coef_)

    def _kernel_options(self) -> dict[str, Any]:
        owner = type(self).__name__
        own: Any = self
        require_real("C", own.C, 0, owner=owner)
        require_real("tol", own.tol, 0, owner=owner)
        require_real("cache_size", own.cache_size, 0, owner=owner)
        require_real("degree", own.degree, 0, strictly=False, owner=owner)
        require_real("coef0", own.coef0, -np.inf, owner=owner)
        require_choice("shrinking", own.shrinking, (True, False), owner)
        if not callable(own.kernel):
            require_choice("kernel", own.kernel, ("linear", "poly", "rbf", "sigmoid", "precomputed"), owner)
        if isinstance(own.gamma, str):
            require_choice("gamma", own.gamma, ("scale", "auto"), owner)
        else:
            require_real("gamma", own.gamma, 0, owner=owner)
        return {
            "C": float(own.C),
            "kernel": "precomputed" if callable(own.kernel) else library_name(own.kernel),
            "gamma": own.gamma,
            "degree": int(own.degree),
            "coef0": float(own.coef0),
            "bias": "unregularised",
            "tolerance": float(own.tol),
            "max_epochs": _iterations(own.max_iter, owner),
            "cache_bytes": int(own.cache_size * 2**20),
            "threads": 1,
        }


class SVC(_KernelParameters, _Classifier):
    """sklearn.svm.SVC, built on the Pegasos library."""

    _without_probabilities = "with probability=False"

    def __init__(
        self,
        *,
        C: float = 1.0,
        kernel: Any = "rbf",
        degree: int = 3,
        gamma: Any = "scale",
        coef0: float = 0.0,
        shrinking: bool = True,
        probability: bool = False,
        tol: float = 1e-3,
        cache_size: float = 200,
        class_weight: Any = None,
        verbose: bool = False,
        max_iter: int = -1,
        decision_function_shape: str = "ovr",
        break_ties: bool = False,
        random_state: Any = None,
    ):
        self.C = C
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.shrinking = shrinking
        self.probability = probability
        self.tol = tol
        self.cache_size = cache_size
        self.class_weight = class_weight
        self.verbose = verbose
        self.max_iter = max_iter
        self.decision_function_shape = decision_function_shape
        self.break_ties = break_ties
        self.random_state = random_state

    def _options(self) -> dict[str, Any]:
        owner = type(self).__name__
        require_choice("decision_function_shape", self.decision_function_shape, ("ovr", "ovo"), owner)
        require_choice("probability", self.probability, (True, False), owner)
        require_choice("break_ties", self.break_ties, (True, False), owner)
        if self.probability and (callable(self.kernel) or self.kernel == "precomputed"):
            raise ValueError("The 'probability' parameter of SVC must be False with a precomputed or callable kernel.")
        return self._kernel_options() | {
            "loss": "hinge",
            "probabilities": "platt" if self.probability else None,
            "seed": seed_of(self.random_state),
        }

    def _wants_probabilities(self) -> bool:
        return bool(self.probability)

    def _describe_model(self) -> None:
        super()._describe_model()
        self.n_iter_ = np.maximum(1, np.array(self._model.record["epochs_of_machines"], dtype=np.int32))

    def decision_function(self, X: Any) -> NDArray[Any]:
        """Returns the scores of the rows, in the shape given by decision_function_shape."""
        check_is_fitted(self)
        if self.decision_function_shape == "ovr" or len(self.classes_) == 2:
            return super().decision_function(X)
        pairs = self._ask(self._model.pair_decisions, X)
        if pairs is None:
            raise ValueError(
                "The 'decision_function_shape' parameter of SVC cannot be 'ovo' with a precomputed or "
                "callable kernel, whose classes are trained one against the rest."
            )
        return np.asarray(pairs)

    def predict(self, X: Any) -> NDArray[Any]:
        """Returns the predicted class of each row; with break_ties, the one with the highest decision value."""
        check_is_fitted(self)
        if self.break_ties and self.decision_function_shape == "ovo":
            raise ValueError("break_ties must be False when decision_function_shape is 'ovo'")
        if self.break_ties and len(self.classes_) > 2:
            return np.asarray(self.classes_[np.argmax(self.decision_function(X), axis=1)])
        return super().predict(X)


class SVR(_KernelParameters, _Regressor):
    """sklearn.svm.SVR, built on the Pegasos library."""

    def __init__(
        self,
        *,
        kernel: Any = "rbf",
        degree: int = 3,
        gamma: Any = "scale",
        coef0: float = 0.0,
        tol: float = 1e-3,
        C: float = 1.0,
        epsilon: float = 0.1,
        shrinking: bool = True,
        cache_size: float = 200,
        verbose: bool = False,
        max_iter: int = -1,
    ):
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.tol = tol
        self.C = C
        self.epsilon = epsilon
        self.shrinking = shrinking
        self.cache_size = cache_size
        self.verbose = verbose
        self.max_iter = max_iter

    def _options(self) -> dict[str, Any]:
        require_real("epsilon", self.epsilon, 0, strictly=False, owner=type(self).__name__)
        return self._kernel_options() | {"loss": "epsilon-insensitive", "epsilon": float(self.epsilon), "seed": 1}
