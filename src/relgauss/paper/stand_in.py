"""Synthetic data of the shape of a real set: the same n, d, one-hot block, label balance, covariances, norms.

The rows are drawn, none is copied: given its label, a record's one-hot entry follows the frequencies, and the
other features are mean + distance · covariance^{1/2} · direction, the distance by the stored quantiles.
"""

from __future__ import annotations

from importlib.resources import files

import numpy as np

from relgauss.arrays import FloatArray
from relgauss.paper.dataset import Dataset, Name
from relgauss.paper.summary import ClassSummary, Summary

_SEED = 20240  # the stand-in is data, the same for everybody; no noise comes from this


def stand_in(name: Name, rows: int | None = None) -> Dataset:
    """The embedded stand-in, by default with as many rows as the data that it stands for."""
    text = files("relgauss.paper").joinpath("summaries", f"{name.lower()}.json").read_text(encoding="utf-8")
    summary = Summary.read(text)
    return draw(summary, name, rows or summary.rows, np.random.default_rng(_SEED))


def draw(summary: Summary, name: Name, rows: int, rng: np.random.Generator) -> Dataset:
    """Draw so many rows."""
    labels = np.full(rows, -1.0)
    labels[: round(summary.positive.share * rows)] = 1.0
    rng.shuffle(labels)
    negative, positive = (
        _draw_class(each, summary, int(np.sum(labels == sign)), rng)
        for sign, each in ((-1.0, summary.negative), (1.0, summary.positive))
    )
    features = np.empty((rows, negative.shape[1]), dtype=np.float32)
    features[labels < 0], features[labels > 0] = negative, positive
    return Dataset(name, features, labels, f"synthetic stand-in for {name}, {rows:,} rows")


def _draw_class(of: ClassSummary, summary: Summary, rows: int, rng: np.random.Generator) -> FloatArray:
    groups = len(of.frequencies)
    hot = groups if groups > 1 else 0
    means = np.array(of.means).reshape(groups, -1)
    dim = means.shape[1]
    group = rng.choice(groups, rows, p=np.array(of.frequencies) / sum(of.frequencies))
    direction = rng.normal(size=(rows, dim))
    direction /= np.linalg.norm(direction, axis=1)[:, None]
    distance = np.interp(rng.random(rows), summary.quantiles, of.distances)
    distance *= np.sqrt(dim / np.mean(distance**2))  # the covariance is to be right; quantiles are coarse
    root = np.linalg.cholesky(np.array(of.covariance).reshape(dim, dim))
    rest = means[group] + distance[:, None] * (direction @ root.T)
    block = np.eye(groups)[group, :hot]
    return np.hstack([block, _within(rest, summary.norms, 1.0 if hot else 0.0)])


def _within(rest: FloatArray, norms: tuple[float, float], block: float) -> FloatArray:
    """Scale rows so that, with a block of this norm beside them, their norms stay in the range."""
    squares = np.einsum("ij,ij->i", rest, rest)
    wanted = np.clip(squares + block**2, norms[0] ** 2, norms[1] ** 2) - block**2
    scaled: FloatArray = rest * np.sqrt(wanted / squares)[:, None]
    return scaled
