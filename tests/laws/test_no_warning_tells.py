"""Neighbours with absurd values fit, take part and sum alike, though NumPy is told to raise at underflows."""

import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from relgauss.bounded import clipped_mean, clipped_sum
from relgauss.budget import Budget
from relgauss.grouped import release_means
from relgauss.ledger import SpendRecord
from relgauss.linear_model import PrivateLogisticRegression, PrivateRidge
from relgauss.nodes.participant import Released
from relgauss.nodes.regression import logistic_participant, ridge_participant

ROWS, DIM = 1_000, 3
RNG = np.random.default_rng(0)
FEATURES = RNG.normal(size=(ROWS, DIM))
LABELS = FEATURES @ [1.0, -1.0, 0.5] + RNG.normal(size=ROWS)
absurd = st.sampled_from([1.7976931348623157e308, -1e308, 1e155, 5e-324, -2e-308, 1e-160, 0.0]) | st.floats(
    allow_nan=False, allow_infinity=False
)
records = st.lists(absurd, min_size=DIM, max_size=DIM).map(np.array)

FITS = {
    "clipped": lambda X, y: PrivateRidge(5.0, 1e-5, mechanism="clipped", random_state=0).fit(X, y),
    "public-iterate": lambda X, y: PrivateRidge(
        5.0, 1e-5, mechanism="public-iterate", fit_intercept=False, random_state=0
    ).fit(X, y),
    "preconditioned": lambda X, y: PrivateRidge(5.0, 1e-5, preconditioner=np.eye(DIM), random_state=0).fit(
        X, y
    ),
    "logistic": lambda X, y: PrivateLogisticRegression(5.0, 1e-5, random_state=0).fit(X, (y > 0).astype(int)),
}


@pytest.mark.parametrize("kind", FITS)
@settings(max_examples=10, deadline=None)
@given(records, records, absurd, absurd)
def test_fits(kind, first, second, label, other):
    for record, its_label in ((first, label), (second, other)):
        X, y = FEATURES.copy(), LABELS.copy()
        X[0], y[0] = record, its_label
        with warnings.catch_warnings(), np.errstate(all="raise"):
            warnings.simplefilter("error", RuntimeWarning)
            assert np.isfinite(FITS[kind](X, y).coef_).all()


@pytest.mark.parametrize("mechanism", ["public-iterate", "isometric", "logistic"])
@pytest.mark.parametrize("value", [5e-324, -2e-308, 1e-160, 1e155, -1.7e308, np.inf, np.nan])
def test_nodes(mechanism, value, tmp_path):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(20_000, DIM))
    y = X @ [1.0, -1.0, 0.5]
    X[0] = y[0] = value
    terms = {"budget": Budget(3.0, 1e-6), "rounds": 1, "record": SpendRecord.create(tmp_path / "spends.db")}
    with warnings.catch_warnings(), np.errstate(all="raise"):
        warnings.simplefilter("error", RuntimeWarning)
        if mechanism == "logistic":
            node = logistic_participant("a", X, y, **terms)
        else:
            node = ridge_participant("a", X, y, mechanism=mechanism, **terms)
        assert isinstance(node.reply("first", np.ones(DIM)), Released)


@pytest.mark.parametrize("query", [clipped_sum, clipped_mean])
@given(records, records)
def test_sums(query, first, second):
    answers = []
    for record in (first, second):
        X = FEATURES.copy()
        X[0] = record
        with np.errstate(all="raise"):
            answers.append(query(X, 2.0))
    assert np.linalg.norm(answers[0].value - answers[1].value) <= answers[0].sensitivity.r


@pytest.mark.parametrize("value", [5e-324, 1e-160, 1e155, -1.7e308])
def test_means(value):
    frame = pd.DataFrame({"job": ["a"] * ROWS, "pay": np.exp(LABELS)})
    frame.loc[0, "pay"] = value
    with np.errstate(all="raise"):
        released = release_means(frame, by="job", value="pay", epsilon=3.0, delta=1e-6)
    assert "a" in str(released)
