"""The discrete Gaussian against the continuous one, on lattices coarse enough to see a difference.

tau is std/step; s is the part of the noise that the proof spends on the lattice.
"""

import itertools

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from mpmath import mp, mpf

from relgauss.accounting.gaussian_pair import GaussianPair


def pmf(tau: mpf, centre: int, reach: int) -> dict[int, mpf]:
    total = mp.nsum(lambda k: mp.exp(-(mpf(k) ** 2) / (2 * tau**2)), [-mp.inf, mp.inf])
    return {k: mp.exp(-(mpf(k - centre) ** 2) / (2 * tau**2)) / total for k in range(-reach, reach + 1)}


def product(factors: list[dict[int, mpf]]) -> dict[tuple[int, ...], mpf]:
    return {
        tuple(k for k, _ in point): mp.fprod(p for _, p in point)
        for point in itertools.product(*(factor.items() for factor in factors))
    }


def hockey_stick(a: dict[tuple[int, ...], mpf], b: dict[tuple[int, ...], mpf], epsilon: float) -> mpf:
    factor = mp.exp(epsilon)
    return mp.fsum(max(p - factor * b[k], 0) for k, p in a.items())


def kappa(s: mpf, dim: int) -> mpf:
    """The log ratio that the theorem allows between the lattice's noise and what it compares it with."""
    ripple = 2 * mp.nsum(lambda j: mp.exp(-2 * mp.pi**2 * s**2 * j**2), [1, mp.inf])
    return dim * mp.log((1 + ripple) / (1 - ripple))


def gdp_delta(mu: mpf, epsilon: float) -> mpf:
    return mp.ncdf(mu / 2 - epsilon / mu) - mp.exp(epsilon) * mp.ncdf(-mu / 2 - epsilon / mu)


@pytest.mark.parametrize(("tau", "shift"), [(8, 8), (8, 1), (2, 2), (1.5, 1)])
def test_a_fixed_scale_is_gdp_with_the_noise_that_the_lattice_leaves(tau, shift):
    with mp.workdps(30):
        tau, s = mpf(tau), mpf("0.75")
        reach = int(14 * tau) + shift
        a, b = product([pmf(tau, shift, reach)]), product([pmf(tau, 0, reach)])
        mu = shift / mp.sqrt(tau**2 - s**2) + 4 * kappa(s, 1)
        grid = [i * shift / float(tau) / 10 for i in range(61)]
        assert all(hockey_stick(a, b, e) <= gdp_delta(mu, e) for e in grid)
        assert any(
            hockey_stick(a, b, e) > gdp_delta(shift / tau, e) for e in grid
        )  # the correction is needed


@pytest.mark.parametrize(
    ("tau", "shift"), [((8.8, 8), (8,)), ((2.2, 2), (2,)), ((1.6, 1.5), (1,)), ((2.2, 2), (1, 2))]
)
def test_unequal_scales_are_a_gaussian_pair_with_the_noise_that_the_lattice_leaves_and_a_leak(tau, shift):
    with mp.workdps(30):
        (wide, narrow), s = map(mpf, tau), mpf("0.8")
        dim, far = len(shift), mp.sqrt(sum(x * x for x in shift))
        reach = int(9 * wide) + max(shift)
        a = product([pmf(wide, 0, reach)] * dim)
        b = product([pmf(narrow, x, reach) for x in shift])

        def pair(v: mpf, w: mpf) -> GaussianPair:
            return GaussianPair(float(far / mp.sqrt(w)), float(v / w - 1), dim)

        left, plain = pair(wide**2 - s**2, narrow**2 - s**2), pair(wide**2, narrow**2)
        leak = kappa(s, dim)
        needed = False
        for epsilon in (0.0, 0.25, 0.5, 1.0, 2.0, 3.0):
            for order, value in (
                ("forward", hockey_stick(a, b, epsilon)),
                ("reverse", hockey_stick(b, a, epsilon)),
            ):
                assert value <= leak + mpf(left.hockey_stick(epsilon, order))
                needed |= value > mpf(plain.hockey_stick(epsilon, order)) * (1 + mpf(10) ** -9)
        assert needed
        for alpha in (1.5, 2.0, 3.0):
            moment = mp.fsum(p**alpha * b[k] ** (1 - alpha) for k, p in a.items())
            allowed = left.renyi(alpha) + (2 * alpha - 1) * leak / (alpha - 1)
            assert mp.log(moment) / (alpha - 1) <= allowed


@given(st.floats(0.5, 3), st.floats(0, 1))
def test_the_normaliser_of_a_shifted_discrete_gaussian_hardly_moves(s, centre):
    """Poisson summation: it is s sqrt(2 pi) up to the factor 1 ± ripple, wherever the centre."""
    assume(s > 0.5)
    with mp.workdps(30):
        total = mp.fsum(mp.exp(-((k - mpf(centre)) ** 2) / (2 * mpf(s) ** 2)) for k in range(-40, 41))
        ripple = mpf("2.01") * mp.exp(-2 * mp.pi**2 * mpf(s) ** 2)
        assert abs(total / (s * mp.sqrt(2 * mp.pi)) - 1) <= ripple + mpf(10) ** -25
