"""Guarantees of groups: closed forms against exact laws, chains against closed forms."""

import math
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest

import relgauss as rg
from relgauss.accounting import GaussianPairDP, gdp
from relgauss.accounting.gaussian_pair import GaussianPair
from relgauss.accounting.group import Chained
from relgauss.errors import InvalidParameterError, NoGuaranteeError

EPSILONS = np.linspace(0.0, 6.0, 25)


@pytest.mark.parametrize("size", [2, 3, 7])
def test_closed_forms(size):
    assert rg.for_group(rg.GaussianDP(0.5), size).mu == pytest.approx(0.5 * size, rel=1e-14)
    assert rg.for_group(rg.PureDP(0.5), size).epsilon == pytest.approx(0.5 * size, rel=1e-14)
    approximate = rg.for_group(rg.ApproximateDP(0.5, 1e-9), size)
    assert approximate.delta == pytest.approx(1e-9 * sum(math.exp(0.5 * i) for i in range(size)), rel=1e-9)
    assert approximate.delta >= 1e-9 * sum(math.exp(0.5 * i) for i in range(size))
    tcdp = rg.for_group(rg.TruncatedConcentratedDP(0.01, 100.0), size)
    assert (tcdp.rho, tcdp.omega) == pytest.approx((0.01 * size**2, 100 / size), rel=1e-14)
    assert rg.for_group(rg.GaussianDP(0.5), 1) == rg.GaussianDP(0.5)


def test_multiples_are_rounded_up():
    for mu in (0.1, 0.3, 1 / 7):
        for size in (3, 7, 10):
            assert Fraction(rg.for_group(rg.GaussianDP(mu), size).mu) >= size * Fraction(mu)


def test_a_group_of_gaussian_pairs_is_inside_its_box():
    """Chains of stds and means as the box allows: the last law against the first is within the larger box."""
    inner, size = GaussianPairDP(0.3, 0.2, 4), 3
    box = rg.for_group(inner, size)
    ratio = math.sqrt(1 + inner.excess)
    for ups in [(1, 1, 1), (1, 1, -1), (1, -1, 1), (1, 0, 0), (0, 0, 0)]:
        stds = [1.0]
        for up in ups:
            stds.append(stds[-1] * ratio**up)
        far = sum(inner.shift * min(pair) for pair in pairwise(stds))
        narrow, wide = min(stds[0], stds[-1]), max(stds[0], stds[-1])
        assert far / narrow <= box.shift
        assert (wide / narrow) ** 2 - 1 <= box.excess
        if wide > narrow:
            pair = GaussianPair(far / narrow, (wide / narrow) ** 2 - 1, inner.dim)
            for order in ("forward", "reverse"):
                assert np.all(pair.profile(EPSILONS, order) <= box.profile_at(EPSILONS) * (1 + 1e-9))


@pytest.mark.parametrize("size", [2, 4])
def test_a_chain_is_never_below_the_closed_form(size):
    chained, exact = Chained(rg.GaussianDP(0.4), size), rg.GaussianDP(0.4 * size)
    assert np.all(chained.profile_at(EPSILONS) >= exact.profile_at(EPSILONS))
    for epsilon in (0.0, 0.5, 2.0):
        assert chained.log_delta(epsilon) >= exact.log_delta(epsilon)
    for alpha in (1.01, 2.0, 30.0):
        assert exact.rdp(alpha) <= chained.rdp(alpha) <= exact.rdp(alpha) * (1 + 1e-9)
    assert rg.compose((chained, 3)).epsilon(1e-6) >= gdp.epsilon(0.4 * size * math.sqrt(3), 1e-6)


def test_a_chain_carries_the_leak():
    leaky = Chained(rg.ApproximateDP(0.0, 1e-3), 3)
    assert math.exp(leaky.log_delta(0.0)) == pytest.approx(3e-3, rel=1e-9)
    assert leaky.profile_at(np.array([0.0, 1.0]))[0] == pytest.approx(3e-3, rel=1e-9)
    assert leaky.rdp(2.0) == math.inf


def test_a_sampled_replacement_is_two_steps():
    sampled = rg.PoissonSampled(rg.GaussianDP(1.0, "add-or-remove"), 0.01)
    replaced = rg.as_replace_one(sampled)
    assert replaced.neighbours == "replace-one"
    once = rg.compose(sampled).epsilon(1e-6)
    assert once < rg.compose(replaced).epsilon(1e-6) < rg.compose(rg.GaussianDP(2.0)).epsilon(1e-6)
    assert rg.as_replace_one(rg.GaussianDP(1.0, "add-or-remove")) == rg.GaussianDP(2.0)
    assert rg.as_replace_one(rg.GaussianDP(1.0)) == rg.GaussianDP(1.0)


def test_every_part_of_a_composition_is_taken():
    added = "add-or-remove"
    parts = rg.compose((rg.GaussianDP(0.1, added), 4), rg.PoissonSampled(rg.GaussianDP(1.0, added), 0.01))
    for whole, single in (
        (rg.as_replace_one(parts), rg.as_replace_one),
        (rg.for_group(parts, 3), lambda part: rg.for_group(part, 3)),
    ):
        assert whole.uses == tuple((single(part), times) for part, times in parts.uses)
    mechanism = rg.Gaussian(rg.AbsoluteSensitivity(1.0, neighbours=added), 2, 4.0)
    assert rg.as_replace_one(mechanism).neighbours == "replace-one"
    with pytest.raises(NoGuaranteeError, match="failure"):
        rg.as_replace_one(rg.compose(rg.GaussianDP(0.1, added), rg.Failure(1e-8)))
    with pytest.raises(NoGuaranteeError, match="failure"):
        rg.as_replace_one(rg.Failure(1e-8))


def test_what_is_not_proven_is_refused():
    for part in (rg.Failure(1e-9), Chained):
        with pytest.raises((NoGuaranteeError, InvalidParameterError)):
            rg.for_group(part, 2)
    with pytest.raises(NoGuaranteeError):
        rg.for_group(rg.TruncatedConcentratedDP(0.1, 1.5), 2)
    with pytest.raises(NoGuaranteeError):
        rg.for_group(rg.ApproximateDP(1.0, 1e-3), 20)
    with pytest.raises(InvalidParameterError, match="size"):
        rg.for_group(rg.GaussianDP(1.0), 0)
    with pytest.raises(InvalidParameterError, match="size"):
        rg.for_group(rg.Subsampled(rg.GaussianDP(1.0), 0.1), 10**6)
    with pytest.raises(InvalidParameterError, match="guarantee"):
        rg.as_replace_one(0.5)
