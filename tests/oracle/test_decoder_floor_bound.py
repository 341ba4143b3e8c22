"""What no decoder without bias can do where r > 0, in 50-digit arithmetic: proofs/decoders.md, 5."""

import math

import numpy as np
import pytest
from mpmath import mp, mpf
from scipy.stats import ncx2

import relgauss as rg

SPREAD = mpf("0.1")  # eta·s
CELLS = 64  # on a bell of this width an even rule is right to nine digits at least


def lengths(dim, x, centre):
    """Midpoints that cover the length of N(centre e_1, x I_dim), and their distance."""
    middle, reach = mp.sqrt(centre**2 + dim * x), 12 * mp.sqrt(x)
    low = max(middle - reach, mpf(0))
    cell = (middle + reach - low) / CELLS
    return [low + cell * (place + mpf(1) / 2) for place in range(CELLS)], cell


def part(length, dim, x, centre, order):
    """The density of the length (order dim/2 - 1), or that times the mean cosine (order dim/2)."""
    power = (length / centre) ** (mpf(dim) / 2 - 1)
    bell = mp.exp(-(length**2 + centre**2) / (2 * x))
    return length / x * power * bell * mp.besseli(order, centre * length / x)


def least_ratio(dim, size, steps):
    """Error over the limit that no decoder goes below which is without bias at these norms."""
    x, middle, order = SPREAD**2, mp.asinh(size), mpf(dim) / 2
    points = [middle + SPREAD * step for step in steps]
    at, cell = lengths(dim, x, mp.tanh(middle))
    plain = [part(length, dim, x, mp.tanh(middle), order - 1) for length in at]
    assert abs(cell * mp.fsum(plain) - 1) < 1e-9
    along = [[part(length, dim, x, mp.tanh(point), order) for length in at] for point in points]
    level = [mp.log(mp.cosh(point) / mp.cosh(middle)) for point in points]
    overlaps = mp.matrix(len(points))
    for i in range(len(points)):
        for j in range(len(points)):
            shared = (a * b / c for a, b, c in zip(along[i], along[j], plain, strict=True))
            overlaps[i, j] = cell * mp.fsum(shared) * mp.exp(level[i] * level[j] / x)
    values = mp.matrix([mp.sinh(point) for point in points])
    weights = mp.lu_solve(overlaps, values)
    square = (weights.T * values)[0] ** 2 / (weights.T * overlaps * weights)[0] - mpf(size) ** 2
    return float(mp.sqrt(square / (dim * x)) / mp.cosh(middle))


def ratio(dim, size, **options):
    """Error over the limit of the decoder that is offered."""
    bound = rg.RelativeSensitivity(0.01, 1.0)
    m = rg.IsometricGaussian(bound, dim, 10.0, **options)
    return m.rms_error(size / 0.01) / (math.sqrt(dim) * 10 * bound.local_scale(size / 0.01))


@pytest.mark.parametrize(
    ("dim", "size", "least", "ours"),
    [
        (10, 10, 1.01155, 1.0131),
        (10, 100, 1.01105, 1.0127),
        (2, 10, 1.01006, 1.0204),
        (2, 100, 1.00763, 1.0181),
    ],
)
def test_the_least_error_and_ours(dim, size, least, ours):
    """At ten dimensions no decoder without bias reaches 1.01 times the limit."""
    steps = [mpf(3) / 10 * place for place in range(-2, 3)]
    with mp.workdps(50):
        found = least_ratio(dim, size, steps)
    assert least <= found < least + 1e-5
    assert found < ratio(dim, size) < ours
    assert ratio(dim, size, decoder="projected") < found  # whose bias buys it


def test_more_points_change_little():
    with mp.workdps(50):
        five, eleven = (
            least_ratio(2, 10, [mpf(3) / 10 * place for place in range(-most, most + 1)]) for most in (2, 5)
        )
    assert five < eleven < five + 2e-6


@pytest.mark.parametrize("size", [0.1, 1.0, 10.0])
def test_made_for_a_norm_it_is_next_to_the_least(size):
    """In ten dimensions, at the norm that the decoder is made for, within 0.2 %."""
    with mp.workdps(50):
        least = least_ratio(10, size, [mpf(3) / 10 * place for place in range(-2, 3)])
    assert least < ratio(10, size, public_norm=size / 0.01) < 1.002 * least


def two_controls(dim, size):
    """Error over the limit with a second control variate, both weights the best for large answers."""
    x = float(SPREAD) ** 2

    def at(t):
        """Squared lengths with the weight of each, and the polynomials whose means are 1, t and t²."""
        cells = np.linspace(0, (math.sqrt(t + dim * x) + 1.2) ** 2, 4_001)
        square = (cells[1:] + cells[:-1]) / 2
        weight = square * ncx2.pdf(square / x, dim, t / x) / x * (cells[1] - cells[0])
        first = square - (dim + 2) * x
        second = square**2 - 2 * (dim + 4) * x * square + (dim + 2) * (dim + 4) * x * x
        return weight, first, second

    weight, first, second = at(1.0)
    controls = np.array([first - 1, second - first])
    beta = np.linalg.solve((controls * weight) @ controls.T, (controls * weight).sum(axis=1))
    w = 1 / (1 + size * size)
    weight, first, second = at(1 - w)
    up, down = 1 - beta @ np.array([first - 1, second - first]), beta[0] + beta[1] * first
    total = math.exp(x) * (weight * (up**2 + (w * down) ** 2)).sum()
    total -= 2 * w * math.exp(-x) * (weight * up * down).sum()
    return math.sqrt((total - (1 - w)) / (dim * x))


def test_a_second_control_variate_gains_far_out_and_loses_near_zero():
    sizes = (0.1, 1, 10, 100)
    found = [two_controls(10, size) for size in sizes]
    assert found == pytest.approx([1.0302, 1.0372, 1.0117, 1.0112], abs=1e-4)
    assert [ratio(10, size) for size in sizes] == pytest.approx([1.0178, 1.03, 1.0131, 1.0126], abs=1e-4)
