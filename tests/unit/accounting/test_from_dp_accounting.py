"""Events of dp_accounting as guarantees: never less than the accountants there say."""

import math

import dp_accounting
import pytest
from dp_accounting import dp_event as there
from dp_accounting.pld import PLDAccountant
from dp_accounting.pld import privacy_loss_distribution as distributions

import relgauss as rg
from relgauss.accounting import from_dp_accounting
from relgauss.errors import NoEventError, RelgaussError

ADDED = "add-or-remove"


def use(event, neighbours="replace-one", **options):
    options["neighbours"] = neighbours
    ((guarantee, times),) = from_dp_accounting(event, **options).uses
    assert times == 1
    return guarantee


def test_every_event_has_its_guarantee():
    assert use(there.GaussianDpEvent(4.0)).mu == pytest.approx(0.25, rel=1e-14)
    assert use(there.GaussianDpEvent(4.0), neighbours=ADDED).neighbours == ADDED
    assert use(there.LaplaceDpEvent(2.0)).epsilon == pytest.approx(0.5, rel=1e-14)
    assert use(there.DiscreteLaplaceDpEvent(0.3, 2)).epsilon == pytest.approx(0.6, rel=1e-14)
    assert use(there.ZCDpEvent(0.02)) == rg.ZeroConcentratedDP(0.02)
    sampled = use(there.PoissonSampledDpEvent(0.01, there.GaussianDpEvent(2.0)), neighbours=ADDED)
    assert (type(sampled), sampled.rate) == (rg.PoissonSampled, 0.01)
    batch = use(there.SampledWithoutReplacementDpEvent(1000, 10, there.GaussianDpEvent(2.0)))
    assert (type(batch), batch.rate) == (rg.Subsampled, 0.01)
    assert from_dp_accounting(there.NoOpDpEvent()).uses == ()


@pytest.mark.parametrize(("noise", "buckets"), [(0.5, 2), (0.1, 5), (0.9, 3)])
def test_randomised_response_against_their_own(noise, buckets):
    event = there.RandomizedResponseDpEvent(noise, buckets)
    accountant = PLDAccountant(dp_accounting.NeighboringRelation.REPLACE_ONE).compose(event)
    epsilon = use(event).epsilon
    assert accountant.get_epsilon(1e-12) <= epsilon * (1 + 1e-3)
    assert accountant.get_epsilon(1e-12) == pytest.approx(epsilon, rel=1e-3)


def test_counts_multiply():
    inner = there.SelfComposedDpEvent(there.GaussianDpEvent(4.0), 3)
    event = there.ComposedDpEvent([there.SelfComposedDpEvent(inner, 5), there.LaplaceDpEvent(10.0)])
    (gaussian, fifteen), (pure, once) = from_dp_accounting(event, neighbours=ADDED).uses
    assert (fifteen, once) == (15, 1)
    assert (type(gaussian), type(pure)) == (rg.GaussianDP, rg.ApproximateDP)
    assert from_dp_accounting(there.SelfComposedDpEvent(there.GaussianDpEvent(4.0), 0)).uses == ()


@pytest.mark.parametrize(
    "unsaid",
    [
        there.GaussianDpEvent(2.0),
        there.LaplaceDpEvent(2.0),
        there.ComposedDpEvent(
            [there.PoissonSampledDpEvent(0.01, there.GaussianDpEvent(1.0)), there.ZCDpEvent(0.1)]
        ),
        distributions.from_gaussian_mechanism(1.0, sampling_prob=0.01),
        distributions.from_laplace_mechanism(2.0),
    ],
    ids=["gaussian", "laplace", "composed", "sampled losses", "losses"],
)
def test_neighbours_that_an_object_does_not_imply_are_asked_for(unsaid):
    """Taken for replaced records, losses of dp_accounting's default would be far below the truth."""
    with pytest.raises(NoEventError, match="add-or-remove"):
        from_dp_accounting(unsaid)
    assert from_dp_accounting(unsaid, neighbours=ADDED).neighbours == ADDED


def test_a_training_run_costs_here_what_it_costs_there():
    step = there.PoissonSampledDpEvent(0.01, there.GaussianDpEvent(1.0))
    event = there.SelfComposedDpEvent(step, 500)
    here = from_dp_accounting(event, neighbours=ADDED).epsilon(1e-6)
    assert here == pytest.approx(PLDAccountant().compose(event).get_epsilon(1e-6), rel=5e-3)


@pytest.mark.parametrize(
    "event",
    [
        there.NonPrivateDpEvent(),
        there.UnsupportedDpEvent(),
        there.GaussianDpEvent(0.0),
        there.GaussianDpEvent(float("nan")),
        there.LaplaceDpEvent(-1.0),
        there.ZCDpEvent(0.1, 0.2),
        there.RandomizedResponseDpEvent(0.0, 2),
        there.DiscreteLaplaceDpEvent(0.0, 1),
        there.SelfComposedDpEvent(there.NonPrivateDpEvent(), 2),
        there.ComposedDpEvent([there.GaussianDpEvent(1.0), there.NonPrivateDpEvent()]),
        there.PoissonSampledDpEvent(0.1, there.SelfComposedDpEvent(there.GaussianDpEvent(1.0), 2)),
        there.PoissonSampledDpEvent(2.0, there.GaussianDpEvent(1.0)),
        "GaussianDpEvent(1)",
        None,
    ],
)
def test_what_is_not_private_or_not_known_is_refused(event):
    with pytest.raises(RelgaussError):
        from_dp_accounting(event, neighbours=ADDED)


def test_neighbours_are_named():
    with pytest.raises(RelgaussError, match="neighbours"):
        from_dp_accounting(there.GaussianDpEvent(1.0), neighbours="replaced")
    with pytest.raises(RelgaussError):  # a Poisson sample is about added records
        from_dp_accounting(
            there.ComposedDpEvent(
                [there.PoissonSampledDpEvent(0.1, there.GaussianDpEvent(1.0)), there.GaussianDpEvent(1.0)]
            )
        ).epsilon(1e-6)
    inner = there.SelfComposedDpEvent(there.GaussianDpEvent(1.0), 2)
    with pytest.raises(NoEventError, match="Sample anew"):
        from_dp_accounting(there.SampledWithoutReplacementDpEvent(10, 1, inner))


@pytest.mark.parametrize(
    "distribution",
    [
        distributions.from_laplace_mechanism(2.0, value_discretization_interval=1e-3),
        distributions.from_gaussian_mechanism(2.0, value_discretization_interval=1e-3),
        distributions.from_gaussian_mechanism(1.0, sampling_prob=0.1, value_discretization_interval=1e-3),
        rg.RelativeGaussian(rg.RelativeSensitivity(0.01, 1.0), 10, gamma=1e-3).to_dp_accounting(
            discretization=1e-3
        ),
    ],
    ids=["Laplace", "Gaussian", "sampled", "relative"],
)
def test_a_privacy_loss_distribution_comes_in_as_its_profile(distribution):
    here = from_dp_accounting(distribution, neighbours=ADDED)
    for epsilon in (0.0, 0.01, 0.3, 0.45, 1.0, 2.0):
        delta = distribution.get_delta_for_epsilon(epsilon)
        assert delta <= here.delta(epsilon) <= delta * 1.01 + 1e-12
    together = rg.compose((here, 3))
    assert together.epsilon(1e-6) >= distribution.self_compose(3).get_epsilon_for_delta(1e-6) * (1 - 1e-3)
    assert together.epsilon(1e-6) <= 3 * distribution.get_epsilon_for_delta(3e-7) * 1.01


def test_what_may_be_infinite_stays_so():
    losses = distributions.from_privacy_parameters(
        distributions.common.DifferentialPrivacyParameters(0.5, 1e-5)
    )
    here = from_dp_accounting(losses, neighbours=ADDED)
    assert here.epsilon(1e-6) == math.inf
    assert here.epsilon(2e-5) == pytest.approx(0.5, rel=1e-2)


def test_a_distribution_that_may_lie_below_the_truth_is_refused():
    from dp_accounting.pld import privacy_loss_distribution as pld

    optimistic = pld.from_gaussian_mechanism(1.0, pessimistic_estimate=False)
    with pytest.raises(NoEventError, match="not a pessimistic one"):
        from_dp_accounting(optimistic)


@pytest.mark.parametrize(
    ("event", "neighbours"),
    [
        (there.PoissonSampledDpEvent(0.1, there.GaussianDpEvent(1.0)), "replace-one"),
        (there.SampledWithoutReplacementDpEvent(10, 1, there.GaussianDpEvent(1.0)), "add-or-remove"),
    ],
    ids=["Poisson", "batches"],
)
def test_neighbours_that_a_sample_does_not_speak_of_are_refused(event, neighbours):
    with pytest.raises(NoEventError, match="neighbours"):
        from_dp_accounting(event, neighbours=neighbours)
    assert from_dp_accounting(event).epsilon(1e-6) > 0
