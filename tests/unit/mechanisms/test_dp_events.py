"""Other accountants read the events: to an epsilon that is not below ours, and close to it."""

import dp_accounting
import pytest
from dp_accounting.pld import privacy_loss_distribution
from dp_accounting.rdp import RdpAccountant

import relgauss as rg
from relgauss.errors import NoEventError

REPLACE_ONE = dp_accounting.NeighboringRelation.REPLACE_ONE
BOUND = rg.RelativeSensitivity(0.01, 1.0)


def mechanisms(noise_multiplier: float) -> list[rg.Mechanism]:
    return [
        rg.Gaussian(rg.AbsoluteSensitivity(3.0), 4, noise_multiplier),
        rg.IsometricGaussian(BOUND, 4, noise_multiplier),
        rg.IsometricGaussian(rg.RelativeSensitivity(0.01, 1.0, "linear"), 1, noise_multiplier),
        rg.IsometricGaussian(rg.RelativeSensitivity(0.0, 5.0), 4, noise_multiplier),
    ]


@pytest.mark.parametrize("noise_multiplier", [0.7, 2.0, 20.0])
@pytest.mark.parametrize("steps", [1, 50])
@pytest.mark.parametrize("delta", [1e-8, 1e-5])
def test_a_renyi_accountant_reads_the_event(noise_multiplier, steps, delta):
    for m in mechanisms(noise_multiplier):
        accountant = RdpAccountant(neighboring_relation=REPLACE_ONE)
        accountant.compose(m.event(), steps)
        theirs, ours = accountant.get_epsilon(delta), m.epsilon(delta, steps)
        assert ours <= theirs <= 1.25 * ours
        # One half or double the noise would be noticed.
        halved = RdpAccountant(neighboring_relation=REPLACE_ONE)
        halved.compose(dp_accounting.GaussianDpEvent(2 * noise_multiplier), steps)
        assert halved.get_epsilon(delta) < ours


@pytest.mark.parametrize("noise_multiplier", [0.7, 5.0])
def test_a_loss_distribution_of_the_event_agrees_to_many_digits(noise_multiplier):
    for m in mechanisms(noise_multiplier):
        event = m.event()
        loss = privacy_loss_distribution.from_gaussian_mechanism(
            event.noise_multiplier, value_discretization_interval=1e-3
        )
        theirs = loss.self_compose(10).get_epsilon_for_delta(1e-6)
        assert m.epsilon(1e-6, 10) == pytest.approx(theirs, rel=1e-2)
        assert m.epsilon(1e-6, 10) <= theirs * (1 + 1e-9)


def test_the_event_is_a_plain_gaussian_of_the_same_multiplier():
    for m in mechanisms(2.5):
        event = m.event()
        assert type(event) is dp_accounting.GaussianDpEvent
        assert event.noise_multiplier == 2.5


@pytest.mark.parametrize("bound", [BOUND, rg.RelativeSensitivity(0.01)])
def test_no_event_describes_noise_that_depends_on_the_data(bound):
    with pytest.raises(NoEventError, match="compare") as caught:
        rg.RelativeGaussian(bound, 4, 1e-3).event()
    assert "RelativeGaussian" in caught.value.cause
