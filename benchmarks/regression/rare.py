"""Rare classes: how often a fit of made-up records tells two classes apart, and how well."""

from __future__ import annotations

import warnings

import numpy as np
from rich.table import Table
from scipy.optimize import brentq
from scipy.special import expit
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss, roc_auc_score

from benchmarks.regression.protocol import DELTA
from benchmarks.regression.tables import console
from relgauss.linear_model import Fitted, PrivateLogisticRegression

_COUNTS, _EPSILONS, _SHARES = (5_000, 20_000, 100_000), (0.3, 1.0, 3.0), (0.5, 0.2, 0.1, 0.04, 0.01)
_SLOPES = {
    "strong": (1.0, 0.8, 0.6, 0.5, 0.4, 0.0),
    "weak": (0.4, 0.3, 0.3, 0.2, 0.0, 0.0),
    "nothing": (0.0,) * 6,
}


def table(share: float, count: int, kind: str) -> tuple[np.ndarray, np.ndarray]:
    """Six features of unlike forms, and a class that occurs so often."""
    rng = np.random.default_rng(7)
    features = np.column_stack(
        [
            rng.normal(size=count),
            rng.lognormal(3, 1, count),
            rng.uniform(0, 90, count),
            rng.random(count) < 0.2,
            rng.exponential(5, count),
            rng.normal(100, 15, count),
        ]
    )
    scaled = (features - features.mean(axis=0)) / features.std(axis=0)
    scaled[:, 1], scaled[:, 4] = np.log(features[:, 1]) - 3, scaled[:, 4].clip(-3, 3)
    scores = scaled @ np.array(_SLOPES[kind])
    level = brentq(lambda each: expit(scores + each).mean() - share, -20, 20)
    return features, (rng.random(count) < expit(scores + level)).astype(int)


def run(seeds: int, only: str = "") -> None:
    """Print a table for each kind of signal whose name holds ``only``."""
    for kind in _SLOPES:
        if only not in kind:
            continue
        shown = Table(
            title=f"{kind}: part fitted, median log-loss over the constant's, median AUC of the fitted; "
            f"fitted and above 1.05; {seeds} seeds"
        )
        for header in ("records", "share", "not private", *(f"epsilon {each:g}" for each in _EPSILONS)):
            shown.add_column(header, justify="right")
        for count in _COUNTS:
            for share in _SHARES:
                shown.add_row(f"{count:,}", f"{share:g}", *_cells(share, count, kind, seeds))
        console.print(shown)


def _cells(share: float, count: int, kind: str, seeds: int) -> list[str]:
    features, classes = table(share, count, kind)
    constant = log_loss(classes, np.full(count, classes.mean()))
    scaled = (features - features.mean(axis=0)) / features.std(axis=0)
    plain = LogisticRegression(C=1e6, max_iter=500).fit(scaled, classes).predict_proba(scaled)
    cells = [f"{log_loss(classes, plain) / constant:.3f}"]
    for epsilon in _EPSILONS:
        losses, areas, bad = [], [], 0
        for seed in range(seeds):
            model = PrivateLogisticRegression(epsilon, DELTA, classes=[0, 1], random_state=seed)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                chances = model.fit(features, classes).predict_proba(features)
            losses.append(log_loss(classes, chances) / constant)
            if isinstance(model.outcome_, Fitted):
                areas.append(roc_auc_score(classes, chances[:, 1]))
                bad += losses[-1] > 1.05
        area = f"{np.median(areas):.2f}" if areas else "–"
        cells.append(f"{len(areas) / seeds:.0%} {np.median(losses):.3f} {area}; {bad}")
    return cells
