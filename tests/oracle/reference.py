"""Values in 50-digit arithmetic from textbook definitions; nothing here is shared with the package."""

from __future__ import annotations

from functools import cache
from itertools import pairwise

from mpmath import mp, mpf
from mpmath.calculus.quadrature import GaussLegendre

DIGITS = 50
EDGE = 50  # integrals leave out what is below e^-50 of the peak
# Panels on [0, 1], finer towards 0, where the integrand may rise from zero within a thin layer.
PANELS = [mpf(0), *(mpf(2) ** -k for k in range(16, 4, -1)), *(mpf(i) / 16 for i in range(1, 17))]


def gaussian_delta(mu, epsilon):
    """Phi(mu/2 - epsilon/mu) - e^epsilon Phi(-mu/2 - epsilon/mu)."""
    with mp.workdps(2 * DIGITS + 20):
        mu, epsilon = mpf(mu), mpf(epsilon)
        a, b = epsilon / mu - mu / 2, epsilon / mu + mu / 2
        return upper_tail(a) - mp.exp(epsilon) * upper_tail(b)


def upper_tail(x):
    """1 - Phi(x)."""
    return mp.erfc(x / mp.sqrt(2)) / 2


def renyi(c, w, d, alpha):
    """The Rényi divergence of N(0, (1+w) I_d) from N(c e_1, I_d)."""
    with mp.workdps(2 * DIGITS):
        c, v, alpha = mpf(c), 1 + mpf(w), mpf(alpha)
        s = alpha + (1 - alpha) * v
        if s <= 0:
            return mp.inf
        variance = ((1 - alpha) * mp.log(v) - mp.log(s)) / 2
        return alpha * c**2 / (2 * s) + d / (alpha - 1) * variance


def hockey_stick(c, w, d, epsilon, order, *, on_a_line=None):
    """sup over events of P - e^epsilon Q for P = N(0, (1+w) I_d), Q = N(c e_1, I_d), or with both swapped.

    The loss grows with the distance R from a point on the axis, so the best event is the outside of a ball
    around it (forward) or the inside (reverse), and its probabilities are integrals of the density of R; on
    a line, sums of normal tails.
    """
    with mp.workdps(DIGITS + 25):
        c, v, epsilon = mpf(c), 1 + mpf(w), mpf(epsilon)
        centre = c * v / (v - 1)
        level = epsilon if order == "forward" else -epsilon
        offset = c**2 / 2 - c * centre / 2 - mpf(d) / 2 * mp.log(v)
        squared = 2 * (level - offset) * v / (v - 1)
        if squared <= 0:  # the ball is empty
            return 1 - mp.exp(epsilon) if order == "forward" else mpf(0)
        radius = mp.sqrt(squared)
        if d == 1 if on_a_line is None else on_a_line:
            return _hockey_stick_on_a_line(c, v, centre, radius, epsilon, order)

        def density(R):
            p = radial_density(R, centre, v, d)
            q = radial_density(R, centre - c, mpf(1), d)
            return p - mp.exp(epsilon) * q if order == "forward" else q - mp.exp(epsilon) * p

        scale = mp.sqrt(v) if order == "forward" else mpf(1)
        mean = centre if order == "forward" else centre - c
        typical = mp.sqrt(mean**2 + scale**2 * (d - 1))
        return _integral_beyond(density, radius, typical, scale, upwards=order == "forward")


def _hockey_stick_on_a_line(c, v, centre, radius, epsilon, order):
    s = mp.sqrt(v)
    outside_p = upper_tail((centre + radius) / s) + upper_tail((radius - centre) / s)
    outside_q = upper_tail(centre - c + radius) + upper_tail(radius - centre + c)
    if order == "forward":
        return outside_p - mp.exp(epsilon) * outside_q
    inside_p = upper_tail((centre - radius) / s) - upper_tail((centre + radius) / s)
    inside_q = upper_tail(centre - c - radius) - upper_tail(centre - c + radius)
    return inside_q - mp.exp(epsilon) * inside_p


def radial_density(R, centre, variance, d):
    """The density at R of the distance from N(0, variance I_d) to a point at distance ``centre``."""
    order = mpf(d) / 2 - 1
    z = R * centre / variance
    exponent = log_bessel(order, z) - (R**2 + centre**2) / (2 * variance)
    return R / variance * mp.exp(order * mp.log(R / centre) + exponent)


def log_bessel(order, z):
    """log I_order(z), by its series or, at large orders, by the expansion DLMF 10.41.3 to ten terms."""
    if order < 1000:
        return mp.log(mp.besseli(order, z))
    root = mp.sqrt(order**2 + z**2)
    p = order / root
    series = sum(mp.polyval(u, p, asc=True) / order**k for k, u in enumerate(_debye_polynomials()))
    return root - order * mp.asinh(order / z) - mp.log(2 * mp.pi * root) / 2 + mp.log(series)


@cache
def _debye_polynomials():
    """u_0, ..., u_10 of DLMF 10.41.9, lowest coefficient first."""
    polynomials = [[mpf(1)]]
    with mp.workdps(2 * DIGITS):
        for _ in range(10):
            u = polynomials[-1]
            following = [mpf(0)] * (len(u) + 3)
            for n, a in enumerate(u):
                if n:
                    following[n + 1] += n * a / 2
                following[n + 1] += a / (8 * (n + 1))
                following[n + 3] += -n * a / 2 - 5 * a / (8 * (n + 3))
            polynomials.append(following)
    return polynomials


def _integral_beyond(density, edge, typical, scale, *, upwards):
    """The integral of a density with one peak from ``edge`` up to infinity or down to zero."""
    sign = 1 if upwards else -1
    end = mp.inf if upwards else edge

    def f(x):
        return density(edge + sign * x)

    peak = _peak(f, min(end, max(sign * (typical - edge), mpf(0)) + 15 * scale))
    least = f(peak) * mp.exp(-EDGE)
    first, last = _drop(f, peak, -1, least, scale, peak), _drop(f, peak, 1, least, scale, end - peak)
    total = mpf(0)
    for left, right in pairwise(PANELS):
        half, middle = (right - left) / 2, (right + left) / 2
        total += half * sum(
            weight * f(first + (last - first) * (middle + half * node)) for node, weight in _gauss_rule()
        )
    return (last - first) * total


@cache
def _gauss_rule():
    """12 Gauss-Legendre nodes and weights on [-1, 1]."""
    return GaussLegendre(mp).get_nodes(-1, 1, 3, mp.prec)


def _peak(f, end):
    """Where f is largest between 0 and end, by golden section."""
    ratio = (mp.sqrt(5) - 1) / 2
    a, b = mpf(0), end
    x, y = b - ratio * (b - a), a + ratio * (b - a)
    fx, fy = f(x), f(y)
    for _ in range(40):
        if fx < fy:
            a, x, fx = x, y, fy
            y = a + ratio * (b - a)
            fy = f(y)
        else:
            b, y, fy = y, x, fx
            x = b - ratio * (b - a)
            fx = f(x)
    return x


def _drop(f, peak, sign, least, scale, furthest):
    """How far from the peak f falls below ``least``: the point, at most ``furthest`` away."""
    distance = scale / 1024
    while distance < furthest and f(peak + sign * distance) > least:
        distance *= 2
    return peak + sign * min(distance, furthest)
