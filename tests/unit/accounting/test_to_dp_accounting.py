"""What is handed to dp_accounting: never less than it costs, and hardly more."""

import math

import dp_accounting
import pytest
from dp_accounting.pld import PLDAccountant
from dp_accounting.rdp import RdpAccountant

import relgauss as rg
from relgauss.accounting import GaussianPairDP, from_dp_accounting, to_dp_accounting
from relgauss.errors import InvalidParameterError, NoEventError

ADDED = "add-or-remove"
RGM = rg.RelativeGaussian(rg.RelativeSensitivity(0.01, 1.0), 10, gamma=1e-3)
SPECIAL = dp_accounting.NeighboringRelation.REPLACE_SPECIAL


def test_an_event_where_one_says_it():
    gaussian = to_dp_accounting(rg.GaussianDP(0.25))
    assert type(gaussian) is dp_accounting.GaussianDpEvent
    assert 4.0 * (1 - 1e-15) <= gaussian.noise_multiplier <= 4.0
    assert to_dp_accounting(rg.GaussianDP(0.0)) == dp_accounting.NoOpDpEvent()
    assert to_dp_accounting(rg.ZeroConcentratedDP(0.02)) == dp_accounting.ZCDpEvent(0.02)
    sampled = to_dp_accounting(rg.PoissonSampled(rg.GaussianDP(0.25, ADDED), 0.01))
    assert sampled == dp_accounting.PoissonSampledDpEvent(0.01, gaussian)
    repeated = dp_accounting.SelfComposedDpEvent(gaussian, 7)
    assert to_dp_accounting((rg.GaussianDP(0.25), 7)) == repeated
    both = to_dp_accounting(rg.compose((rg.GaussianDP(0.25), 7), rg.ZeroConcentratedDP(0.02)))
    assert both == dp_accounting.ComposedDpEvent([repeated, dp_accounting.ZCDpEvent(0.02)])


def test_a_gaussian_costs_there_what_it_costs_here():
    event = rg.Gaussian(rg.AbsoluteSensitivity(2.0), 3, 4.0).to_dp_accounting(steps=10)
    here = rg.compose((rg.GaussianDP(0.25), 10)).epsilon(1e-6)
    assert PLDAccountant(SPECIAL).compose(event).get_epsilon(1e-6) == pytest.approx(here, rel=1e-4)
    assert RdpAccountant().compose(event).get_epsilon(1e-6) >= here


GUARANTEES = {
    "relative Gaussian": RGM.guarantee,
    "relative Gaussian, wide": GaussianPairDP(0.5, 0.3, 4),
    "pure": rg.PureDP(0.5),
    "approximate": rg.ApproximateDP(0.5, 1e-7),
    "batch": rg.Subsampled(rg.GaussianDP(1.0), 0.1),
    "nothing but a leak": rg.ApproximateDP(0.0, 1e-4),
}


@pytest.mark.parametrize("name", GUARANTEES)
def test_a_privacy_loss_distribution_lies_above_and_close(name):
    here = rg.compose(GUARANTEES[name])
    there = to_dp_accounting(GUARANTEES[name], discretization=1e-3)
    for epsilon in (0.0, 0.1, 0.4, 1.0, 1.7):
        delta, found = here.delta(epsilon), there.get_delta_for_epsilon(epsilon)
        assert found >= delta * (1 - 1e-9) - 1e-15
        assert found <= delta * 1.01 + 1e-10


def test_a_renyi_curve_has_a_distribution():
    curve = rg.RenyiDP(rg.RenyiTable((2, 8, 32), (0.1, 0.4, 1.7)))
    there = to_dp_accounting(curve, discretization=1e-3)
    assert there.get_epsilon_for_delta(1e-6) == pytest.approx(rg.compose(curve).epsilon(1e-6), rel=1e-3)


def test_both_orders_of_neighbours_are_covered():
    """The relative Gaussian's profile differs by order: the distribution covers the larger everywhere."""
    pair = GaussianPairDP(0.5, 0.3, 4)
    there = to_dp_accounting(pair, discretization=1e-3)
    for epsilon in (0.0, 0.3, 1.0, 3.0):
        for order in ("forward", "reverse"):
            assert there.get_delta_for_epsilon(epsilon) >= math.exp(
                pair.pair.log_hockey_stick(epsilon, order)
            ) * (1 - 1e-9)


def test_orders_that_differ_stay_apart():
    part = rg.compose(rg.PoissonSampled(rg.PureDP(0.5).__class__(0.5, 0.0, ADDED), 0.1))
    there = to_dp_accounting(part, discretization=1e-4)
    assert there.get_epsilon_for_delta(1e-6) == pytest.approx(part.epsilon(1e-6), rel=1e-3)


def test_unlike_parts_compose_there_as_here():
    parts = rg.compose((RGM, 5), rg.GaussianDP(0.3), rg.PureDP(0.2))
    here, there = (
        parts.epsilon(1e-6),
        to_dp_accounting(parts, discretization=1e-3).get_epsilon_for_delta(1e-6),
    )
    assert there == pytest.approx(here, rel=2e-3)


def test_the_mechanism_hands_itself_over():
    there = RGM.to_dp_accounting(3, discretization=1e-3)
    assert there.get_epsilon_for_delta(1e-6) == pytest.approx(RGM.epsilon(1e-6, 3), rel=1e-3)


def test_a_failure_is_no_privacy_loss():
    with pytest.raises(NoEventError, match="adds to delta"):
        to_dp_accounting(rg.compose(RGM, rg.Failure(1e-9)))


@pytest.mark.parametrize("gap", [0, -1e-4, math.nan, math.inf, 1e-12])
def test_hostile_distances_are_refused_by_name(gap):
    with pytest.raises(InvalidParameterError, match="discretization"):
        to_dp_accounting(RGM, discretization=gap)


@pytest.mark.parametrize(
    "part",
    [
        rg.GaussianDP(0.3),
        (rg.GaussianDP(0.3), 4),
        rg.compose(rg.GaussianDP(0.3), rg.ZeroConcentratedDP(0.1)),
    ],
)
def test_an_event_comes_back_as_it_was(part):
    again = from_dp_accounting(to_dp_accounting(part), neighbours="replace-one")
    assert again.epsilon(1e-6) == pytest.approx(rg.compose(part).epsilon(1e-6), rel=1e-12)
