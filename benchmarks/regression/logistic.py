"""ijcnn1 as a matter of two classes: the log-loss of private fits beyond that of logistic regression."""

from __future__ import annotations

import warnings

import numpy as np
from rich.table import Table
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from benchmarks.regression import datasets
from benchmarks.regression.protocol import DELTA
from benchmarks.regression.tables import console
from relgauss.linear_model import PrivateLogisticRegression

_DATA = "ijcnn1"
_EPSILONS = (0.1, 1.0)


def run(seeds: int) -> None:
    """Print the table; the bounds are the columns' minima and maxima."""
    if _DATA in datasets.missing():
        return
    task = next(task for task in datasets.tasks() if task.name == _DATA)
    features, classes = task.features, (task.labels > 0).astype(int)
    plain = make_pipeline(StandardScaler(), LogisticRegression(C=1e9, max_iter=500)).fit(features, classes)
    least = log_loss(classes, plain.predict_proba(features))
    table = Table(title=f"{_DATA}: excess log-loss, median (most) of {seeds} seeds; 0 is logistic regression")
    for header in ("epsilon", "nothing given", "bounds"):
        table.add_column(header, justify="right")
    for epsilon in _EPSILONS:
        cells = []
        for bounds in (None, (features.min(axis=0), features.max(axis=0))):
            losses = []
            for seed in range(seeds):
                model = PrivateLogisticRegression(
                    epsilon, DELTA, classes=[0, 1], feature_bounds=bounds, random_state=seed
                )
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    chances = model.fit(features, classes).predict_proba(features)
                losses.append(log_loss(classes, chances) - least)
            cells.append(f"{np.median(losses):.5f} ({max(losses):.5f})")
        table.add_row(f"{epsilon:g}", *cells)
    console.print(table)
