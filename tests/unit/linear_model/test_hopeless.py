"""A fit that public numbers show to be hopeless: told before it spends, with what would do, and cheap."""

import pickle
import re
import warnings
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from relgauss.accounting import gdp
from relgauss.budget import Budget
from relgauss.descent.objectives import Logistic, Squared
from relgauss.descent.softmax import Softmax
from relgauss.linear_model import (
    Degraded,
    DegradedFitWarning,
    Fitted,
    HopelessFitWarning,
    PrivateLogisticRegression,
    PrivateRidge,
    WrongBoundsWarning,
)
from relgauss.linear_model.hopeless import too_few_records
from relgauss.linear_model.problem import Problem
from relgauss.linear_model.public_knowledge import read_public_knowledge
from relgauss.linear_model.solvers import SOLVERS
from relgauss.mechanisms.base import Mechanism
from relgauss.records.blocks import ArrayRows

RNG = np.random.default_rng(0)
FEATURES = RNG.normal(size=(300, 4))
LABELS = FEATURES @ [1.0, 2.0, -1.0, 0.5] + 50


def problem(
    count: int, columns: int, *, features: bool, label: bool, objective: Any = None, intercept: bool = True
) -> Problem:
    """Of so many records that none is held: the rule must not look at them."""
    rows = ArrayRows(np.broadcast_to(np.nan, (count, columns)), np.broadcast_to(np.nan, count))
    bounds = (-1.0, 1.0)
    stated = bounds if features else None, bounds if label else None
    known = read_public_knowledge([f"x{j}" for j in range(columns)], *stated, None, None, None)
    return Problem(rows, objective or Squared(), known, 0.0, intercept)


def hopeless(given: Problem, epsilon: float, delta: float, mechanism: str = "clipped") -> Degraded | None:
    solver = SOLVERS[mechanism](given, Budget(epsilon, delta))
    return solver.refusal() if solver.signal >= solver.least_signal else too_few_records(solver)


@settings(max_examples=60, deadline=None)
@given(
    count=st.integers(1, 10**6),
    columns=st.integers(1, 200),
    epsilon=st.floats(1e-3, 20),
    delta=st.sampled_from([1e-9, 1e-6, 1e-3]),
    features=st.booleans(),
    label=st.booleans(),
)
def test_each_remedy_by_itself_is_enough_to_try(
    count: int, columns: int, epsilon: float, delta: float, features: bool, label: bool
):
    why = hopeless(problem(count, columns, features=features, label=label), epsilon, delta)
    if why is None:
        return
    enough = records_named(why)
    assert enough > count
    assert hopeless(problem(enough, columns, features=features, label=label), epsilon, delta) is None
    for larger in re.findall(r"epsilon ([\d.e-]+\d)", why.fix):
        assert epsilon < float(larger) <= 10
        again = problem(count, columns, features=features, label=label)
        assert hopeless(again, float(larger), delta) is None
    for stated in (False, True):  # a fit that is hopeless without bounds is so within them
        other = problem(count, columns, features=stated, label=stated)
        assert hopeless(other, epsilon, delta) == why


def records_named(why: Degraded) -> int:
    (records,) = re.findall(r"at least ([\d,]+) records", why.fix)
    return int(records.replace(",", ""))


@pytest.mark.parametrize("epsilon", [1.0, 6.0])
@pytest.mark.parametrize(
    ("columns", "classes", "bounds"),
    [(1, 0, False), (3, 0, True), (12, 0, False), (5, 2, False), (3, 3, True)],
)
@pytest.mark.filterwarnings("ignore")
def test_with_the_records_that_are_named_most_fits_end_with_a_model(
    columns: int, classes: int, bounds: bool, epsilon: float
):
    rng, objective = np.random.default_rng(columns), {2: Logistic(), 3: Softmax.of(3)}.get(classes)
    few = problem(20, columns, features=bounds, label=bounds or classes > 0, objective=objective)
    why = hopeless(few, epsilon, 1e-6)
    assert why is not None
    records, scores, fitted = records_named(why), classes if classes > 2 else 1, 0
    for seed in range(12):
        features = rng.uniform(-2, 2, (records, columns))
        parts = features @ rng.choice([-1.0, 1.0], (columns, scores))
        labels = parts / parts.std(axis=0) + rng.normal(size=parts.shape)  # half is explained
        ends = {"feature_bounds": (-2, 2)} if bounds else {}
        if classes:
            chosen = labels.argmax(axis=1) if classes > 2 else (labels[:, 0] > 0).astype(int)
            model: Any = PrivateLogisticRegression(epsilon, classes=range(classes), random_state=seed, **ends)
            model.fit(features, chosen)
        else:
            known = {"label_bounds": (-6, 6)} if bounds else {}
            model = PrivateRidge(epsilon, random_state=seed, **ends, **known).fit(features, labels[:, 0])
        fitted += isinstance(model.outcome_, Fitted)
    assert fitted >= 7


@pytest.mark.parametrize("mechanism", ["public-iterate", "isometric"])
def test_an_epsilon_that_would_do_does_so_for_every_mechanism(mechanism: str):
    few = problem(300, 5, features=False, label=False)
    why = hopeless(few, 1.0, 1e-6, mechanism)
    assert why is not None
    for larger in re.findall(r"epsilon ([\d.]+\d)", why.fix):
        assert hopeless(few, float(larger), 1e-6, mechanism) is None


@pytest.mark.parametrize(
    ("count", "columns", "classes", "epsilon", "tried"),
    [(569, 30, 2, 1.0, "3"), (569, 30, 2, 2.0, "3"), (178, 13, 3, 5.0, "6.6"), (30, 4, 0, 1.0, None)],
)
def test_the_least_epsilon_to_try_is_named_where_there_is_one(
    count: int, columns: int, classes: int, epsilon: float, tried: str | None
):
    """Tables of the sizes of breast cancer and of wine, of which no more records can be had."""
    objective = {2: Logistic(), 3: Softmax.of(3)}.get(classes)
    few = problem(count, columns, features=False, label=classes > 0, objective=objective)
    why = hopeless(few, epsilon, 1e-6)
    assert why is not None
    found = re.findall(r"From epsilon ([\d.]+) on a fit is tried", why.fix)
    if found:
        assert epsilon < float(found[0]) <= 10
        assert hopeless(few, float(found[0]), 1e-6) is None
        assert hopeless(few, 0.94 * float(found[0]), 1e-6) is not None
    assert found == [each for each in [tried] if each]


def test_a_mechanism_that_cannot_keep_the_budget_is_told_too():
    why = hopeless(problem(100, 5, features=True, label=True), 8.0, 1e-6, "relative")
    assert why is not None
    assert "RGM" in why.reason
    assert "'clipped'" in why.fix


@pytest.fixture
def no_noise(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Mechanism, "release", lambda *_, **__: pytest.fail("something was released"))


@pytest.mark.usefixtures("no_noise")
@pytest.mark.parametrize(
    "model", [PrivateRidge(), PrivateRidge(mechanism="relative"), PrivateLogisticRegression()]
)
def test_as_an_error_the_warning_stops_the_fit_before_anything_is_spent(model: Any):
    with warnings.catch_warnings():
        warnings.simplefilter("error", HopelessFitWarning)
        with pytest.raises(HopelessFitWarning, match="300 records are too few for 4 features"):
            model.fit(FEATURES, LABELS > 50)
    assert not hasattr(model, "privacy_")


def test_the_warning_is_one_of_degraded_fits_and_travels():
    warning = HopelessFitWarning(Degraded("Few.", "Use more."))
    assert isinstance(warning, DegradedFitWarning)
    copy = pickle.loads(pickle.dumps(warning))
    assert copy.why == warning.why
    assert str(copy) == str(warning)


def constant(model: Any, labels: np.ndarray, features: np.ndarray = FEATURES) -> Any:
    """Fit with one warning, which comes first, but for one that no label was seen anywhere."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model.fit(features, labels)
    told = [each.category for each in caught if each.category is not WrongBoundsWarning]
    assert isinstance(model.outcome_, Degraded)
    assert told == [HopelessFitWarning, *[DegradedFitWarning] * (not model.outcome_.is_placed)]
    assert (model.coef_ == 0).all()
    return model


@pytest.mark.parametrize("mechanism", ["clipped", "public-iterate", "isometric", "relative"])
@pytest.mark.parametrize("bounds", [(-100.0, 100.0), None], ids=["known", "found"])
def test_a_constant_is_charged_what_it_needs_and_no_more(mechanism: str, bounds: Any):
    """Here all mechanisms are hopeless at a budget that is more than a constant needs."""
    model = PrivateRidge(4.0, mechanism=mechanism, label_bounds=bounds)
    features, labels = np.tile(FEATURES, (1, 30)), LABELS
    constant(model, labels, features)
    needed = gdp.epsilon(200 / len(labels), 1e-6)
    assert needed < 4.0
    assert model.privacy_.epsilon() == pytest.approx(needed, rel=1e-6)
    assert model.privacy_.epsilon() <= 4.0


def test_no_constant_costs_more_than_the_budget():
    assert constant(PrivateRidge(0.1), LABELS).privacy_.epsilon() == pytest.approx(0.1, rel=1e-6)


@pytest.mark.usefixtures("no_noise")
@pytest.mark.parametrize(
    "model", [PrivateRidge(fit_intercept=False), PrivateLogisticRegression(fit_intercept=False)]
)
def test_without_an_intercept_it_is_zero_and_costs_nothing(model: Any):
    constant(model, LABELS > 50)
    assert model.privacy_.epsilon() == 0
    assert np.ravel(model.intercept_) == [0.0]


@pytest.mark.filterwarnings("ignore::relgauss.linear_model.outcome.HopelessFitWarning")
def test_the_constant_is_near_the_mean():
    """With 2 % of the half-width as noise, 40 % of it is 20 noise levels."""
    for seed in range(20):
        model = PrivateRidge(4.0, label_bounds=(0.0, 100.0), random_state=seed)
        model.fit(np.tile(FEATURES, (1, 30)), LABELS)
        assert model.intercept_ == pytest.approx(LABELS.mean(), abs=4.0)


@pytest.mark.filterwarnings("ignore::relgauss.linear_model.outcome.HopelessFitWarning")
def test_a_class_share_is_near_the_truth():
    rare = (np.arange(300) % 10 == 0).astype(int)
    for seed in range(20):
        model = PrivateLogisticRegression(4.0, classes=[0, 1], random_state=seed)
        model.fit(np.tile(FEATURES, (1, 30)), rare)
        assert model.predict_proba(np.zeros((1, 120)))[0, 1] == pytest.approx(0.1, abs=0.05)


@pytest.mark.parametrize("labels", [LABELS, 0 * LABELS, 1e300 * LABELS, np.sign(LABELS - 50)])
def test_what_is_told_depends_on_no_record(labels: np.ndarray):
    """But for labels outside of bounds, which ones the mean is of, and how near it is: told from releases."""
    expected = constant(PrivateRidge(0.5, label_bounds=(0.0, 1.0)), LABELS)
    model = constant(PrivateRidge(0.5, label_bounds=(0.0, 1.0)), labels, 1e9 * FEATURES)
    told, least = (
        replace(each.outcome_, outside=(), give_or_take=None, clipped_to=None, is_placed=True)
        for each in (model, expected)
    )
    assert told == least
    assert model.privacy_.epsilon() == pytest.approx(expected.privacy_.epsilon(), rel=1e-9)


def test_the_rule_holds_for_classifiers():
    few = problem(300, 4, features=False, label=True, objective=Logistic())
    assert hopeless(few, 1.0, 1e-6) is not None
