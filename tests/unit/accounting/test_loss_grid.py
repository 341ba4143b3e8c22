"""Atoms on sparse grids: their profile is never below the guarantee's, in either order, nor far above it."""

import math
import warnings

import numpy as np
import pytest

import relgauss as rg
from relgauss.accounting import GaussianPairDP
from relgauss.accounting.loss_grid import Atoms, _steps, connect_the_dots

ADDED = "add-or-remove"
GUARANTEES = [
    rg.GaussianDP(0.7),
    rg.PureDP(0.4),
    GaussianPairDP(0.5, 0.2, 7),
    rg.PoissonSampled(rg.GaussianDP(1.0, ADDED), 0.1),
    rg.PoissonSampled(GaussianPairDP(0.5, 0.2, 7, ADDED), 0.3),
]


def profile_of(atoms: Atoms, epsilon: float) -> float:
    """delta of the atoms, for any real epsilon."""
    weights = -np.expm1(np.minimum(epsilon - atoms.losses, 0.0))
    return float(np.exp(atoms.log_masses) @ weights) + atoms.leak


def true_profile(guarantee, epsilon: float, order: str) -> float:
    """Of one order, for any real epsilon: below zero the other order says it."""
    other = "added" if order == "removed" else "removed"
    found = guarantee.ordered_profile_at(np.array([abs(epsilon)]), order if epsilon >= 0 else other)[0]
    return found if epsilon >= 0 else -math.expm1(epsilon) + math.exp(epsilon) * found


@pytest.mark.parametrize("guarantee", GUARANTEES, ids=lambda each: each.describe())
@pytest.mark.parametrize("order", ["removed", "added"])
def test_atoms_dominate_the_profile(guarantee, order):
    gap = guarantee.loss_std / 100
    atoms = connect_the_dots(guarantee, gap, guarantee.reach(math.log(1e-12)), order, widest=0.01)
    for epsilon in np.random.default_rng(0).normal(0.0, 3 * guarantee.loss_std, 200):
        true = true_profile(guarantee, float(epsilon), order)
        assert true * (1 - 1e-12) - 1e-15 <= profile_of(atoms, float(epsilon)) <= true * 1.05 + 1e-4
    total = np.exp(atoms.log_masses).sum() + atoms.leak
    assert total == pytest.approx(1.0, abs=1e-6)


def test_the_check_sees_atoms_of_the_lighter_order():
    guarantee = rg.PoissonSampled(rg.GaussianDP(1.0, ADDED), 0.1)
    lighter = connect_the_dots(guarantee, 1e-3, 3.0, "added", widest=0.01)
    assert profile_of(lighter, 0.3) < true_profile(guarantee, 0.3, "removed")


@pytest.mark.parametrize(("last", "widest"), [(1, 1), (10, 1), (10**4, 50), (10**6, 10**5)])
def test_steps_never_shrink_and_reach_the_end(last, widest):
    steps = np.diff(_steps(last, widest))
    assert np.all(np.diff(steps) >= 0)
    assert steps.max() <= max(1, widest)
    assert _steps(last, widest)[-1] >= last


@pytest.mark.parametrize("size", [1e-90, 30.0, 1e7])
def test_no_size_of_a_loss_makes_a_warning_or_no_number(size):
    parts = [rg.GaussianDP(size), rg.ZeroConcentratedDP(size), GaussianPairDP(size, 0.1, 5)]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for part in [*parts, rg.Subsampled(parts[-1], 0.1)]:
            composed = rg.compose((part, 2), rg.PureDP(0.1))
            assert composed.epsilon(1e-6) >= 0
            assert 0 <= composed.delta(1.0) <= 1
