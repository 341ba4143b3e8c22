"""Columns that are publicly 0 or 1, dummies of categories and booleans, have a range without a search."""

from typing import Any

import numpy as np
import pandas as pd
import pytest

from relgauss.linear_model import PrivateLogisticRegression, PrivateRidge
from relgauss.records import read_records

KINDS = {"kind": ["flat", "house", "barn"]}


def homes(seed: int, n: int = 4_000) -> tuple[pd.DataFrame, pd.Series]:
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "size": rng.gamma(5, 20, n),
            "kind": rng.choice(["flat", "house", "barn"], n, p=[0.67, 0.3, 0.03]),
            "pool": rng.random(n) < 0.04,
            "age": rng.uniform(0, 90, n),
        }
    )
    price = 50 + frame["size"] + 40 * (frame["kind"] == "house") + 60 * frame["pool"] + rng.normal(0, 20, n)
    return frame, price


def assert_ranges(model: Any) -> None:
    names = list(model.feature_names_in_)
    for name in ("kind=house", "kind=barn", "pool"):
        place = names.index(name)
        assert (model.feature_range_[0][place], model.feature_range_[1][place]) == (0.0, 1.0)
        assert place not in model.outcome_.ignored


@pytest.mark.parametrize("epsilon", [0.5, 2.0])
def test_rare_categories_and_booleans_are_not_lost(epsilon: float):
    for seed in range(5):
        frame, price = homes(seed)
        assert_ranges(PrivateRidge(epsilon, categories=KINDS, random_state=seed).fit(frame, price))


def test_so_it_is_for_records_and_classifiers():
    frame, price = homes(9)
    records = read_records(frame.assign(price=price), target="price", categories=KINDS)
    assert_ranges(PrivateRidge(2.0, random_state=0).fit(records))
    dear = np.where(price > 170, "yes", "no")
    model = PrivateLogisticRegression(2.0, classes=["no", "yes"], categories=KINDS, random_state=0)
    assert_ranges(model.fit(frame, dear))


def test_their_search_is_spared():
    frame, price = homes(3)
    model = PrivateLogisticRegression(2.0, classes=["no", "yes"], categories=KINDS, random_state=0)
    dear = np.where(price > 170, "yes", "no")
    assert "column ranges" in str(model.fit(frame, dear).privacy_)
    model.fit(frame[["kind", "pool"]], dear)
    assert_ranges(model)
    assert "column ranges" not in str(model.privacy_)
    many = np.arange(20_000) % 5 == 0
    only = PrivateRidge(2.0, random_state=0).fit(many[:, None], 3.0 * many + np.sin(np.arange(20_000)))
    assert only.feature_range_[1] == 1.0


def test_bounds_that_are_stated_come_first():
    frame, price = homes(4)
    model = PrivateRidge(2.0, categories=KINDS, feature_bounds={"pool": (0.0, 0.5)}, random_state=0)
    model.fit(frame, price)
    assert model.feature_range_[1][list(model.feature_names_in_).index("pool")] <= 0.5


@pytest.mark.parametrize("columns", [7, 40], ids=["a fit", "a constant"])
@pytest.mark.filterwarnings("ignore")
def test_label_bounds_far_too_wide_do_no_harm_where_few_records_are_seen(columns: int):
    """Of 7 columns some are too many to search within bounds, of 40 a fit is hopeless; the label is one."""
    rng = np.random.default_rng(5)
    features = rng.normal(size=(3000, columns))
    labels = 40 + 2 * features[:, :3].sum(axis=1) + rng.normal(size=3000)
    errors = []
    for seed in range(10):
        model = PrivateRidge(0.1, feature_bounds=(-4, 4), label_bounds=(-5e3, 5e3), random_state=seed)
        errors.append(np.mean((model.fit(features, labels).predict(features) - labels) ** 2) / labels.var())
    assert np.median(errors) < 1.1
    assert max(errors) < 3  # taken as they are stated: a median of 600
