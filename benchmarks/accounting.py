"""Speed of calibration and composition beside dp_accounting's."""

from __future__ import annotations

import dp_accounting
from dp_accounting.pld import privacy_loss_distribution
from dp_accounting.rdp import RdpAccountant

import relgauss as rg
from benchmarks.timing import interleaved, show

EPSILON, DELTA, STEPS = 1.0, 1e-6, 1000
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


def run() -> None:
    """Print both comparisons."""
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
