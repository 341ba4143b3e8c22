"""Aggregate numbers of a data set, from which a stand-in of the same shape can be drawn."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from relgauss.arrays import FloatArray

_QUANTILES = (0, 0.001, 0.01, 0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 0.999, 0.9999, 1)
_DIGITS = 6


@dataclass(frozen=True)
class ClassSummary:
    """One label's share of the records, and the frequencies of the one-hot block (none: a single 1).

    Of the other features: the mean beside each one-hot entry, the covariance around these means (matrices row
    after row), and quantiles of the whitened distance to them.
    """

    share: float
    frequencies: tuple[float, ...]
    means: tuple[float, ...]
    covariance: tuple[float, ...]
    distances: tuple[float, ...]


@dataclass(frozen=True)
class Summary:
    """All that a stand-in is drawn from: sums over many records, quantiles, and the range of norms."""

    name: str
    rows: int
    norms: tuple[float, float]
    negative: ClassSummary
    positive: ClassSummary

    def write(self, file: Path) -> None:
        """The summary as JSON."""
        file.write_text(json.dumps(asdict(self), indent=1) + "\n", encoding="utf-8")

    @classmethod
    def read(cls, text: str) -> Summary:
        """Read a summary back from JSON."""
        values: dict[str, Any] = json.loads(text)
        for sign in ("negative", "positive"):
            values[sign] = ClassSummary(**_tuples(values[sign]))
        return cls(**_tuples(values))

    @property
    def quantiles(self) -> tuple[float, ...]:
        """The probabilities at which ``distances`` are given."""
        return _QUANTILES


def summarise(name: str, features: NDArray[np.float32], labels: FloatArray, one_hot: int) -> Summary:
    """Summarise a data set whose first ``one_hot`` features are one-hot."""
    rows = features.astype(np.float64)
    norms = np.linalg.norm(rows, axis=1)
    return Summary(
        name,
        len(rows),
        (float(f"{norms.min():.6g}"), float(f"{norms.max():.6g}")),
        *(_summarise_class(rows[labels == sign], len(rows), one_hot) for sign in (-1, 1)),
    )


def _summarise_class(rows: FloatArray, total: int, one_hot: int) -> ClassSummary:
    block = rows[:, :one_hot] if one_hot else np.ones((len(rows), 1))
    rest = rows[:, one_hot:]
    means = block.T @ rest / block.sum(axis=0)[:, None]
    around = rest - block @ means
    covariance = around.T @ around / len(rows)
    whitened = np.linalg.solve(np.linalg.cholesky(covariance), around.T)
    return ClassSummary(
        len(rows) / total,
        _rounded(block.mean(axis=0)),
        _rounded(means.ravel()),
        _rounded(covariance.ravel()),
        _rounded(np.quantile(np.linalg.norm(whitened, axis=0), _QUANTILES)),
    )


def _tuples(values: dict[str, Any]) -> dict[str, Any]:
    return {name: tuple(value) if isinstance(value, list) else value for name, value in values.items()}


def _rounded(values: FloatArray) -> tuple[float, ...]:
    return tuple(float(f"{value:.{_DIGITS}g}") for value in values)
