"""The exact pair of the Relative Gaussian Mechanism against tabulated values and 50-digit arithmetic."""

import math

import numpy as np
import pytest
from mpmath import mp, mpf

import relgauss as rg
from relgauss.accounting.gaussian_pair import GaussianPair
from relgauss.accounting.noncentral import log_scaled_bessel

from . import reference

# One release: delta at epsilon (forward order), exact Rényi divergence at orders 2 and 4. Computed once in
# 50-digit arithmetic from the non-central chi-square law and from the closed Rényi formula.
REFERENCE_VALUES = [
    # eta, gamma, dim, epsilon, delta(epsilon), RDP(2), RDP(4)
    (0.1, 0.05, 1, 1.0, 0.0179481830358042, 0.275715543918235, 1.15147961350073),
    (0.1, 1.0, 1, 2.0, 6.67055169768164e-6, 0.0352092148043113, 0.124452586473707),
    (0.01, 0.01, 22, 0.3, 0.000868860144831131, 0.0146501309460409, 0.0304229893871538),
    (0.01, 0.1, 100, 0.3, 0.00196894972736353, 0.0212250939985782, 0.0436719800666963),
    (0.001, 0.0001, 10, 0.5, 2.39920495440245e-8, 0.0100400701653709, 0.020160932473239),
]

# (shift, variance excess, dim, epsilon): small and large, central and far out in the tail; then the
# logarithms of delta in both orders, computed once by ``reference.hockey_stick``.
PAIRS = [
    (1.0, 0.21, 2, 1.0, "-1.91776437361849269159988323055", "-2.52814182655127558401421645345"),
    (0.4472135955, 0.21, 3, 2.5, "-7.84247949459710540788381437793", "-inf"),
    (0.1, 0.0201, 22, 0.3, "-7.04832838370473482453915524665", "-11.304713387433025137275089698"),
    (0.1, 0.0201, 22, 4.0, "-121.665773882277295343558577719", "-inf"),
    (2.0, 0.21, 5, 0.0, "-0.408760146031857641542702449211", "-0.408760146031857641542702470671"),
    (3.0, 8.0, 4, 20.0, "-1.21401471211188379284069151862", "-inf"),
    (1e-9, 35.0, 2, 10.0, "-0.416271418065442321918707327858", "-inf"),
    (1e-3, 35.0, 10, 600.0, "-9.13231489063709949557133607212", "-inf"),
    (0.5, 3.0, 101, 30.0, "-0.00404114430311126089042430588782", "-0.507169756061766556138787723182"),
    (1e-2, 1e-4, 103, 0.05, "-20.6053019372756306773859147789", "-21.985647924717782787998328759"),
    (1e-6, 1e-3, 1000, 0.1, "-16.4767026298329389977109316622", "-19.5886987476850413144552555736"),
    (1e-6, 1e-9, 10, 1e-5, "-68.8599438190814186975193998174", "-69.8895482870979723944852796349"),
    (0.7, 1.5e-7, 1000, 15.0, "-229.563328405590784802629352439", "-229.565450060906774167603639693"),
    (1.6, 1.6e-6, 150, 33.5, "-209.29238555893761912221679663", "-209.301613374647942382592928485"),
    (25.0, 1e-11, 7, 400.0, "-8.507014205887829114640201432", "-8.50701420657890489678731795537"),
    (1e-9, 1e-12, 2, 1e-8, "-75.7679053024024538403769399898", "-76.7975192660595749393988881087"),
    (0.01, 1e-4, 10_000, 0.03, "-10.3709097606309456144162793284", "-10.5218150920136679812772168702"),
    (0.3, 0.9, 100_000, 14_060.0, "-18.8491561710899762000900259406", "-1705.51279774018366882777098615"),
    (4.0, 1e-7, 10_000_000, 2.0, "-0.119561739185570521202604281128", "-0.119561746483905779540314273605"),
    (1e-8, 1e-6, 10_000_000, 0.02, "-51.3197764957291609898233551599", "-51.5409278645317771547344570409"),
    (1e-45, 1e-5, 10_000, 1e-3, "-10.5639397805235296579556500576", "-10.6190194293745024561787999016"),
    (1e-30, 0.5, 3, 3.0, "-7.10427437762992387048161164221", "-inf"),
    (130.0, 0.01, 6, 1e4, "-73.7991394300988602683628714274", "-84.1868747419666147829747420797"),
    (1e-4, 0.2, 1_000_000, 1e4, "-36.5218925939848715074722332022", "-176.91749415388064344646776812"),
    (5e4, 0.1, 3, 1.0, "-6.09093050470996147885437687185e-21", "-6.09093050476353289620195327647e-21"),
    (1e-3, 35.0, 1_000_000_000, 1.0, "0.0", "0.0"),
    (
        8.316423759867005e-42,
        1e-7,
        10_000_000,
        0.0,
        "-9.32456001771380304240114588301",
        "-9.32456001771380304240114588301",
    ),
]
ORDERS = ("forward", "reverse")


def assert_just_above(value, true, slack: float) -> None:
    """``value`` is never below ``true`` and at most a relative ``slack`` above it."""
    assert value >= true
    assert value <= true * (1 + mpf(slack))


def assert_log_just_above(log_value: float, true, slack: float) -> None:
    with mp.workdps(40):
        excess = mpf(log_value) - mp.log(true)
    assert 0 <= excess <= slack


def rounding(dim: int) -> float:
    """Relative room for rounding: the log density is a sum of terms of size dim."""
    return 1e-9 + 1e-14 * dim


@pytest.mark.parametrize(("eta", "gamma", "dim", "epsilon", "delta", "rdp2", "rdp4"), REFERENCE_VALUES)
@pytest.mark.parametrize("r", [0.0, 1.0])
def test_reference_values_of_the_mechanism(eta, gamma, dim, epsilon, delta, rdp2, rdp4, r):
    mechanism = rg.RelativeGaussian(rg.RelativeSensitivity(eta, r), dim, gamma)
    assert mechanism.delta(epsilon) == pytest.approx(delta, rel=1e-9)
    assert mechanism.rdp(2) == pytest.approx(rdp2, rel=1e-9)
    assert mechanism.rdp(4) == pytest.approx(rdp4, rel=1e-9)


@pytest.mark.parametrize(("eta", "gamma", "dim", "epsilon", "delta", "rdp2", "rdp4"), REFERENCE_VALUES)
def test_reference_values_of_the_pair(eta, gamma, dim, epsilon, delta, rdp2, rdp4):
    pair = GaussianPair(eta / math.sqrt(gamma), eta * (2 + eta), dim)
    assert pair.hockey_stick(epsilon, "forward") == pytest.approx(delta, rel=1e-9)
    assert [pair.renyi(2), pair.renyi(4)] == pytest.approx([rdp2, rdp4], rel=1e-9)


def test_one_release_reads_its_delta_back():
    """epsilon(delta) inverts the reference value delta(1) = 0.01794..., and ends on the private side."""
    mechanism = rg.RelativeGaussian(rg.RelativeSensitivity(0.1), 1, 0.05)
    epsilon = mechanism.epsilon(0.0179481830358042, method="pld")
    assert epsilon == pytest.approx(1.0, rel=1e-9)
    assert mechanism.delta(epsilon) <= 0.0179481830358042 * (1 + 1e-14)


@pytest.mark.parametrize(("c", "w", "dim", "epsilon", "forward", "reverse"), PAIRS)
def test_hockey_stick_is_just_above_the_exact_value(c, w, dim, epsilon, forward, reverse):
    for order, text in zip(ORDERS, (forward, reverse), strict=True):
        log_true = mpf(text)
        log_value = GaussianPair(c, w, dim).log_hockey_stick(epsilon, order)
        if log_true < -1000 * mp.log(10):  # below every delta: an upper bound is all that matters
            assert mpf(log_value) >= log_true if text != "-inf" else log_value <= -700
        else:
            with mp.workdps(40):
                assert 0 <= mpf(log_value) - log_true <= rounding(dim)


@pytest.mark.parametrize(
    ("c", "w", "dim", "epsilon", "forward", "reverse"),
    [*PAIRS[:2], PAIRS[9], *(pytest.param(*pair, marks=pytest.mark.slow) for pair in PAIRS)],
)
def test_the_table_holds_what_quadrature_gives(c, w, dim, epsilon, forward, reverse):
    for order, text in zip(ORDERS, (forward, reverse), strict=True):
        true = min(reference.hockey_stick(c, w, dim, epsilon, order), mpf(1))  # it may pass one by 1e-23
        with mp.workdps(40):
            assert (mp.log(true) if true > 0 else -mp.inf) == pytest.approx(mpf(text), rel=1e-25, abs=1e-25)


@pytest.mark.parametrize("order", ORDERS)
def test_hockey_stick_on_a_line_is_just_above_the_exact_value(order):
    """In one dimension the exact value is a sum of four normal tails, cheap at every scale."""
    rng = np.random.default_rng(1)
    for _ in range(300):
        c, w = 10 ** rng.uniform(-9, 1.5), 10 ** rng.uniform(-12, 1.5)
        spread = math.hypot(c, w)
        epsilon = max(0.0, c * c / 2 + rng.uniform(-3, 12) * spread)
        true = reference.hockey_stick(c, w, 1, epsilon, order)
        if true > mpf(10) ** -400:
            assert_log_just_above(GaussianPair(c, w, 1).log_hockey_stick(epsilon, order), true, 1e-9)


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize(("c", "w", "dim", "epsilon"), [(1.0, 0.21, 2, -1.0), (0.1, 0.0201, 22, -0.3)])
def test_hockey_stick_at_negative_epsilon(c, w, dim, epsilon, order):
    true = reference.hockey_stick(c, w, dim, epsilon, order)
    assert_just_above(mpf(GaussianPair(c, w, dim).hockey_stick(epsilon, order)), true, 1e-9)


@pytest.mark.parametrize("w", [1e-12, 1e-6, 2e-3, 0.049, 0.051, 0.21, 3.0, 35.0])
@pytest.mark.parametrize(("c", "dim"), [(1e-9, 1), (0.3, 1), (1e-5, 10_000), (2.0, 10_000_000), (50.0, 3)])
def test_renyi_is_just_above_the_exact_value(c, w, dim):
    pair = GaussianPair(c, w, dim)
    for share in (1e-9, 1e-4, 0.04, 0.06, 0.5, 0.9, 0.9999, 1 - 1e-9):
        alpha = 1 + share / w
        if alpha > 1:
            true = reference.renyi(c, w, dim, alpha)
            # Close to the order limit alpha itself, rounded to a double, decides the digits.
            assert_just_above(mpf(pair.renyi(alpha)), true, 1e-9 if share < 0.99 else 1e-3)


def test_renyi_is_infinite_from_its_limit_on():
    pair = GaussianPair(0.5, 0.25, 3)
    assert math.isfinite(pair.renyi(4.999))
    assert pair.renyi(5.0) == math.inf
    assert pair.renyi(1e300) == math.inf


@pytest.mark.parametrize("order", [-0.5, 0.0, 0.5, 4.0, 49.5, 50.0, 499.0, 1000.0, 49_999.5, 4_999_999.0])
def test_scaled_bessel_function(order):
    z = np.concatenate([10.0 ** np.arange(-100.0, 25.0, 4), 10.0 ** np.arange(-4.0, 6.1, 0.25)])
    values = log_scaled_bessel(order, z)
    with mp.workdps(75):
        for x, value in zip(z, values, strict=True):
            true = reference.log_bessel(mpf(order), mpf(float(x))) - mpf(float(x))
            assert abs(mpf(float(value)) - true) <= 1e-13 + 1e-15 * abs(true), x


# The reference itself, and the checks.


@pytest.mark.parametrize("order", ORDERS)
def test_reference_quadrature_agrees_with_the_closed_form_on_a_line(order):
    for c, w, epsilon in [(1.0, 0.21, 1.0), (0.3, 2.0, 0.1), (1e-3, 1e-5, 2e-3)]:
        closed = reference.hockey_stick(c, w, 1, epsilon, order)
        integral = reference.hockey_stick(c, w, 1, epsilon, order, on_a_line=False)
        assert abs(integral / closed - 1) < mpf(10) ** -18


def test_reference_bessel_expansion_agrees_with_the_series():
    with mp.workdps(75):
        for order, z in [(1000, 1e3), (2000, 10.0), (5000, 1e4)]:
            expansion = reference.log_bessel(mpf(order), mpf(z))
            assert abs(expansion - mp.log(mp.besseli(order, mpf(z)))) < mpf(10) ** -30


@pytest.mark.parametrize("factor", [0.999, 1 - 1e-11, 1.001])
def test_the_check_sees_a_value_that_is_off(factor):
    true = reference.hockey_stick(1.0, 0.21, 2, 1.0, "forward")
    planted = float(true * mpf(factor))
    with pytest.raises(AssertionError):
        assert_just_above(mpf(planted), true, 1e-9)
    with pytest.raises(AssertionError):
        assert_log_just_above(math.log(planted), true, 1e-9)
