"""Every entry point refuses a bad argument with an error that names it, shows it and says the fix."""

import math
import pickle
from collections.abc import Callable, Iterator
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

import relgauss as rg
from relgauss.accounting import Composition, GaussianPairDP, Odometer, PrivacyFilter, ProfileTable
from relgauss.errors import InvalidParameterError, RelgaussError

NAN, INF = math.nan, math.inf
BOUND = rg.RelativeSensitivity(0.1, 1.0)
CLASSICAL = rg.RelativeSensitivity(0.0, 1.0)
LINEAR = rg.RelativeSensitivity(0.1, 1.0, "linear")
ABSOLUTE = rg.AbsoluteSensitivity(1.0)
GAUSSIAN = rg.Gaussian(ABSOLUTE, 2, 2.0)
RELATIVE = rg.RelativeGaussian(BOUND, 2, 0.1)
ISOMETRIC = rg.IsometricGaussian(BOUND, 2, 2.0)
MECHANISMS = (GAUSSIAN, RELATIVE, ISOMETRIC)
BUDGET = rg.Budget(1.0, 1e-6)
COMPOSITION = rg.compose(rg.GaussianDP(1.0), rg.PureDP(0.1))
TCDP = rg.TruncatedConcentratedDP(0.1, 5.0)
ADDED = rg.GaussianDP(1.0, "add-or-remove")
BATCHES = rg.Subsampled(rg.GaussianDP(1.0), 0.1)
STATEMENT = ISOMETRIC.statement(1e-6)
TARGET = {"dim": 2, "epsilon": 1.0, "delta": 1e-6}

# Every validator meets every bad value in test_validate.py. Here each argument meets the three that tell best
# whether it is checked, and by the right validator; and what only this argument refuses.
NOT_POSITIVE = (INF, "0.1", 0)
NEGATIVE = (INF, "0.1", -1e-300)
NO_PROBABILITY = (NAN, 0, 1)
NO_ORDER = (INF, "2", 1)
NO_COUNT = (0, 2.0, True)

Call = Callable[[object], object]


class Foreign:
    """A type of elsewhere, whose own arithmetic fails."""

    def __float__(self) -> float:
        raise RuntimeError


def numbers() -> Iterator[tuple[str, Call, tuple[object, ...]]]:
    """(argument, call with a value for it, values it must refuse)."""
    yield "eta", lambda v: rg.RelativeSensitivity(v, 1.0), NEGATIVE
    yield "r", lambda v: rg.RelativeSensitivity(0.1, v), NEGATIVE
    yield "r", rg.AbsoluteSensitivity, NOT_POSITIVE
    yield "t", LINEAR.to_quadratic, NOT_POSITIVE
    yield "noise_multiplier", lambda v: rg.Gaussian(ABSOLUTE, 2, v), (*NOT_POSITIVE, 1e-200, 1e200)
    yield "noise_multiplier", lambda v: rg.IsometricGaussian(BOUND, 2, v), (*NOT_POSITIVE, 1e-200, 1e200, 251)
    yield "gamma", lambda v: rg.RelativeGaussian(BOUND, 2, v), (*NOT_POSITIVE, 1e-200, 1e200)
    yield "gamma", lambda v: rg.RelativeGaussian(CLASSICAL, 2, v, 1.0), (INF, "0", 0.1, -1)
    least = RELATIVE.sigma
    yield "sigma", lambda v: rg.RelativeGaussian(BOUND, 2, 0.1, v), (INF, "0.1", least * 0.999)
    yield "sigma", lambda v: rg.RelativeGaussian(CLASSICAL, 2, 0, v), NOT_POSITIVE
    yield "mu", rg.GaussianDP, NEGATIVE
    yield "epsilon", rg.PureDP, NEGATIVE
    yield "epsilon", rg.ApproximateDP, NEGATIVE
    yield "delta", lambda v: rg.ApproximateDP(1.0, v), (*NEGATIVE, 1)
    yield "probability", rg.Failure, NO_PROBABILITY
    yield "shift", lambda v: GaussianPairDP(v, 0.1, 2), NEGATIVE
    yield "excess", lambda v: GaussianPairDP(1.0, v, 2), NOT_POSITIVE
    yield "rho", rg.TruncatedConcentratedDP, NEGATIVE
    yield "omega", lambda v: rg.TruncatedConcentratedDP(0.1, v), (NAN, "5", 1)
    yield "rate", lambda v: rg.PoissonSampled(ADDED, v), (*NOT_POSITIVE, 1.01, 1e-200)
    yield "guarantee", lambda v: rg.PoissonSampled(v, 0.1), (ADDED.rdp, GAUSSIAN, rg.GaussianDP(1.0), None)
    yield "curve", rg.RenyiDP, (TCDP.rdp, TCDP, None, 0.1)
    yield "order_limit", lambda v: rg.RenyiFunction(TCDP.rdp, v), (NAN, "5", 1)
    yield "rate", lambda v: rg.Subsampled(rg.GaussianDP(1.0), v), (*NOT_POSITIVE, 1.01, 1e-200)
    bare_curves = (rg.GaussianDP(1.0).rdp, GAUSSIAN, COMPOSITION, None, 0.1)
    yield "guarantee", lambda v: rg.Subsampled(v, 0.1), bare_curves
    for curve in (COMPOSITION, TCDP, BATCHES):
        yield "alpha", curve.rdp, NO_ORDER
    yield "epsilon", lambda v: rg.Budget(v, 1e-6), NOT_POSITIVE
    yield "delta", lambda v: rg.Budget(1.0, v), NO_PROBABILITY
    yield "share of 'a'", lambda v: BUDGET.split({"a": v}), NOT_POSITIVE
    yield "probability", BUDGET.after_failure, (*NO_PROBABILITY, 1e-6, 0.1)
    for curve in (COMPOSITION, TCDP):
        yield "delta", curve.epsilon, NO_PROBABILITY
        yield "epsilon", curve.delta, NEGATIVE
    yield "delta", lambda v: rg.PrivacyStatement(STATEMENT.charges, v), NO_PROBABILITY
    yield "delta", STATEMENT.epsilon, NO_PROBABILITY
    yield "delta", RELATIVE.best_order, NO_PROBABILITY
    yield "norm", RELATIVE.noise_std, NEGATIVE
    for m in MECHANISMS:
        yield "delta", m.epsilon, NO_PROBABILITY
        yield "epsilon", m.delta, NEGATIVE
        yield "alpha", m.rdp, NO_ORDER
        yield "norm", m.rms_error, NEGATIVE
        yield "delta", m.statement, NO_PROBABILITY
    for act in (rg.calibrate, rg.compare):
        for bound in (BOUND, ABSOLUTE):
            yield "epsilon", lambda v, act=act, b=bound: act(b, **TARGET | {"epsilon": v}), NOT_POSITIVE
            yield "delta", lambda v, act=act, b=bound: act(b, **TARGET | {"delta": v}), NO_PROBABILITY
            yield "norm", lambda v, act=act, b=bound: act(b, **TARGET, norm=v), NEGATIVE


def counts() -> Iterator[tuple[str, Call, tuple[object, ...]]]:
    yield "dim", lambda v: rg.Gaussian(ABSOLUTE, v, 2.0), NO_COUNT
    yield "dim", lambda v: rg.RelativeGaussian(BOUND, v, 0.1), NO_COUNT
    yield "dim", lambda v: rg.IsometricGaussian(BOUND, v, 2.0), NO_COUNT
    yield "dim", lambda v: GaussianPairDP(1.0, 0.1, v), NO_COUNT
    yield "times", lambda v: rg.compose((rg.GaussianDP(1.0), v)), NO_COUNT
    yield "times", lambda v: rg.Charge("a", rg.GaussianDP(1.0), "proofs/isometric.md", (), v), NO_COUNT
    yield "times", lambda v: rg.compose((BATCHES, v)), NO_COUNT
    yield "size", lambda v: rg.for_group(BATCHES, v), NO_COUNT
    yield "times", lambda v: rg.compose(((rg.GaussianDP(1.0), 2), v)), NO_COUNT
    yield "times", lambda v: Composition(((rg.GaussianDP(1.0), v),)), NO_COUNT
    yield "steps", lambda v: RELATIVE.best_order(1e-6, v), NO_COUNT
    for m in MECHANISMS:
        yield "steps", lambda v, m=m: m.epsilon(1e-6, v), NO_COUNT
        yield "steps", lambda v, m=m: m.delta(1.0, v), NO_COUNT
        yield "steps", lambda v, m=m: m.charge(steps=v), NO_COUNT
        yield "steps", lambda v, m=m: m.statement(1e-6, v), NO_COUNT
        yield "steps", m.composed, NO_COUNT
        rng = np.random.default_rng(0)
        yield "count", lambda v, m=m, rng=rng: m.simulate([1.0, 2.0], v, rng), NO_COUNT
    for act in (rg.calibrate, rg.compare):
        yield "dim", lambda v, act=act: act(BOUND, **TARGET | {"dim": v}), NO_COUNT
        yield "steps", lambda v, act=act: act(BOUND, **TARGET, steps=v), NO_COUNT


def words() -> Iterator[tuple[str, Call, tuple[object, ...]]]:
    no_words = ("other", "", 3)
    yield "neighbours", lambda v: PrivacyFilter(1.0, 1e-6, neighbours=v), no_words
    yield "unit", lambda v: replace(STATEMENT, unit=v), (3, None, NAN)
    yield "neighbours", lambda v: replace(STATEMENT, neighbours=v), (3, None, NAN)
    yield "simulated", lambda v: replace(STATEMENT, simulated=v), ("no", None, 0)
    yield "stage", lambda v: replace(STATEMENT.charges[0], stage=v), (3, None, b"x")
    for kind in (rg.GaussianDP, rg.PureDP, rg.ZeroConcentratedDP):
        yield "neighbours", lambda v, kind=kind: kind(1.0, v), no_words
    yield "form", lambda v: rg.RelativeSensitivity(0.1, 1.0, v), no_words
    yield "provenance", lambda v: rg.RelativeSensitivity(0.1, 1.0, provenance=v), no_words
    yield "nonnegative", lambda v: rg.RelativeSensitivity(0.1, 1.0, nonnegative=v), ("no", None, 2)
    yield "provenance", lambda v: rg.AbsoluteSensitivity(1.0, v), no_words
    yield "provenance", lambda v: rg.Condition("the data fit in memory", v), no_words
    yield "mechanism", lambda v: rg.calibrate(BOUND, **TARGET, mechanism=v), (*no_words, "gaussian")
    absolute = (*no_words, "relative", "isometric")
    yield "mechanism", lambda v: rg.calibrate(ABSOLUTE, **TARGET, mechanism=v), absolute
    yield "method", lambda v: RELATIVE.epsilon(1e-6, method=v), no_words


def kinds() -> Iterator[tuple[str, Call, tuple[object, ...]]]:
    no_sequence = (None, 0.1, NAN, "0.1", {}, np.array(0.1), rg.GaussianDP)
    yield "orders", lambda v: rg.RenyiTable(v, (0.1,)), no_sequence
    yield "divergences", lambda v: rg.RenyiTable((2.0,), v), no_sequence
    yield "epsilons", lambda v: ProfileTable(v, (0.1,)), no_sequence
    yield "deltas", lambda v: ProfileTable((0.0,), v), no_sequence
    yield "uses", Composition, no_sequence
    yield "charges", lambda v: replace(STATEMENT, charges=v), no_sequence
    yield "orders", lambda v: PrivacyFilter(1.0, 1e-6, orders=v), no_sequence
    yield "spent", lambda v: PrivacyFilter(1.0, 1e-6, spent=v), no_sequence
    for name in ("pure", "failures"):
        negative = (-1, Fraction(-1, 10**9), NAN, 0.5, "0", None, True)
        yield name, lambda v, name=name: PrivacyFilter(1.0, 1e-6, **{name: v}), negative
    yield "orders", lambda v: Odometer(1e-6, orders=v), no_sequence
    yield "spends", lambda v: Odometer(1e-6, spends=v), no_sequence
    foreign = (Foreign(), Decimal("sNaN"), np.array([0.1, 0.2]))
    yield "mu", rg.GaussianDP, foreign
    yield "omega", lambda v: rg.TruncatedConcentratedDP(0.1, v), foreign
    yield "order_limit", lambda v: rg.RenyiFunction(TCDP.rdp, v), foreign
    no_bound = (None, 0.1, rg.RelativeSensitivity)
    yield "sensitivity", lambda v: rg.Gaussian(v, 2, 2.0), (*no_bound, BOUND)
    yield "sensitivity", lambda v: rg.RelativeGaussian(v, 2, 0.1), (*no_bound, ABSOLUTE)
    yield "sensitivity", lambda v: rg.IsometricGaussian(v, 2, 2.0), (*no_bound, ABSOLUTE)
    yield "sensitivity", lambda v: rg.calibrate(v, **TARGET), no_bound
    yield "sensitivity", lambda v: rg.compare(v, **TARGET), no_bound
    no_part = (
        None,
        1.0,
        "a",
        rg.GaussianDP,
        (rg.GaussianDP(1.0), 2, 3),
        [rg.GaussianDP(1.0)],
        ABSOLUTE,
        TCDP.rdp,
    )
    yield "part", rg.compose, no_part
    yield "guarantee", lambda v: rg.Charge("a", v, "proofs/isometric.md"), (None, 1.0, "1-GDP", ISOMETRIC)
    yield "shares", BUDGET.split, (None, 0.5, "a", [0.5, 0.5])
    no_generator = (0, np.random.RandomState(0), False)
    for m in MECHANISMS:
        yield "rng", lambda v, m=m: m.release([1.0, 2.0], rng=v), no_generator


ALL = [
    pytest.param(name, call, value, id=f"{number}-{name}-{value!r:.20}")
    for number, (name, call, values) in enumerate([*numbers(), *counts(), *words(), *kinds()])
    for value in values
]


@pytest.mark.parametrize(("name", "call", "value"), ALL)
def test_a_bad_argument_is_named_shown_and_mended(name, call, value):
    with pytest.raises(RelgaussError) as caught:
        call(value)
    error = caught.value
    assert isinstance(error, ValueError)
    assert isinstance(error, InvalidParameterError)
    assert name in error.name
    assert name in str(error)
    assert repr(value) in str(error)
    assert error.fix.strip().endswith(".")
    assert str(error).endswith(error.fix)
    restored = pickle.loads(pickle.dumps(error))
    assert type(restored) is type(error)
    assert (str(restored), restored.fix, restored.name) == (str(error), error.fix, error.name)


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: rg.RelativeSensitivity(0.0, 0.0), "needs no noise"),
        (lambda: BUDGET.split({}), "sum of shares"),
        (lambda: BUDGET.split({"a": 0.7, "b": 0.4}), "sum of shares"),
        (lambda: rg.RelativeGaussian(rg.RelativeSensitivity(1e8, 1.0), 2, 1e16).tcdp(), "no order"),
        (lambda: rg.RelativeGaussian(CLASSICAL, 2, 0.0, 1.0).tcdp(), "eta > 0"),
        (lambda: RELATIVE.event(), "compare"),
        (lambda: rg.RelativeGaussian(rg.RelativeSensitivity(0.1), 2, 0.1).release([1.0, 2.0]), "r > 0"),
    ],
)
def test_what_does_not_go_together_is_refused(call, says):
    with pytest.raises(RelgaussError, match=says) as caught:
        call()
    assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)


def test_an_error_survives_pickle_even_when_the_bad_value_does_not():
    with pytest.raises(InvalidParameterError) as caught:
        ISOMETRIC.release([1.0, 2.0], rng=np.random)
    assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)
