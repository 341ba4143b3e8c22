"""Whatever a guarantee says of itself, no number that leaves accounting is below the truth.

The truth is a 1-GDP mechanism. A hostile guarantee tells it, except that any of its numbers may be replaced
by something that is no bound at all: NaN, infinity, a negative number, a text, an array, an overflow, an
exception. What comes out is at least the truth, or an error of ours.
"""

import math
import warnings
from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import relgauss as rg
from relgauss.accounting import GaussianPairDP, Guarantee, convert, gdp, guard, pld
from relgauss.accounting.gaussian_pair import GaussianPair
from relgauss.errors import RelgaussError

TRUE = rg.GaussianDP(1.0)
LEAK = 1e-9


class Raises:
    """An answer that is an exception."""

    def __init__(self, kind: type[Exception]) -> None:
        self.kind = kind

    def __repr__(self) -> str:
        return f"raises {self.kind.__name__}"


NONSENSE = (
    math.nan,
    np.float64("nan"),
    -math.inf,
    -1.0,
    -1e-300,
    "0.1",
    None,
    True,
    1j,
    10**400,
    np.array([0.0, 0.0]),
    np.zeros(3),
    [0.0],
    Raises(OverflowError),
    Raises(ZeroDivisionError),
    Raises(ValueError),
    Raises(KeyError),
)
CLOSED = (math.inf, 1e308, *NONSENSE)
members = (
    "rdp",
    "log_delta",
    "profile_at",
    "reach",
    "is_symmetric",
    "only_renyi",
    "curve_is_of_pair",
    "ordered_profile_at",
    "leak",
    "failure",
    "order_limit",
    "loss_std",
    "largest_loss",
)


@dataclass(frozen=True)
class Hostile(Guarantee):
    """1-GDP with a leak, of which the numbers named in ``lies`` are replaced; NaN only at some orders."""

    lies: tuple[tuple[str, int], ...]
    sometimes: bool = False

    def _say(self, name: str, true: object, at: float = 0.0) -> object:
        for lied, which in self.lies:
            if lied == name and not (self.sometimes and math.floor(at * 7) % 2):
                lie = CLOSED[which]
                if isinstance(lie, Raises):
                    raise lie.kind
                # What log delta may be is any number up to zero, so its nonsense is that and NaN.
                return math.nan if name == "log_delta" and isinstance(lie, float) and lie < 0 else lie
        return true

    @property
    def leak(self):
        return self._say("leak", LEAK)

    @property
    def failure(self):
        return self._say("failure", LEAK)

    @property
    def order_limit(self):
        return self._say("order_limit", math.inf)

    @property
    def loss_std(self):
        return self._say("loss_std", 1.0)

    @property
    def largest_loss(self):
        return self._say("largest_loss", math.inf)

    def reach(self, log_tail):
        return self._say("reach", TRUE.reach(log_tail))

    @property
    def is_symmetric(self):
        return self._say("is_symmetric", True)

    @property
    def neighbours(self):
        return self._say("neighbours", "replace-one")

    @property
    def curve_is_of_pair(self):
        return self._say("curve_is_of_pair", True)

    def ordered_profile_at(self, epsilon, order):
        return self._say("ordered_profile_at", self.profile_at(epsilon))

    @property
    def only_renyi(self):
        return self._say("only_renyi", False)

    def rdp(self, alpha):
        return self._say("rdp", TRUE.rdp(alpha), alpha)

    def log_delta(self, epsilon):
        return self._say("log_delta", TRUE.log_delta(epsilon), epsilon)

    def profile_at(self, epsilon):
        true = TRUE.profile_at(epsilon)
        for name, which in self.lies:
            if name == "profile_at" and isinstance(CLOSED[which], float):
                true[:: 2 if self.sometimes else 1] = CLOSED[which]
                return true
        return self._say("profile_at", true)

    def describe(self):
        return "hostile"


lies = st.lists(
    st.tuples(st.sampled_from(members), st.integers(0, len(CLOSED) - 1)),
    min_size=1,
    max_size=4,
    unique_by=lambda lie: lie[0],
)
hostile = st.builds(Hostile, lies.map(tuple), st.booleans())


def closed(call, truth: float) -> None:
    """The call answers with no less than the truth, or refuses by an error of ours, without a warning."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            found = call()
        except RelgaussError:
            return
    assert type(found) is float
    assert found >= truth * (1 - 1e-12)  # False for NaN


@pytest.mark.parametrize("which", [i for i, lie in enumerate(CLOSED) if lie is not None], ids=str)
def test_neighbours_that_are_none_are_refused_at_once(which):
    for compose in (rg.compose, lambda part: rg.Subsampled(part, 0.1), lambda part: rg.Parallel((part,))):
        with pytest.raises(RelgaussError):
            compose(Hostile((("neighbours", which),)))


@settings(max_examples=60, deadline=None)
@given(hostile, st.integers(1, 3), st.sampled_from([1e-6, 0.1]))
def test_composition(guarantee, times, delta):
    mu = math.sqrt(times)
    alone = rg.compose((guarantee, times))
    beside = rg.compose((guarantee, times), rg.PureDP(0.1), rg.GaussianDP(0.1))
    for composed in (alone, beside):
        closed(lambda c=composed: c.epsilon(delta), gdp.epsilon(mu, delta))
        closed(lambda c=composed: c.delta(0.5), math.exp(gdp.log_delta(mu, 0.5)))
        closed(lambda c=composed: c.rdp(2.0), times * TRUE.rdp(2.0))
        closed(lambda c=composed: c.leak, 0.0)
        closed(lambda c=composed: c.failure, 0.0)


@settings(max_examples=15, deadline=None)
@given(hostile, st.integers(1, 2), st.sampled_from([0.01, 0.5, 1.0]))
def test_subsampling(guarantee, times, rate):
    try:
        batch = rg.Subsampled(guarantee, rate)
    except RelgaussError:
        return
    true = rg.Subsampled(TRUE, rate)
    composed = rg.compose((batch, times))
    closed(lambda: composed.epsilon(1e-6), rg.compose(true).epsilon(1e-6))
    closed(lambda: composed.delta(0.5), rg.compose(true).delta(0.5))
    closed(lambda: composed.rdp(3.0), times * true.rdp(3.0) * (1 - 1e-9))


@settings(max_examples=40, deadline=None)
@given(hostile, st.sampled_from([1e-6, 0.1]))
def test_conversions_and_grids(guarantee, delta):
    exact = gdp.epsilon(1.0, delta)
    closed(lambda: convert.rdp_to_epsilon(guarantee.rdp, math.inf, delta)[1], exact)
    closed(lambda: convert.rdp_to_epsilon_mironov(guarantee.rdp, math.inf, delta)[1], exact)
    log_delta = gdp.log_delta(1.0, 0.5)
    closed(lambda: math.exp(convert.rdp_to_log_delta(guarantee.rdp, math.inf, 0.5)[1]), math.exp(log_delta))
    closed(lambda: pld.epsilon([(guarantee, 2)], delta), gdp.epsilon(math.sqrt(2), delta))


@settings(max_examples=30, deadline=None)
@given(hostile, st.integers(1, 5))
def test_statements(guarantee, times):
    charge = rg.Charge("a", guarantee, "proofs/composition.md", (), times)
    statement = rg.PrivacyStatement((charge, charge), 1e-6)
    closed(statement.epsilon, gdp.epsilon(math.sqrt(2 * times), 1e-6))


@pytest.mark.parametrize("limit", [math.nan, -math.inf, 0.0, 1.0, 1 + 2**-52, 1 + 1e-14, 1 + 1e-9, 1e308])
def test_a_curve_that_ends_anywhere(limit):
    closed(lambda: convert.rdp_to_epsilon(TRUE.rdp, limit, 1e-6)[1], gdp.epsilon(1.0, 1e-6))
    closed(lambda: convert.rdp_to_epsilon_mironov(TRUE.rdp, limit, 1e-6)[1], gdp.epsilon(1.0, 1e-6))


@pytest.mark.parametrize("omega", [math.nextafter(1.0, 2.0), 1 + 1e-15, 1 + 1e-12, 1 + 1e-6])
def test_concentrated_statements_near_order_one(omega):
    near = rg.TruncatedConcentratedDP(0.5, omega)
    closed(lambda: near.epsilon(1e-6), gdp.epsilon(1.0, 1e-6))
    closed(lambda: near.delta(0.5), math.exp(gdp.log_delta(1.0, 0.5)))


@pytest.mark.parametrize("loss_std", [0.0, math.nan, -1.0, math.inf])
def test_a_part_of_unknown_size_is_charged(loss_std):
    """Its profile says that it has a loss, so it is not left out."""

    @dataclass(frozen=True)
    class Unsized(rg.GaussianDP):
        @property
        def loss_std(self):
            return loss_std

    for uses in ((Unsized(1.0),), (Unsized(1.0), rg.PureDP(0.1)), ((Unsized(1.0), 5),)):
        # both searches end a little above the truth, and neither at the same place
        assert rg.compose(*uses).epsilon(1e-6) >= gdp.epsilon(1.0, 1e-6) * (1 - 1e-13)


def test_a_pair_whose_integral_fails_is_no_privacy(monkeypatch):
    """A maximum passes over NaN: one order that cannot be computed must not leave the other two."""
    monkeypatch.setattr(GaussianPair, "log_hockey_stick", lambda *_: math.nan)
    assert rg.compose(GaussianPairDP(0.5, 0.1, 3)).delta(10.0) == 1.0
    assert rg.compose(GaussianPairDP(0.5, 0.1, 3)).epsilon(1e-6) == math.inf


def test_a_curve_that_overflows_in_the_middle_is_not_free():
    """inf - inf at some orders is NaN there: max(0, NaN) would have been an epsilon of zero."""

    def overflows(alpha):
        return math.nan if alpha < 50 else TRUE.rdp(alpha)

    assert convert.rdp_to_epsilon(overflows, math.inf, 1e-6)[1] >= gdp.epsilon(1.0, 1e-6)
    assert convert.rdp_to_epsilon(lambda _: math.nan, math.inf, 1e-6)[1] == math.inf


def test_the_gate_itself():
    for value in NONSENSE:
        assert guard.divergence(value) == math.inf
        assert guard.delta(value) == 1.0
        if not isinstance(value, float) or math.isnan(value):
            assert guard.epsilon(value) == math.inf
            assert guard.log_delta(value) == 0.0
    assert guard.epsilon(-1.0) == 0.0
    assert guard.divergence(np.float32(2)) == 2.0
    assert guard.total([0.1] * 10) > 1.0
    assert guard.exp_up(-1e9) == math.ulp(0.0)
    assert guard.exp_up(0.0) == guard.exp_up(math.nan) == 1.0
    assert guard.total([1e308, 1e308]) == math.inf
    assert guard.profile(np.array([0.5, math.nan, 0.1]), 3).tolist() == [1.0, 1.0, 0.1]
    assert guard.profile(np.array([0.1, 0.5, 0.0]), 3).tolist() == [0.5, 0.5, 0.0]


def test_the_law_sees_a_gate_left_open(monkeypatch):
    """With the old rule, max(0, NaN) = 0, the law convicts."""
    monkeypatch.setattr(guard, "divergence", lambda value: max(0.0, guard.number(value)))
    nan = CLOSED.index(math.nan)
    nan_curve = Hostile((("rdp", nan), ("loss_std", nan)))
    with pytest.raises(AssertionError):
        closed(lambda: rg.compose((nan_curve, 2)).epsilon(1e-6), gdp.epsilon(math.sqrt(2), 1e-6))
