"""Sampled releases, composed: against dp_accounting's PLD and RDP accountants and tabulated figures."""

import math

import dp_accounting
import numpy as np
import pytest
from dp_accounting.pld import privacy_loss_distribution
from dp_accounting.rdp import rdp_privacy_accountant
from mpmath import mp, mpf

import relgauss as rg
from relgauss.accounting import GaussianPairDP

# rate, noise multiplier, steps; the longer table is in benchmarks/accounting.
CASES = [(0.5, 10.0, 1000), (1e-2, 2.0, 10**4), (1e-4, 2.0, 10**5)]


def ours(rate: float, noise: float, steps: int, delta: float = 1e-6) -> float:
    sampled = rg.PoissonSampled(rg.GaussianDP(1 / noise, "add-or-remove"), rate)
    return rg.compose((sampled, steps)).epsilon(delta)


@pytest.mark.parametrize(("rate", "noise", "steps"), CASES)
def test_sampled_gaussians_are_between_the_optimistic_and_the_pessimistic_one(rate, noise, steps):
    def theirs(**options) -> float:
        loss = privacy_loss_distribution.from_gaussian_mechanism(
            noise, sampling_prob=rate, value_discretization_interval=1e-4, **options
        )
        return loss.self_compose(steps).get_epsilon_for_delta(1e-6)

    found = ours(rate, noise, steps)
    assert theirs(use_connect_dots=False, pessimistic_estimate=False) <= found
    assert found <= theirs(use_connect_dots=True) * 1.005


def test_two_sampled_steps_against_an_integral():
    assert_two_steps_are_just_above_the_integral(rg.PoissonSampled(rg.GaussianDP(1.0, "add-or-remove"), 0.2))


def assert_two_steps_are_just_above_the_integral(tested: rg.PoissonSampled) -> None:
    """The second step's exact profile under the first step's loss, both in closed form."""
    rate, mu, epsilon = tested.rate, tested.guarantee.mu, 0.4
    sampled = rg.PoissonSampled(tested.guarantee, rate)
    x, step = np.linspace(-12, 14, 40001, retstep=True)
    q = np.exp(-x * x / 2) / math.sqrt(2 * math.pi)
    loss = np.log1p(rate * np.expm1(mu * x - mu * mu / 2))

    def profile(at: np.ndarray, order: str) -> np.ndarray:
        """Of one step, at any epsilon."""
        other = "added" if order == "removed" else "removed"
        sort = np.argsort(np.abs(at))
        up, down = (np.empty(len(at)) for _ in range(2))
        up[sort] = sampled.ordered_profile_at(np.abs(at)[sort], order)
        down[sort] = sampled.ordered_profile_at(np.abs(at)[sort], other)
        return np.where(at >= 0, up, -np.expm1(at) + np.exp(at) * down)

    removed = float((q * np.exp(loss) * profile(epsilon - loss, "removed")).sum() * step)
    added = float((q * profile(epsilon + loss, "added")).sum() * step)
    found = rg.compose((tested, 2)).delta(epsilon)
    assert max(removed, added) * (1 - 1e-9) <= found <= max(removed, added) * 1.001


@pytest.mark.parametrize(("rate", "noise"), [(0.01, 1.0), (0.3, 2.0)])
def test_the_renyi_curve_is_that_of_the_accountant(rate, noise):
    orders = [2, 3, 7, 40]
    accountant = rdp_privacy_accountant.RdpAccountant(orders)
    accountant.compose(dp_accounting.PoissonSampledDpEvent(rate, dp_accounting.GaussianDpEvent(noise)))
    sampled = rg.PoissonSampled(rg.GaussianDP(1 / noise, "add-or-remove"), rate)
    for order, expected in zip(orders, accountant._rdp, strict=True):
        assert sampled.rdp(order) == pytest.approx(expected, rel=1e-9)


def test_replaced_records_cost_more_than_the_mixture_pair():
    """Noise 2, rate 0.1, 200 steps: 3.81 for added or removed records, 4.18 for replaced ones."""
    assert ours(0.1, 2.0, 200) == pytest.approx(3.806, abs=2e-3)
    replaced = rg.compose((rg.Subsampled(rg.GaussianDP(0.5), 0.1), 200)).epsilon(1e-6)
    assert replaced == pytest.approx(4.18, abs=5e-3)


# Sampled randomised responses, whose compositions are finite sums, in 100 digits.


def composed_delta(atoms: list[tuple[mpf, mpf]], steps: int, epsilon: float) -> mpf:
    """Delta of so many uses of a loss with two or three atoms (loss, mass)."""
    with mp.workdps(100):
        (first, p), (second, q), *rest = atoms
        third, r = rest[0] if rest else (mpf(0), mpf(0))
        found = mpf(0)
        for i in range(steps + 1):
            for j in range(steps + 1 - i) if rest else [steps - i]:
                loss = i * first + j * second + (steps - i - j) * third
                if loss > epsilon:
                    ways = mp.binomial(steps, i) * mp.binomial(steps - i, j)
                    mass = p**i * q**j * (r ** (steps - i - j) if rest else 1)
                    found += ways * mass * -mp.expm1(mpf(epsilon) - loss)
        return found


def poisson_atoms(response: float, rate: float, order: str) -> list[tuple[mpf, mpf]]:
    with mp.workdps(100):
        truth = 1 / (1 + mp.exp(-mpf(response)))
        without = (1 - truth, truth)
        mixed = tuple((1 - mpf(rate)) * w + mpf(rate) * (1 - w) for w in without)
        first, second = (mixed, without) if order == "removed" else (without, mixed)
        return [(mp.log(a / b), a) for a, b in zip(first, second, strict=True)]


def batch_atoms(response: float, rate: float) -> list[tuple[mpf, mpf]]:
    """The symmetric profile rate·H has atoms at plus and minus its end, and the rest at zero."""
    with mp.workdps(100):
        end = mp.log(1 + mpf(rate) * mp.expm1(mpf(response)))
        top = mpf(rate) * mp.expm1(mpf(response)) / (1 + mp.exp(mpf(response)))  # H at epsilon zero
        mass = top / (1 - mp.exp(-end))
        return [(end, mass), (-end, mass * mp.exp(-end)), (mpf(0), 1 - mass * (1 + mp.exp(-end)))]


@pytest.mark.parametrize(("response", "rate", "steps"), [(1.0, 0.1, 30), (3.0, 0.01, 20)])
@pytest.mark.parametrize("delta", [1e-2, 1e-20])
def test_sampled_responses_are_just_above_the_exact_value(response, rate, steps, delta):
    sampled = rg.PoissonSampled(rg.PureDP(response, "add-or-remove"), rate)
    found = rg.compose((sampled, steps)).epsilon(delta)
    exact = [poisson_atoms(response, rate, order) for order in ("removed", "added")]
    assert max(composed_delta(atoms, steps, found) for atoms in exact) <= delta
    assert max(composed_delta(atoms, steps, found * 0.995) for atoms in exact) > delta
    batches = rg.compose((rg.Subsampled(rg.PureDP(response), rate), steps)).epsilon(delta)
    assert composed_delta(batch_atoms(response, rate), steps, batches) <= delta
    assert composed_delta(batch_atoms(response, rate), steps, batches * 0.995) > delta


# eta, gamma, dim, then epsilon of 1000 steps at rate 0.01 and delta 1e-6: replaced, added or removed records.
SAMPLED_RGM = [(0.01, 1e-4, 10), (0.01, 0.01, 100), (0.1, 0.05, 5)]


@pytest.mark.parametrize(("eta", "gamma", "dim"), SAMPLED_RGM)
def test_sampled_relative_noise_is_below_its_renyi_bound(eta, gamma, dim):
    inner = rg.RelativeGaussian(rg.RelativeSensitivity(eta), dim, gamma).guarantee
    batches = rg.Subsampled(inner, 0.01)
    found = rg.compose((batches, 1000)).epsilon(1e-6)
    renyi = rg.compose((rg.RenyiDP(rg.RenyiFunction(batches.rdp, batches.order_limit)), 1000)).epsilon(1e-6)
    gaussian = rg.compose((rg.Subsampled(rg.GaussianDP(inner.shift), 0.01), 1000)).epsilon(1e-6)
    assert gaussian * (1 - 1e-3) <= found < renyi
    box = GaussianPairDP(inner.shift, inner.excess, dim, "add-or-remove")
    assert rg.compose((rg.PoissonSampled(box, 0.01), 1000)).epsilon(1e-6) <= found


class Shrunk(rg.PoissonSampled):
    """A planted fault: profiles that are one in a thousand too small."""

    def ordered_profile_at(self, epsilon, order):
        return super().ordered_profile_at(epsilon, order) * 0.999


def test_the_check_sees_a_profile_that_is_too_small():
    planted = Shrunk(rg.GaussianDP(1.0, "add-or-remove"), 0.2)
    with pytest.raises(AssertionError):
        assert_two_steps_are_just_above_the_integral(planted)
