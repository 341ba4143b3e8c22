"""Speed of calibration and composition beside dp_accounting's."""

from __future__ import annotations

import time
from collections.abc import Callable

import dp_accounting
from dp_accounting.pld import PLDAccountant, privacy_loss_distribution
from dp_accounting.rdp import RdpAccountant
from rich.console import Console

import relgauss as rg
from benchmarks.timing import interleaved, show
from relgauss.accounting import GaussianPairDP

EPSILON, DELTA, STEPS = 1.0, 1e-6, 1000
SAMPLED_STEPS, RATES = 10_000, (1e-3, 1e-2)
RELATIVE = rg.RelativeGaussian(rg.RelativeSensitivity(eta=1e-3), dim=22, gamma=1e-2)


def calibrate_isometric() -> None:
    """The noise of 1000 isometric releases."""
    rg.calibrate(
        rg.RelativeSensitivity(eta=1e-3, r=1.0),
        dim=22,
        epsilon=EPSILON,
        delta=DELTA,
        steps=STEPS,
        mechanism="isometric",
    )


def calibrate_gaussian_by_dp_accounting() -> None:
    """The noise of 1000 Gaussian releases, by Rényi accounting."""
    dp_accounting.calibrate_dp_mechanism(
        RdpAccountant,
        lambda multiplier: dp_accounting.SelfComposedDpEvent(
            dp_accounting.GaussianDpEvent(multiplier), STEPS
        ),
        EPSILON,
        DELTA,
    )


def compose_relative() -> None:
    """The epsilon of 1000 RGM releases by their privacy loss."""
    rg.RelativeGaussian(RELATIVE.sensitivity, RELATIVE.dim, RELATIVE.gamma).epsilon(
        DELTA, STEPS, method="pld"
    )


def compose_gaussian_by_dp_accounting() -> None:
    """The epsilon of 1000 Gaussian releases of about the same loss, by their privacy loss."""
    single = privacy_loss_distribution.from_gaussian_mechanism(1 / RELATIVE.guarantee.loss_std)
    single.self_compose(STEPS).get_epsilon_for_delta(DELTA)


def calibrate_sampled(rate: float) -> float:
    """The noise multiplier of 10,000 sampled Gaussian steps."""
    bound = rg.AbsoluteSensitivity(1.0, neighbours="add-or-remove", on_batches=True)
    found = rg.calibrate(
        bound,
        dim=1,
        epsilon=EPSILON,
        delta=DELTA,
        steps=SAMPLED_STEPS,
        sampling=rg.PoissonSamples(rate),
    )
    return found.parameters["noise_multiplier"]


def calibrate_sampled_by_dp_accounting(rate: float) -> float:
    """The same, by dp_accounting's PLD."""

    def event(multiplier: float) -> dp_accounting.DpEvent:
        sampled = dp_accounting.PoissonSampledDpEvent(rate, dp_accounting.GaussianDpEvent(multiplier))
        return dp_accounting.SelfComposedDpEvent(sampled, SAMPLED_STEPS)

    return float(dp_accounting.calibrate_dp_mechanism(PLDAccountant, event, EPSILON, DELTA))


def unlike_parts(seed: int) -> list[rg.accounting.Guarantee]:
    """20 RGM, 10 pure, 10 sampled and 10 Gaussian releases, no two alike and none met before."""
    shift = 1e-5 * seed
    return [
        *(GaussianPairDP(0.05 + 0.002 * i + shift, 0.004 + 5e-4 * i, 5 + i) for i in range(20)),
        *(rg.PureDP(0.02 + 0.003 * i + shift) for i in range(10)),
        *(rg.Subsampled(rg.GaussianDP(0.5 + 0.05 * i + shift), 0.02 + 0.003 * i) for i in range(10)),
        *(rg.GaussianDP(0.05 + 0.01 * i + shift) for i in range(10)),
    ]


def sampled_and_unlike() -> None:
    """Calibration of sampled steps beside dp_accounting's, and one composition of 50 unlike parts."""
    console = Console(width=110)
    for rate in RATES:
        (ours, seconds), (theirs, others) = (
            _timed(lambda make=make, rate=rate: make(rate))
            for make in (calibrate_sampled, calibrate_sampled_by_dp_accounting)
        )
        console.print(
            f"Calibration of {SAMPLED_STEPS} sampled Gaussian steps at rate {rate:g}: noise {ours:.5f} in "
            f"{seconds:.2f} s of processor time; dp_accounting {theirs:.5f} in {others:.2f} s; "
            f"ratio {seconds / others:.2f}, at most 0.5 is asked for"
        )
    times = sorted(
        _timed(lambda parts=parts: rg.compose(*parts).epsilon(DELTA))[1]
        for parts in map(unlike_parts, range(7))
    )
    console.print(
        f"Composition of 50 unlike parts: {times[0]:.2f} to {times[-1]:.2f} s of processor time; "
        "at most 0.5 is asked for"
    )
    batches = rg.Subsampled(GaussianPairDP(1.0, 0.1, 10), 0.01)
    _, seconds = _timed(lambda: rg.compose((batches, 1000)).epsilon(DELTA))
    console.print(f"Composition of 1000 sampled Gaussian pairs: {seconds:.2f} s of processor time")


def _timed(call: Callable[[], float]) -> tuple[float, float]:
    start = time.process_time()
    found = call()
    return found, time.process_time() - start


def run() -> None:
    """Print all comparisons."""
    calibration = {
        "dp_accounting, Gaussian by RDP": calibrate_gaussian_by_dp_accounting,
        "relgauss, isometric": calibrate_isometric,
    }
    show("Calibration, 1000 steps", interleaved(calibration), "dp_accounting, Gaussian by RDP")
    composition = {
        "dp_accounting, Gaussian": compose_gaussian_by_dp_accounting,
        "relgauss, RGM": compose_relative,
    }
    show("Privacy loss of 1000 steps", interleaved(composition), "dp_accounting, Gaussian")
    sampled_and_unlike()
