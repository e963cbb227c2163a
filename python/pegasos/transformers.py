"""Kernel approximations as transformers, for use before a linear estimator."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

try:  # scikit-learn 1.1 and later
    from sklearn.base import ClassNamePrefixFeaturesOutMixin
except ImportError:  # pragma: no cover
    from sklearn.base import _ClassNamePrefixFeaturesOutMixin as ClassNamePrefixFeaturesOutMixin

from . import _core
from ._arrays import csr_matrix, dataset
from ._base import components_of, library_name, require_choice, seed_of, threads_of
from ._compat import validate_rows

__all__ = ["Nystroem", "RandomFourierFeatures", "TensorSketch"]


class _KernelMap(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Wraps a feature map of the library."""

    _approximation = ""
    _map: _core.FeatureMap

    def _kernel_options(self) -> dict[str, Any]:
        raise NotImplementedError

    def fit(self, X: Any, y: Any = None) -> Any:
        """Creates the map for rows like X. Only Nystroem and gamma='scale' use the values of X."""
        X = validate_rows(self, X, reset=True)
        own: Any = self
        self._seed = seed_of(own.random_state)
        components = components_of(self._approximation, own.n_components, type(self).__name__)
        self._map = _core.FeatureMap.fit(dataset(X), self._approximation, self._kernel_options(), components, self._seed)
        self.gamma_ = self._map.gamma
        self._n_features_out = self._map.components
        self._take_landmarks()
        return self

    def _take_landmarks(self) -> None:
        pass

    def transform(self, X: Any) -> NDArray[Any]:
        """Returns the mapped rows as float32."""
        check_is_fitted(self)
        X = validate_rows(self, X, reset=False)
        own: Any = self
        return np.array(self._map.apply(dataset(X), threads_of(own.n_jobs)))

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "_map")

    # A map follows from its options and landmarks; those are what is pickled.

    def _landmarks(self) -> _core.Dataset | None:
        return None

    def __getstate__(self) -> dict[str, Any]:
        state = dict(super().__getstate__())
        state.pop("_map", None)
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        if not hasattr(self, "_seed"):
            return
        kernel = self._kernel_options() | {"gamma": self.gamma_}
        self._map = _core.FeatureMap.from_parts(
            self._approximation, kernel, self._n_features_out, self._seed, self.n_features_in_, self._landmarks()
        )

    def _more_tags(self) -> dict[str, Any]:
        return {"preserves_dtype": [np.float32]}

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.transformer_tags.preserves_dtype = ["float32"]
        return tags


class RandomFourierFeatures(_KernelMap):
    """Random Fourier features of the Gaussian or Laplacian kernel (Rahimi and Recht, 2007).

    Half of the ``n_components`` are cosines and half sines, so an odd number is rounded up.

    Examples
    --------
    >>> import numpy as np
    >>> from pegasos import RandomFourierFeatures
    >>> X = np.random.default_rng(0).normal(size=(5, 3)).astype(np.float32)
    >>> Z = RandomFourierFeatures(gamma=0.5, n_components=4096, random_state=1).fit_transform(X)
    >>> K = np.exp(-0.5 * ((X[:, None] - X) ** 2).sum(axis=2))
    >>> bool(np.abs(Z @ Z.T - K).max() < 0.1)
    True
    """

    _approximation = "rff"

    def __init__(
        self,
        *,
        kernel: str = "rbf",
        gamma: str | float = "scale",
        n_components: int = 100,
        random_state: Any = None,
        n_jobs: int | None = None,
    ):
        self.kernel = kernel
        self.gamma = gamma
        self.n_components = n_components
        self.random_state = random_state
        self.n_jobs = n_jobs

    def _kernel_options(self) -> dict[str, Any]:
        require_choice("kernel", self.kernel, ("rbf", "laplacian"), type(self).__name__)
        return {"kernel": self.kernel, "gamma": self.gamma}


class Nystroem(_KernelMap):
    """The Nystroem approximation: whitened kernel values with ``n_components`` rows of the data."""

    _approximation = "nystroem"

    def __init__(
        self,
        kernel: str = "rbf",
        *,
        gamma: str | float = "scale",
        coef0: float = 0.0,
        degree: int = 3,
        n_components: int = 100,
        random_state: Any = None,
        n_jobs: int | None = None,
    ):
        self.kernel = kernel
        self.gamma = gamma
        self.coef0 = coef0
        self.degree = degree
        self.n_components = n_components
        self.random_state = random_state
        self.n_jobs = n_jobs

    def _kernel_options(self) -> dict[str, Any]:
        kernels = ("rbf", "laplacian", "poly", "chi2", "linear")
        require_choice("kernel", self.kernel, kernels, type(self).__name__)
        return {
            "kernel": library_name(self.kernel),
            "gamma": self.gamma,
            "coef0": float(self.coef0),
            "degree": int(self.degree),
        }

    def _take_landmarks(self) -> None:
        rows = self._map.landmarks()
        self.components_ = np.array(rows) if isinstance(rows, np.ndarray) else csr_matrix(rows, self.n_features_in_).copy()

    def _landmarks(self) -> _core.Dataset:
        rows = self.components_
        return dataset(rows if sparse.issparse(rows) else np.ascontiguousarray(rows))


class TensorSketch(_KernelMap):
    """Tensor sketch of the polynomial kernel (Pham and Pagh, 2013).

    ``n_components`` is rounded up to a power of two.
    """

    _approximation = "tensorsketch"

    def __init__(
        self,
        *,
        gamma: str | float = "scale",
        coef0: float = 0.0,
        degree: int = 2,
        n_components: int = 128,
        random_state: Any = None,
        n_jobs: int | None = None,
    ):
        self.gamma = gamma
        self.coef0 = coef0
        self.degree = degree
        self.n_components = n_components
        self.random_state = random_state
        self.n_jobs = n_jobs

    def _kernel_options(self) -> dict[str, Any]:
        return {
            "kernel": "polynomial",
            "gamma": self.gamma,
            "coef0": float(self.coef0),
            "degree": int(self.degree),
        }
