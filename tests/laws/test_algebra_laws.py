"""Laws of the algebra of guarantees: every kind, in any mixture, order, grouping and multiplicity."""

import math
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import relgauss as rg
from relgauss.accounting import Composition, GaussianPairDP, gdp
from relgauss.accounting.guarded import Guarded

few = settings(max_examples=8, deadline=None)


def log_uniform(low: float, high: float) -> st.SearchStrategy[float]:
    return st.floats(math.log(low), math.log(high)).map(math.exp)


def kinds(neighbours: str) -> st.SearchStrategy[rg.accounting.Guarantee]:
    """Guarantees of every kind for these neighbours."""
    gaussians = st.builds(rg.GaussianDP, log_uniform(0.01, 1.0), st.just(neighbours))
    pairs = st.builds(
        GaussianPairDP,
        log_uniform(0.01, 1.0),
        log_uniform(1e-3, 0.3),
        st.sampled_from([1, 9]),
        st.just(neighbours),
    )
    plain = st.one_of(
        gaussians,
        pairs,
        st.builds(rg.PureDP, log_uniform(0.01, 1.0), st.just(neighbours)),
        st.builds(rg.ApproximateDP, log_uniform(0.01, 1.0), log_uniform(1e-15, 1e-12), st.just(neighbours)),
        st.builds(
            rg.TruncatedConcentratedDP, log_uniform(1e-4, 0.1), log_uniform(5.0, 100.0), st.just(neighbours)
        ),
        st.builds(rg.ZeroConcentratedDP, log_uniform(1e-4, 0.1), st.just(neighbours)),
        log_uniform(1e-4, 0.1).map(
            lambda rho: rg.RenyiDP(
                rg.RenyiTable((1.5, 4.0, 32.0), (1.5 * rho, 4 * rho, 32 * rho)), neighbours
            )
        ),
        st.just(rg.Failure(1e-13)),
    )
    sampler = rg.PoissonSampled if neighbours == "add-or-remove" else rg.Subsampled
    sampled = st.builds(sampler, st.one_of(gaussians, pairs), log_uniform(1e-3, 0.5))
    return st.one_of(plain, sampled, st.builds(lambda *parts: rg.Parallel(parts), plain, sampled))


parts_of_one_kind = st.sampled_from(["replace-one", "add-or-remove"]).flatmap(
    lambda neighbours: st.lists(st.tuples(kinds(neighbours), st.integers(1, 20)), min_size=1, max_size=4)
)


def assert_same_however_said(parts, random) -> None:
    """Not a digit differs: the same number is computed."""
    expected = rg.compose(*parts)
    shuffled = rg.compose(*random.sample(parts, len(parts)))
    nested = rg.compose(*(rg.compose(part) for part in parts))
    listed = rg.compose(*(part for part, times in parts for _ in range(times)))
    halves = [(part, half) for part, times in parts for half in (times // 2, times - times // 2) if half]
    for other in (shuffled, nested, listed, rg.compose(*halves)):
        assert other.epsilon(1e-6) == expected.epsilon(1e-6)
        assert other.rdp(1.5) == pytest.approx(expected.rdp(1.5), rel=1e-13)
    assert shuffled.delta(0.5) == expected.delta(0.5)


@settings(max_examples=6, deadline=None)
@given(parts_of_one_kind, st.randoms(use_true_random=False))
def test_order_grouping_and_multiplicity_change_nothing(parts, random):
    assert_same_however_said(parts, random)


def test_the_law_sees_a_lost_multiplicity(monkeypatch):
    monkeypatch.setattr(
        Composition, "_merged", property(lambda self: [(Guarded(part), 1) for part, _ in self.uses])
    )
    with pytest.raises(AssertionError):
        assert_same_however_said([(rg.PureDP(0.5), 3), (GaussianPairDP(0.1, 0.1, 3), 2)], Random(0))


@few
@given(parts_of_one_kind)
def test_epsilon_delta_and_curve_agree(parts):
    composed = rg.compose(*parts)
    epsilon = composed.epsilon(1e-6)
    assert 0 <= epsilon < math.inf
    assert composed.delta(epsilon * 1.01 + 1e-9) <= 1e-6 * (1 + 1e-6)
    if composed.leak == composed.failure == 0:
        by_curve = rg.compose(rg.RenyiDP(rg.RenyiFunction(composed.rdp, composed.order_limit)))
        assert epsilon <= by_curve.epsilon(1e-6) * (1 + 1e-6) + 1e-9


@few
@given(parts_of_one_kind, parts_of_one_kind)
def test_parts_for_unlike_neighbours_are_never_mixed(first, second):
    kind, other = rg.compose(*first).neighbours, rg.compose(*second).neighbours
    about_records = [part for part, _ in (*first, *second) if part.neighbours is not None]
    if kind != other and {part.neighbours for part in about_records} == {kind, other}:
        with pytest.raises(rg.RelgaussError, match="neighbours"):
            rg.compose(*first, *second)


@few
@given(
    st.lists(st.tuples(log_uniform(0.01, 1.0), st.booleans()), min_size=1, max_size=6),
    log_uniform(1e-9, 1e-2),
)
def test_gaussians_some_of_which_are_known_by_their_curve_only(mus, delta):
    """The truth is known: all Gaussians together."""
    parts = [rg.ZeroConcentratedDP(mu * mu / 2) if hidden else rg.GaussianDP(mu) for mu, hidden in mus]
    total = math.sqrt(sum(mu * mu for mu, _ in mus))
    found = rg.compose(*parts).epsilon(delta)
    assert gdp.epsilon(total, delta) * (1 - 1e-12) <= found
    assert found <= rg.compose(rg.ZeroConcentratedDP(total**2 / 2)).epsilon(delta) * (1 + 1e-9)


@few
@given(log_uniform(0.05, 2.0), log_uniform(1e-3, 0.9), st.integers(1, 3), st.integers(1, 300))
def test_a_sample_costs_less_than_the_table_and_more_when_larger(mu, rate, kind, steps):
    base = [
        rg.GaussianDP(mu, "add-or-remove"),
        rg.PureDP(mu, "add-or-remove"),
        GaussianPairDP(mu, 0.1, 3, "add-or-remove"),
    ]
    inner = base[kind - 1]
    smaller, larger = (
        rg.compose((rg.PoissonSampled(inner, q), steps)).epsilon(1e-6) for q in (rate / 2, rate)
    )
    assert smaller <= larger * (1 + 1e-2) + 1e-9
    assert larger <= rg.compose((inner, steps)).epsilon(1e-6) * (1 + 1e-2) + 1e-9
