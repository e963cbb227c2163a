"""scikit-learn's SGDClassifier, and what linear drop-in replacements share."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.special import expit
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from ._base import PegasosEstimator, library_name, require_choice, require_real, seed_of
from .estimators import _OnlineClassifier, _has_probabilities

# What tol=None asks for: every epoch of max_iter, or the last digits.
_NO_TOL = 1e-10


class SparseWeights(PegasosEstimator):
    """The two forms of coef_, as in scikit-learn. Predictions do not depend on them."""

    def densify(self) -> Any:
        """Makes coef_ a NumPy array, which it is after fit."""
        check_is_fitted(self)
        if sparse.issparse(self.coef_):
            self.coef_ = self.coef_.toarray()
        return self

    def sparsify(self) -> Any:
        """Makes coef_ a CSR matrix."""
        check_is_fitted(self)
        self.coef_ = sparse.csr_matrix(self.coef_)
        return self


class SGDClassifier(SparseWeights, _OnlineClassifier):
    """sklearn.linear_model.SGDClassifier, built on the Pegasos library.

    ``alpha`` is the paper's lambda and ``learning_rate='optimal'`` its step size. Training continues
    until the objective is proven to be within ``tol`` of the optimum; ``n_iter_no_change`` has no
    effect.
    """

    def __init__(
        self,
        loss: str = "hinge",
        *,
        penalty: str = "l2",
        alpha: float = 0.0001,
        l1_ratio: float = 0.15,
        fit_intercept: bool = True,
        max_iter: int = 1000,
        tol: float | None = 1e-3,
        shuffle: bool = True,
        verbose: int = 0,
        epsilon: float = 0.1,
        n_jobs: int | None = None,
        random_state: Any = None,
        learning_rate: str = "optimal",
        eta0: float = 0.0,
        power_t: float = 0.5,
        early_stopping: bool = False,
        validation_fraction: float = 0.1,
        n_iter_no_change: int = 5,
        class_weight: Any = None,
        warm_start: bool = False,
        average: Any = False,
    ):
        self.loss = loss
        self.penalty = penalty
        self.alpha = alpha
        self.l1_ratio = l1_ratio
        self.fit_intercept = fit_intercept
        self.max_iter = max_iter
        self.tol = tol
        self.shuffle = shuffle
        self.verbose = verbose
        self.epsilon = epsilon
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.learning_rate = learning_rate
        self.eta0 = eta0
        self.power_t = power_t
        self.early_stopping = early_stopping
        self.validation_fraction = validation_fraction
        self.n_iter_no_change = n_iter_no_change
        self.class_weight = class_weight
        self.warm_start = warm_start
        self.average = average

    def fit(  # type: ignore[override]  # sample_weight is last in scikit-learn, too
        self, X: Any, y: Any, coef_init: Any = None, intercept_init: Any = None, sample_weight: Any = None
    ) -> Any:
        """Fits the model, starting from the given weights and intercepts, if any.

        They do not change the optimum, and so little of the result: a good start reaches the tolerance sooner.
        """
        X, labels, weights, code, options = self._problem(X, y, sample_weight)
        if coef_init is not None or intercept_init is not None:
            options["start_weights"] = self._start_weights(X.shape[1], coef_init, intercept_init)
        self._train(X, labels, weights, code, options)
        return self

    def _start_weights(self, features: int, coef: Any, intercept: Any) -> tuple[NDArray[Any], list[float]]:
        """Checks the shapes, with scikit-learn's errors; what is not given is zero."""
        classes = len(self.classes_)
        count = 1 if classes == 2 else classes
        coef = np.zeros((count, features)) if coef is None else np.array(coef, dtype=np.float64, order="C")
        intercept = np.zeros(count) if intercept is None else np.array(intercept, dtype=np.float64)
        if classes == 2:
            coef, intercept = coef.reshape(1, -1), intercept.reshape(-1)
        if coef.shape != (count, features):
            raise ValueError("Provided coef_init does not match dataset.")
        if intercept.shape != (count,):
            raise ValueError("Provided intercept_init does not match dataset.")
        if not (np.isfinite(coef).all() and np.isfinite(intercept).all()):
            raise ValueError("Provided coef_init and intercept_init must be finite.")
        return coef, intercept.tolist() if self.fit_intercept else [0.0] * count

    def _take(self, trained: dict[str, Any], X: Any, labels: NDArray[Any], tolerance: float) -> None:
        super()._take(trained, X, labels, tolerance)
        self.t_ = float(self.n_iter_ * X.shape[0] + 1)

    def _options(self) -> dict[str, Any]:
        owner = type(self).__name__
        if self.loss == "log":
            warnings.warn("The loss 'log' was deprecated; use 'log_loss', which is equivalent.", FutureWarning, stacklevel=4)
        require_choice("loss", self.loss, ("hinge", "squared_hinge", "log_loss", "log"), owner)
        require_choice("penalty", self.penalty, ("l2",), owner)
        require_choice("learning_rate", self.learning_rate, ("optimal",), owner)
        require_choice("early_stopping", self.early_stopping, (False,), owner)
        # These belong to options that are rejected above, so only their defaults are accepted.
        require_choice("l1_ratio", self.l1_ratio, (0.15,), owner)
        require_choice("epsilon", self.epsilon, (0.1,), owner)
        require_choice("eta0", float(self.eta0), (0.0, 0.01), owner)
        require_choice("power_t", self.power_t, (0.5,), owner)
        require_choice("validation_fraction", self.validation_fraction, (0.1,), owner)
        require_real("n_iter_no_change", self.n_iter_no_change, 0, owner=owner)
        require_choice("average", self.average, (False, True), owner)
        require_real("alpha", self.alpha, 0, owner=owner)
        require_real("max_iter", self.max_iter, 0, owner=owner)
        if self.tol is not None:
            require_real("tol", self.tol, 0, strictly=False, owner=owner)
        return {
            "loss": library_name(self.loss),
            "lambda": float(self.alpha),
            "bias": "unregularised" if self.fit_intercept else "none",
            "tolerance": _NO_TOL if self.tol is None else float(self.tol),
            "max_epochs": int(self.max_iter),
            "solver": "pegasos" if self.average else "auto",
            "average": "mean" if self.average else "last",
            "sampling": "shuffle" if self.shuffle else "fixed",
            "keep_duals": bool(self.warm_start),
            "seed": seed_of(self.random_state),
            "threads": self._threads(),
        }

    def _wants_probabilities(self) -> bool:
        return library_name(self.loss) == "logistic"

    @available_if(_has_probabilities)  # type: ignore[misc]
    def predict_proba(self, X: Any) -> NDArray[Any]:
        """Returns the probability of each class. With class weights, as in scikit-learn, those of the weighted rows."""
        check_is_fitted(self)
        if self._model.has_probabilities:
            return np.asarray(super().predict_proba(X))
        scores = self.decision_function(X)
        each = expit(scores if scores.ndim == 2 else np.column_stack([-scores, scores]))
        return np.asarray(each / each.sum(axis=1, keepdims=True))
