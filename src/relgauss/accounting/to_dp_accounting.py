"""Guarantees for Google's dp_accounting: an event where one says the same, else a privacy-loss distribution.

    mu-GDP                        GaussianDpEvent(1/mu)
    mu-GDP on a Poisson sample    PoissonSampledDpEvent(q, GaussianDpEvent(1/mu))
    rho-zCDP                      ZCDpEvent(rho)
    all others                    atoms on a grid that lie above the profile, for both orders of neighbours

dp_accounting is imported on first use. Proof of the atoms: proofs/composition.md, 5.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from relgauss import validate
from relgauss.accounting.adjacency import Order
from relgauss.accounting.compose import Part, compose
from relgauss.accounting.gdp import GaussianDP
from relgauss.accounting.guarantees import Guarantee
from relgauss.accounting.guarded import Guarded
from relgauss.accounting.loss_grid import connect_the_dots
from relgauss.accounting.poisson import PoissonSampled
from relgauss.accounting.tcdp import TruncatedConcentratedDP
from relgauss.errors import InvalidParameterError, NoEventError

_TAIL = 1e-15  # of the profile, beyond which losses count as infinite
_MOST_CELLS = 2**21


def to_dp_accounting(part: Part, *, discretization: float = 1e-4) -> Any:
    """An event of dp_accounting or, where no event says it, a pessimistic ``PrivacyLossDistribution``.

    >>> accountant.compose(to_dp_accounting(GaussianDP(0.5)))           # an event, for any accountant
    >>> to_dp_accounting(relative_gaussian).get_epsilon_for_delta(1e-6)  # a privacy-loss distribution

    Parameters
    ----------
    part
        A guarantee, a mechanism, a charge, a statement, a composition or a pair (part, times). Sensitivities
        are for its own neighbours: read a Gaussian event about replaced records with
        RdpAccountant(REPLACE_ONE) or PLDAccountant(REPLACE_SPECIAL).
    discretization
        The distance of losses in a privacy-loss distribution; events do not need it.
    """
    fix = "Pass the distance of losses, such as 1e-4."
    gap = validate.positive("discretization", discretization, fix)
    uses = compose(part).uses
    events = [(_event(guarantee), times) for guarantee, times in uses]
    if all(event is not None for event, _ in events):
        return _composed(events)
    import dp_accounting.pld.privacy_loss_distribution as distributions

    together = distributions.identity(gap)
    for guarantee, times in uses:
        found = _distribution(Guarded.of(guarantee), gap)
        together = together.compose(found.self_compose(times) if times > 1 else found)
    return together


def _event(guarantee: Guarantee) -> Any:
    """The event that says the same as a guarantee, if there is one."""
    import dp_accounting

    match guarantee:
        case GaussianDP(mu=0.0):
            return dp_accounting.NoOpDpEvent()
        case GaussianDP(mu=mu) if type(guarantee) is GaussianDP:
            return dp_accounting.GaussianDpEvent(_inverse_down(mu))
        case PoissonSampled(guarantee=GaussianDP(mu=mu), rate=rate) if mu > 0:
            return dp_accounting.PoissonSampledDpEvent(rate, dp_accounting.GaussianDpEvent(_inverse_down(mu)))
        case TruncatedConcentratedDP(rho=rho, omega=math.inf):
            return dp_accounting.ZCDpEvent(rho)
    return None


def _composed(events: list[tuple[Any, int]]) -> Any:
    import dp_accounting

    found = [
        event if times == 1 else dp_accounting.SelfComposedDpEvent(event, times) for event, times in events
    ]
    if not found:
        return dp_accounting.NoOpDpEvent()
    return found[0] if len(found) == 1 else dp_accounting.ComposedDpEvent(found)


def _distribution(guarantee: Guarded, gap: float) -> Any:
    """The privacy-loss distribution of one use: an upper bound in both orders."""
    import dp_accounting.pld.privacy_loss_distribution as distributions

    if guarantee.failure > 0:
        raise NoEventError(
            "A certificate that may be wrong is no privacy loss: it adds to delta beside all others.",
            "Hand over the rest, and add the probability of failure to the delta that is read.",
        )
    removed = _atoms(guarantee, gap, "removed")
    added = None if guarantee.is_symmetric else _atoms(guarantee, gap, "added")
    return distributions.PrivacyLossDistribution(removed, added)


def _atoms(guarantee: Guarded, gap: float, order: Order) -> Any:
    from dp_accounting.pld import pld_pmf

    leak = guarantee.leak
    if guarantee.is_lossless:
        return pld_pmf.create_pmf({0: 1 - leak}, gap, leak, True)
    highest = guarantee.reach(math.log(_TAIL))
    if not highest / gap < _MOST_CELLS:
        raise InvalidParameterError(
            "discretization",
            gap,
            f"at least {highest / _MOST_CELLS:.3g} for losses up to {highest:.3g}",
            "Pass a wider distance of losses.",
        )
    found = connect_the_dots(guarantee, gap, highest, order, gap)
    masses = np.exp(found.log_masses) * (1 - leak)
    infinite = min(1.0, (leak + (1 - leak) * found.leak) * (1 + 1e-14))
    losses = dict(zip(found.indices.astype(int).tolist(), masses.tolist(), strict=True))
    return pld_pmf.create_pmf(losses, gap, infinite, True)


def _inverse_down(mu: float) -> float:
    """1/mu, rounded down: a smaller noise multiplier promises less."""
    return (1 / mu) * (1 - 2e-16)
