"""What a guarantee means to somebody who guesses whether one record was there.

The guesser knows both neighbours and all but the noise. With the profile delta(epsilon), a test that raises a
false alarm with probability a finds the record with probability at most

    min over epsilon >= 0 of  delta(epsilon) + e^epsilon a  and  1 - e^-epsilon (1 - delta(epsilon) - a)

and at the prior p, with t = |log((1-p)/p)|, no guess is right more often than the better blind one plus

    min(p, 1-p) delta(t)

Proof: proofs/conversions.md, 8.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from scipy.optimize import minimize_scalar
from scipy.special import log_ndtr, ndtri

from relgauss import validate
from relgauss.accounting import gdp, guard
from relgauss.accounting.compose import Composition, Part, compose
from relgauss.accounting.gdp import GaussianDP

_FARTHEST = 50.0  # an epsilon that tells everything
_LOOKS = 2  # at the profile, each composed anew
_SLACK = 1 + 1e-12  # for the rounding of the formulas


def true_positive_rate(part: Part, false_positive_rate: float) -> float:
    """The most often that a test can find a record, given how often it may raise a false alarm.

    Without any privacy it would be 1, and with perfect privacy the rate of false alarms itself.

    Parameters
    ----------
    part
        A guarantee, a mechanism, a charge, a statement or a composition.
    false_positive_rate
        The probability of saying "it was there" where it was not.

    Examples
    --------
    >>> true_positive_rate(GaussianDP(1.0), 0.01)  # 9.2 % are found, at one false alarm in a hundred
    """
    rate = validate.probability("false_positive_rate", false_positive_rate, "Pass for example 0.01.")
    together = compose(part)
    mu = _only_gaussian(together)
    if mu is not None:
        return min(1.0, math.exp(log_ndtr(ndtri(rate) + mu)) * _SLACK)

    most = min(-math.log(rate), 700.0)  # beyond it the first bound is above 1, or no double
    best = _least(together, lambda epsilon, delta: delta + math.exp(epsilon) * rate, rate, most)
    if 1 - best < rate:  # on the far side of the diagonal the second is the smaller one
        missed = _least(
            together, lambda epsilon, delta: 1 - math.exp(-epsilon) * (1 - delta - rate), 1 - rate, _FARTHEST
        )
        best = min(best, missed)
    return min(1.0, max(rate, best * _SLACK))


def trade_off(part: Part, false_positive_rate: float) -> float:
    """The least often that a test must miss a record: one minus ``true_positive_rate``.

    Parameters
    ----------
    part
        A guarantee, a mechanism, a charge, a statement or a composition.
    false_positive_rate
        The probability of saying "it was there" where it was not.
    """
    return 1 - true_positive_rate(part, false_positive_rate)


def bayes_advantage(part: Part, prior: float = 0.5) -> float:
    """How much more often than the better blind guess any guess can be right.

    Parameters
    ----------
    part
        A guarantee, a mechanism, a charge, a statement or a composition.
    prior
        The probability, before anything is released, that the record was there.

    Examples
    --------
    >>> bayes_advantage(GaussianDP(1.0))  # right in 69.2 % of the cases, where a coin is right in 50 %
    """
    prior = validate.probability("prior", prior, "Pass for example 0.5.")
    rarer = min(prior, 1 - prior)
    return min(rarer, guard.product(rarer, compose(part).delta(_log_odds(prior)), _SLACK))


def _log_odds(prior: float) -> float:
    """|log((1-p)/p)|, rounded down: near 1/2, where two logarithms would cancel, as 2 artanh|1-2p|."""
    away = abs(1 - 2 * prior)  # exact for priors between 1/4 and 3/4
    odds = 2 * math.atanh(away) if away <= 0.5 else abs(math.log1p(-prior) - math.log(prior))
    return odds * (1 - 2e-15)


def _only_gaussian(together: Composition) -> float | None:
    """mu, where the composition is of Gaussians alone: its trade-off is then known exactly."""
    if all(type(part) is GaussianDP for part, _ in together.uses):
        return gdp.composed(
            [(part.mu, times) for part, times in together.uses if isinstance(part, GaussianDP)]
        )
    return None


def _least(together: Composition, bound: Callable[[float, float], float], size: float, most: float) -> float:
    """About the least value of a bound by epsilon and delta over [0, most].

    It holds wherever it is read, so no search can err. The profile is composed near the epsilon whose delta
    has about the ``size`` of the rate, and once more near the best.
    """
    at, least = min(together.epsilon(min(size, 0.5)), most), math.inf
    for _ in range(_LOOKS):
        delta = together.delta_near(at)

        def value(epsilon: float, delta: Callable[[float], float] = delta) -> float:
            return bound(epsilon, delta(epsilon))

        found = minimize_scalar(value, bounds=(0.0, most), method="bounded", options={"xatol": 1e-6})
        at = float(found.x)
        ends = (0.0, most, min(together.largest_loss, most))
        least = min(least, float(found.fun), *map(value, ends))
    return least
