"""What all estimators share: options for the library, fitting and fitted attributes."""

from __future__ import annotations

import os
import sys
import warnings
from numbers import Integral, Real
from typing import Any, Callable, Dict, Optional, Tuple

import numpy as np
from numpy.typing import NDArray
from joblib import effective_n_jobs
from scipy import sparse
from sklearn.base import BaseEstimator, is_classifier
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils.validation import _num_samples, check_is_fitted

from . import _core
from ._arrays import csr_matrix, dataset
from ._compat import refuse_bad_values, validate_labels, validate_rows
from ._labels import LabelCode, classes_from
from .certificate import Certificate, Verification, certificate_from

# Names of kernels and losses as scikit-learn spells them, to the library's.
_KERNELS = {"poly": "polynomial", "chi2": "chi-squared"}
_LOSSES = {"log_loss": "logistic", "log": "logistic"}

# Problems with so few values take no time: they are solved to the last digits regardless of tol, so
# that row weights are equivalent to repeated rows.
_FEW_VALUES = 1000
_LAST_DIGITS = 1e-13

# The largest precomputed matrix whose eigenvalues are checked.
_LARGEST_CHECKED_MATRIX = 2000


def library_name(name: str) -> str:
    """Returns the library's name: squared_hinge is squared-hinge; scikit-learn's own names work too."""
    return _LOSSES.get(name, _KERNELS.get(name, name.replace("_", "-")))


def threads_of(n_jobs: int | None) -> int:
    """Converts scikit-learn's n_jobs to a number of threads; None is 1 unless joblib says otherwise."""
    return int(effective_n_jobs(n_jobs))


def seed_of(random_state: Any) -> int:
    """Returns a seed; an integer is the seed itself, as on the command line."""
    if isinstance(random_state, Integral) and int(random_state) >= 0:
        return int(random_state)
    return int(check_random_state(random_state).randint(np.iinfo(np.int32).max))


def require_real(name: str, value: Any, low: float, *, strictly: bool = True, owner: str) -> None:
    """Raises an error that names the parameter if it is not a number above low."""
    good = isinstance(value, Real) and np.isfinite(float(value)) and (float(value) > low if strictly else float(value) >= low)
    if not good:
        bound = "more than" if strictly else "at least"
        raise ValueError(f"The {name!r} parameter of {owner} must be a number {bound} {low:g}. Got {value!r} instead.")


def require_choice(name: str, value: Any, choices: tuple[Any, ...], owner: str) -> None:
    """Raises an error that names the parameter if it is not one of the choices."""
    if not any(value is one or (type(value) is type(one) and value == one) for one in choices):
        listed = ", ".join(repr(one) for one in choices)
        raise ValueError(f"The {name!r} parameter of {owner} must be one of {listed}. Got {value!r} instead.")


def components_of(approximation: str | None, wanted: Any, owner: str) -> int:
    """Rounds the number of components up to what the map needs: even for rff, a power of two for tensorsketch."""
    require_real("n_components", wanted, 0, owner=owner)
    count = max(2, int(wanted))
    if approximation == "rff":
        return (count + 1) // 2 * 2
    return 1 << (count - 1).bit_length() if approximation == "tensorsketch" else count


class Progress:
    """Prints progress: one line that is rewritten in a terminal, otherwise one line per event."""

    def __init__(self, name: str, callback: Callable[[dict[str, Any]], Any] | None, verbose: int | bool):
        self._name = name
        self._callback = callback
        self._verbose = bool(verbose)
        self._rewrites = sys.stderr.isatty()
        self._wrote = False

    def __call__(self, event: dict[str, Any]) -> Any:
        if self._verbose:
            self._show(event)
        return self._callback(event) if self._callback is not None else None

    @property
    def wanted(self) -> bool:
        return self._verbose or self._callback is not None

    def _show(self, event: dict[str, Any]) -> None:
        if event["phase"] == "training":
            which = f" [{event['name']}, {event['finished']} of {event['classifiers']} done]" if event["name"] else ""
            gap = "" if event["gap"] is None else f", gap {event['gap']:.2e}"
            text = f"{self._name}{which}: epoch {event['epoch']}, objective {event['objective']:.6g}{gap}"
        else:
            text = f"{self._name}: {event['phase']}, {event['finished']} of {event['classifiers']}"
        print(("\r\x1b[K" if self._rewrites else "") + text, end="" if self._rewrites else "\n", file=sys.stderr, flush=True)
        self._wrote = True

    def end(self) -> None:
        """Ends the line that was being rewritten."""
        if self._wrote and self._rewrites:
            print(file=sys.stderr, flush=True)


# What is trained on: validated rows, their label values or targets, weights, classes and options of the library.
Problem = Tuple[Any, "NDArray[Any]", Optional["NDArray[Any]"], Optional[LabelCode], Dict[str, Any]]


class PegasosEstimator(BaseEstimator):  # type: ignore[misc]
    """Fits models of the library and provides their certificates.

    Subclasses implement ``_options``, which translates their parameters into options of the library.
    """

    _model: _core.Model

    def _options(self) -> dict[str, Any]:
        raise NotImplementedError

    def _problem(self, X: Any, y: Any, sample_weight: Any) -> Problem:
        """Validates rows and targets, and sets the attributes that follow from them."""
        raise NotImplementedError

    # ---- fitting ----

    def _kernel(self) -> Any:
        return getattr(self, "kernel", None)

    def _kernel_rows(self, X: Any) -> Any:
        """Returns X, or for a callable kernel the kernel matrix of X and the training rows."""
        if not callable(self._kernel()):
            return X
        matrix = self._kernel()(X, self._fit_rows)
        matrix = np.asarray(matrix.toarray() if sparse.issparse(matrix) else matrix, dtype=np.float32, order="C")
        expected = (_num_samples(X), _num_samples(self._fit_rows))
        if matrix.shape != expected:
            raise ValueError(f"kernel returned a matrix of shape {matrix.shape}, expected {expected}")
        return matrix

    def _is_precomputed(self) -> bool:
        return callable(self._kernel()) or self._kernel() == "precomputed"

    def _train(
        self, X: Any, labels: NDArray[Any], weights: NDArray[Any] | None, code: LabelCode | None, options: dict[str, Any]
    ) -> Any:
        """Trains on validated rows and sets all fitted attributes."""
        if callable(self._kernel()):
            self._fit_rows = X
        rows = self._kernel_rows(X)
        if self._is_precomputed() and rows.shape[0] != rows.shape[1]:
            raise ValueError(
                f"Precomputed matrix must be a square matrix. Input is a {rows.shape[0]}x{rows.shape[1]} matrix."
            )
        names = [] if callable(self._kernel()) else self._names()
        try:
            data = dataset(rows, labels, weights, code.words if code else (), names)
        except (_core.InvalidOption, _core.PegasosError):  # a row without a score, too
            refuse_bad_values(self, rows)
            raise
        if self._is_precomputed():
            options["kernel"] = "precomputed"
            options["positive_semidefinite"] = _is_positive_semidefinite(rows)
        tolerance = options.get("tolerance", 1e-3)
        ranks = getattr(self, "_ranks", None)
        few = ranks is None and rows.shape[0] * rows.shape[1] <= _FEW_VALUES
        if few:
            options["tolerance"] = min(tolerance, _LAST_DIGITS)
        given = options.pop("start_weights", None)
        if given is not None and code is not None:
            coef, intercept = given
            start: _core.Model | None = _core.start_from_weights(data, coef, intercept, code.values.tolist())
        else:
            start = self._start(code, rows.shape[1])
        if start is not None:
            options["start"] = start
        progress = Progress(type(self).__name__, getattr(self, "callback", None), getattr(self, "verbose", 0))
        try:
            trained = _core.train(data, options, progress if progress.wanted else None, ranks)
        finally:
            progress.end()
        if trained["model"] is None:  # stopped before there was a model
            raise trained["raised"] or KeyboardInterrupt()
        self._take(trained, X, labels, tolerance)
        if trained["raised"] is not None:
            raise trained["raised"]
        self._warn_unless_proven(trained, tolerance)
        return self

    def _start(self, code: LabelCode | None, features: int) -> _core.Model | None:
        """Returns the model to start from, if warm_start is set and the model is compatible."""
        model = getattr(self, "_model", None)
        if not getattr(self, "warm_start", False) or model is None or getattr(self, "approximation", None):
            return None
        fits = model.n_features == features and model.is_kernel_machine == (self._kernel() is not None)
        described = model.classes()
        if code is not None:
            fits = fits and described is not None and [value for value, _ in described] == code.values.tolist()
        return model if fits and not model.has_map else None

    def _take(self, trained: dict[str, Any], X: Any, labels: NDArray[Any], tolerance: float) -> None:
        self._model = trained["model"]
        self.__dict__.pop("_counted", None)
        self._reason = trained["reason"]
        self._tolerance = tolerance
        for name in ("coef_", "intercept_", "support_", "support_vectors_", "dual_coef_", "n_support_"):
            self.__dict__.pop(name, None)
        self._describe_model()
        self.fit_time_ = trained["seconds"]
        self.ending_ = trained["ending"]
        trace = [one for one in trained["trace"] if one["phase"] == "training"]
        keys = ("seconds", "classifier", "epoch", "steps", "objective", "dual", "gap")
        self.history_ = {
            key: np.array([np.nan if one[key] is None else one[key] for one in trace]) for key in keys
        }
        if self._model.is_kernel_machine:
            self._take_support(trained["duals"], X, labels)
            if trained["gamma"] is not None:
                self._gamma = trained["gamma"]

    def _describe_model(self) -> None:
        """Sets the attributes that follow from the model alone."""
        model = self._model
        record = model.record
        self.n_iter_ = max([1, *record["epochs_of_machines"]])
        self.lambda_ = record["lambda"]
        self.certificate_: Certificate | None = certificate_from(model.certificate, model.certificates)
        proven = self.certificate_
        self.objective_ = proven.objective if proven else None
        self.dual_ = proven.dual if proven else None
        self.gap_ = proven.gap if proven else None
        if not model.is_kernel_machine:
            coef = model.coef()
            self.coef_ = coef if model.classes() is not None else coef[0]
        self.intercept_ = model.intercept()

    def _take_support(self, duals: list[NDArray[Any]], X: Any, labels: NDArray[Any]) -> None:
        """Sets the support vectors as rows of the training set, those of the first class first.

        The losses are divided by the number of rows, so the coefficient of a row is its dual variable
        over lambda times the number of rows, which is C.
        """
        if not duals:
            self._take_support_of_model()
            return
        rows_of_all = len(labels)
        scale = getattr(self, "C", None) if getattr(self, "lambda_reg", None) is None else 1.0 / (self.lambda_ * rows_of_all)
        kinds, place = np.unique(labels, return_inverse=True)
        if self._model.strategy == "ovo":
            coefficients = np.zeros((len(kinds) - 1, rows_of_all))
            pairs = [(c, d) for c in range(len(kinds)) for d in range(c + 1, len(kinds))]
            for (c, d), a in zip(pairs, duals):
                rows = np.flatnonzero((place == c) | (place == d))
                column = np.where(place[rows] == c, d - 1, c)
                coefficients[column, rows] = scale * a
        else:
            coefficients = scale * np.vstack(duals)
        used = np.flatnonzero(np.any(coefficients != 0, axis=0))
        if self._model.classes() is not None:
            used = used[np.argsort(place[used], kind="stable")]
            self.n_support_ = np.bincount(place[used], minlength=len(kinds)).astype(np.int32)
        else:
            self.n_support_ = np.array([len(used)], dtype=np.int32)
        self.support_ = used.astype(np.int32)
        self.dual_coef_ = np.ascontiguousarray(coefficients[:, used])
        if not self._is_precomputed():
            self.support_vectors_ = X[used]
        if self._kernel() == "linear" and getattr(self, "scaling", None) is None:
            self._set_linear_coef()

    def _take_support_of_model(self) -> None:
        """Without dual variables, takes the support vectors of the model, in which duplicates are merged."""
        vectors, columns, coefficients = self._model.support()
        self.dual_coef_ = np.ascontiguousarray(coefficients.T)
        if vectors is None:
            self.support_ = columns.astype(np.int32)
        elif isinstance(vectors, np.ndarray):
            self.support_vectors_ = np.array(vectors)
        else:
            self.support_vectors_ = csr_matrix(vectors, self._model.n_features).copy()

    def _set_linear_coef(self) -> None:
        self.coef_ = self._linear_coef()

    def _linear_coef(self) -> Any:
        """Returns the weights of a linear kernel; for one-vs-one, those of each pair of classes."""
        vectors = self.support_vectors_
        if self._model.strategy != "ovo":
            product = self.dual_coef_ @ vectors
            return product if sparse.issparse(product) else np.asarray(product)
        ends = np.cumsum(np.concatenate([[0], self.n_support_]))
        of_class = [slice(ends[c], ends[c + 1]) for c in range(len(self.n_support_))]
        pairs = [
            self.dual_coef_[d - 1, of_class[c]] @ vectors[of_class[c]] + self.dual_coef_[c, of_class[d]] @ vectors[of_class[d]]
            for c in range(len(of_class))
            for d in range(c + 1, len(of_class))
        ]
        return sparse.vstack(pairs, format="csr") if sparse.issparse(pairs[0]) else np.array(pairs)

    def _warn_unless_proven(self, trained: dict[str, Any], tolerance: float) -> None:
        proven = self.certificate_
        if trained["ending"] == "stopped" or proven is None or proven.dual is None:
            return
        if proven.within(max(tolerance, 1e-12)) or proven.objective - proven.dual <= 1e-12 * abs(proven.objective):
            return
        epochs = max([1, *self._model.record["epochs_of_machines"]])
        gap = "unknown" if proven.gap is None else f"{proven.gap:.2g}"
        warnings.warn(
            f"{type(self).__name__} stopped after {epochs} iterations with a relative gap of {gap}; "
            f"tol is {tolerance:g}. Increase max_iter, or scale the data.",
            ConvergenceWarning,
            stacklevel=4,
        )

    # ---- afterwards ----

    def _names(self) -> list[str]:
        columns = getattr(self, "_columns", None)
        if columns is not None:
            return list(columns.expanded_names())
        return [str(name) for name in getattr(self, "feature_names_in_", ())]

    def _rows(self, X: Any) -> Any:
        check_is_fitted(self)
        return validate_rows(self, X, reset=False)

    def _ask(self, question: Callable[..., Any], X: Any) -> Any:
        """Applies ``question``, a method of the model, to rows.

        A linear model finds NaN and inf in its scores, which contain them if a row does; this saves a pass.
        """
        check_is_fitted(self)
        if not callable(self._kernel()):
            X = validate_rows(self, X, reset=False, finite=self._is_precomputed())
        rows = self._kernel_rows(X)
        try:
            return question(dataset(rows, check=not self._model.shows_bad_values), self._threads())
        except (_core.InvalidOption, _core.PegasosError):  # a row without a score, too
            refuse_bad_values(self, rows)
            raise

    def _threads(self) -> int:
        return threads_of(getattr(self, "n_jobs", None))

    def _labelled(self, X: Any, y: Any, sample_weight: Any) -> _core.Dataset:
        raise NotImplementedError

    def verify(self, X: Any, y: Any, sample_weight: Any = None, *, tol: float = 1e-3) -> Verification:
        """Re-proves the certificate from the data and the weights alone.

        ``X``, ``y`` and ``sample_weight`` must be those used for training. The result is true if the
        certificate holds.
        """
        found = _core.verify(self._model, self._labelled(X, y, sample_weight), tol, self._threads())
        if found["raised"] is not None:
            raise found["raised"]
        return Verification(
            finding=found["finding"],
            holds=found["finding"] == "holds",
            refuted=found["refuted"],
            same_data=all(one["same_data"] for one in found["classifiers"]),
            classifiers=tuple(found["classifiers"]),
        )

    def report(self, path: str | os.PathLike[str], X: Any = None, y: Any = None, *, name: str | None = None) -> None:
        """Writes an HTML report about the model, with an evaluation if rows and labels are given."""
        check_is_fitted(self)
        rows = None if X is None else self._labelled(X, y, None)
        trace: list[tuple[float, float, float | None]] = []
        if len(self._model.certificates) == 1 and hasattr(self, "history_"):
            history = self.history_
            for seconds, objective, dual in zip(history["seconds"], history["objective"], history["dual"]):
                trace.append((float(seconds), float(objective), None if np.isnan(dual) else float(dual)))
        page = _core.report_page(
            self._model, rows, name or type(self).__name__, "the given rows", trace, self._tolerance, self._threads()
        )
        with open(path, "w", encoding="utf-8") as file:
            file.write(page)

    def save(self, path: str | os.PathLike[str], *, format: str = "pegasos") -> list[str]:
        """Saves the model as the command line does; ``format`` may also be liblinear or libsvm.

        Returns notes about what a text format cannot store.
        """
        check_is_fitted(self)
        if callable(self._kernel()):
            raise ValueError("a model whose kernel is a Python function cannot be saved as a file; pickle the estimator")
        if format == "pegasos":
            self._model.save(os.fspath(path))
            return []
        notes: list[str] = self._model.export(os.fspath(path), format)
        return notes

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Any:
        """Loads an estimator from a model file of the command line, LIBLINEAR or LIBSVM."""
        estimator = cls()
        model = _core.Model.load(os.fspath(path))
        estimator._adopt(model)
        return estimator

    def _adopt(self, model: _core.Model) -> None:
        described = model.classes()
        if (described is not None) != is_classifier(self):
            kind = "classifies" if described is not None else "predicts numbers"
            raise ValueError(f"the model in the file {kind}, which {type(self).__name__} does not")
        record = model.record
        known = {
            "loss": record["loss"].replace("-", "_"),
            "C": 1.0 / (record["lambda"] * record["rows"]) if record["lambda"] > 0 and record["rows"] > 0 else None,
            **(model.kernel or {}),
        }
        valid = self.get_params()
        self.set_params(**{name: value for name, value in known.items() if name in valid and value is not None})
        self._model = model
        self._tolerance = 1e-3
        self.n_features_in_ = model.n_features
        if model.has_feature_names:
            self.feature_names_in_ = np.array(model.feature_names(), dtype=object)
        if described is not None:
            self.classes_ = classes_from(described, model.has_label_words)
            self._code = LabelCode(self.classes_)
        self._describe_model()

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "_model")

    # ---- pickling: the model as the bytes of its file, which are checked when they come back ----

    def __getstate__(self) -> dict[str, Any]:
        state = dict(super().__getstate__())
        if "_model" in state:
            state["_model"] = state["_model"].to_bytes()
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        state = dict(state)
        if isinstance(state.get("_model"), bytes):
            state["_model"] = _core.Model.from_bytes(state["_model"])
        super().__setstate__(state)

    # ---- tags of both systems, and the page in a notebook ----

    def _more_tags(self) -> dict[str, Any]:
        return {"pairwise": self._kernel() == "precomputed"}

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.pairwise = self._kernel() == "precomputed"
        return tags

    def _repr_html_inner(self) -> str:
        page = str(super()._repr_html_inner())
        proven: Certificate | None = getattr(self, "certificate_", None)
        if proven is not None:
            page += proven._repr_html_()
        return page


def _is_positive_semidefinite(matrix: Any) -> bool:
    """Checks the eigenvalues in double precision; for large matrices the answer is no."""
    if sparse.issparse(matrix):
        matrix = matrix.toarray()
    if matrix.shape[0] > _LARGEST_CHECKED_MATRIX:
        return False
    whole = np.asarray(matrix, dtype=np.float64)
    if whole.shape[0] != whole.shape[1] or not np.allclose(whole, whole.T):
        return False
    values = np.linalg.eigvalsh(whole)
    return bool(values[0] >= -1e-6 * max(values[-1], 0.0))


def validated(estimator: Any, X: Any, y: Any, *, reset: bool = True, finite: bool = False, **wanted: Any) -> Any:
    """Validates rows and targets. A callable kernel gets the rows as they are, whatever they are.

    If ``finite`` is False, the binding looks for NaN and inf, unless rows are those of a precomputed kernel.
    """
    if callable(estimator._kernel()):
        return validate_labels(estimator, X, y, **wanted)
    return validate_rows(estimator, X, y, reset=reset, finite=finite or estimator._is_precomputed(), **wanted)


__all__ = ["PegasosEstimator", "Progress", "csr_matrix", "library_name", "require_choice", "require_real", "seed_of"]
