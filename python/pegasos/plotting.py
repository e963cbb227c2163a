"""Plots of a fitted estimator; they need matplotlib."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

__all__ = ["plot_decision_regions", "plot_history"]


def _axes(ax: Any) -> Any:
    if ax is not None:
        return ax
    try:
        import matplotlib.pyplot as pyplot
    except ImportError as problem:
        raise ImportError("plots need matplotlib, which is not installed") from problem
    return pyplot.subplots()[1]


def plot_history(estimator: Any, ax: Any = None) -> Any:
    """Plots objective and lower bound against training time.

    With several classifiers, each has its own pair of lines.
    """
    check_is_fitted(estimator)
    ax = _axes(ax)
    history = estimator.history_
    for number in np.unique(history["classifier"]):
        own = history["classifier"] == number
        (line,) = ax.plot(history["seconds"][own], history["objective"][own], label=f"objective {int(number)}")
        ax.plot(history["seconds"][own], history["dual"][own], "--", color=line.get_color(), label=f"lower bound {int(number)}")
    ax.set_xlabel("seconds")
    ax.set_ylabel("objective")
    ax.legend()
    return ax


def plot_decision_regions(estimator: Any, X: Any, y: Any, ax: Any = None, *, resolution: int = 200) -> Any:
    """Plots the predicted class at each point of the plane, for a classifier with two features, and the rows."""
    check_is_fitted(estimator)
    X = np.asarray(X)
    if X.ndim != 2 or X.shape[1] != 2:
        raise ValueError(f"plot_decision_regions needs rows of 2 features, got an array of shape {X.shape}")
    ax = _axes(ax)
    low, high = X.min(axis=0), X.max(axis=0)
    margin = 0.05 * np.maximum(high - low, 1e-12)
    across, up = (np.linspace(low[j] - margin[j], high[j] + margin[j], resolution) for j in range(2))
    points = np.stack(np.meshgrid(across, up), axis=-1).reshape(-1, 2).astype(np.float32)
    place = np.searchsorted(estimator.classes_, estimator.predict(points)).reshape(resolution, resolution)
    levels = np.arange(len(estimator.classes_) + 1) - 0.5
    ax.contourf(across, up, place, levels=levels, alpha=0.3)
    for one in estimator.classes_:
        ax.scatter(X[y == one, 0], X[y == one, 1], s=10, label=str(one))
    ax.legend()
    return ax
