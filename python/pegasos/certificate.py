"""What is proven about a fitted estimator: certificates and their verification."""

from __future__ import annotations

import html
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Certificate:
    """An objective, a lower bound on every model's objective, and the gap between them.

    ``objective`` is the regularised training objective of this model; ``dual`` is a lower bound on
    the objective of every model; ``gap`` is (objective - dual)/dual, so the model is proven to be
    within that fraction of the optimum. For several binary classifiers, ``classifiers`` holds one
    certificate each, and this certificate is the one with the widest gap.
    """

    objective: float
    regulariser: float
    mean_loss: float
    dual: float | None
    gap: float | None
    wrong: int | None = None
    name: str = ""
    classifiers: tuple["Certificate", ...] = field(default=(), repr=False)

    def within(self, share: float) -> bool:
        """Whether the objective is proven to be within this fraction of the optimum."""
        return self.gap is not None and self.gap <= share

    def __str__(self) -> str:
        if self.dual is None:
            return f"objective {self.objective:.6g}, nothing proven about the optimum"
        if self.gap is None:
            return f"objective {self.objective:.6g}, lower bound {self.dual:.6g}"
        return f"objective {self.objective:.6g}, within {100 * self.gap:.2g} % of the optimum (lower bound {self.dual:.6g})"

    def _repr_html_(self) -> str:
        rows = self.classifiers or (self,)
        cells = "".join(
            f"<tr><td>{html.escape(one.name)}</td><td>{one.objective:.6g}</td>"
            f"<td>{_number(one.dual)}</td><td>{_number(one.gap)}</td></tr>"
            for one in rows
        )
        return (
            "<table><thead><tr><th>classifier</th><th>objective</th><th>lower bound</th>"
            f"<th>relative gap</th></tr></thead><tbody>{cells}</tbody></table>"
        )


@dataclass(frozen=True)
class Verification:
    """The result of ``verify``; ``holds`` is true if the certificate was re-proven on the data."""

    finding: str
    holds: bool
    refuted: bool
    same_data: bool
    classifiers: tuple[dict[str, Any], ...] = ()

    def __bool__(self) -> bool:
        return self.holds


def certificate_from(described: dict[str, Any] | None, named: list[tuple[str, Any]]) -> Certificate | None:
    """Makes a certificate from the dictionaries of the binding."""
    if described is None:
        return None
    several = tuple(_one(one, name) for name, one in named if one is not None) if len(named) > 1 else ()
    return _one(described, "", several)


def _one(described: dict[str, Any], name: str, several: tuple[Certificate, ...] = ()) -> Certificate:
    return Certificate(
        objective=described["primal"],
        regulariser=described["regulariser"],
        mean_loss=described["mean_loss"],
        dual=described["dual"],
        gap=described["relative_gap"],
        wrong=described["wrong"],
        name=name,
        classifiers=several,
    )


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.6g}"
