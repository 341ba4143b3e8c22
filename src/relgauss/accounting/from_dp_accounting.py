"""Events of Google's dp_accounting as guarantees. Proofs: proofs/conversions.md, proofs/sampling.md.

GaussianDpEvent(s)                        1/s-GDP
LaplaceDpEvent(s)                         1/s-DP
DiscreteLaplaceDpEvent(a, c)              a c-DP
RandomizedResponseDpEvent(p, k)           log(1 + k (1 - p)/p)-DP
ZCDpEvent(rho)                            rho-zCDP
PoissonSampledDpEvent(q, event)           the event's on a Poisson sample
SampledWithoutReplacementDpEvent(N, n, event)   the event's on a random batch of n/N
ComposedDpEvent, SelfComposedDpEvent      all of them together
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from relgauss import validate
from relgauss.accounting.adjacency import ADD_OR_REMOVE, NEIGHBOURS, REPLACE_ONE, Neighbours
from relgauss.accounting.approximate import ApproximateDP
from relgauss.accounting.compose import Composition
from relgauss.accounting.gdp import GaussianDP
from relgauss.accounting.guarantees import Guarantee
from relgauss.accounting.poisson import PoissonSampled
from relgauss.accounting.profile_table import ProfileTable
from relgauss.accounting.subsample import Subsampled
from relgauss.accounting.tcdp import TruncatedConcentratedDP
from relgauss.errors import NoEventError

_UP = 1 + 4e-16
_TAIL = 1e-14  # of the profile of a privacy-loss distribution, below which it is read no further
_POINTS = 4000
_LONGEST = 100.0


def from_dp_accounting(event: Any, *, neighbours: Neighbours | None = None) -> Composition:
    """What an event of dp_accounting promises, to compose with other guarantees or to enter in a ledger.

    >>> compose(from_dp_accounting(event), GaussianDP(0.5)).epsilon(1e-6)

    Parameters
    ----------
    event
        An event, events composed, or a pessimistic ``PrivacyLossDistribution``. One that is not private, or
        of a kind that is not known, is refused.
    neighbours
        The neighbours that it was computed for: "replace-one" or "add-or-remove", which is what
        dp_accounting takes unless told otherwise. It may be left out only where all events are sampled:
        Poisson samples are about added or removed records, batches about replaced ones.
    """
    if neighbours is not None:
        validate.choice("neighbours", neighbours, NEIGHBOURS)
    if hasattr(event, "get_delta_for_epsilon"):
        _refuse_optimistic(event)
        return Composition(((_distribution(event, _stated(neighbours)), 1),))
    return Composition(tuple(_uses(event, neighbours)))


def _refuse_optimistic(distribution: Any) -> None:
    """Refuse a distribution that may lie below the truth, or does not say that it lies above."""
    parts = [getattr(distribution, name, None) for name in ("_pmf_remove", "_pmf_add")]
    if not all(getattr(part, "_pessimistic_estimate", False) for part in parts if part is not None):
        raise NoEventError(
            "The privacy-loss distribution is not a pessimistic one.",
            "Make it with pessimistic_estimate=True.",
        )


def _uses(event: Any, neighbours: Neighbours | None) -> Iterator[tuple[Guarantee, int]]:
    from dp_accounting import dp_event as events

    match event:
        case events.NoOpDpEvent():
            return
        case events.ComposedDpEvent():
            for each in event.events:
                yield from _uses(each, neighbours)
        case events.SelfComposedDpEvent():
            if event.count != 0:
                times = validate.count("count", event.count)
                yield from ((each, once * times) for each, once in _uses(event.event, neighbours))
        case events.PoissonSampledDpEvent():
            _refuse_others(neighbours, ADD_OR_REMOVE, "A Poisson sample")
            if inner := _single(event.event, ADD_OR_REMOVE):
                yield PoissonSampled(inner, event.sampling_probability), 1
        case events.SampledWithoutReplacementDpEvent():
            _refuse_others(neighbours, REPLACE_ONE, "A batch without replacement")
            if inner := _single(event.event, REPLACE_ONE):
                rate = event.sample_size / validate.count("source_dataset_size", event.source_dataset_size)
                yield Subsampled(inner, rate), 1
        case _:
            yield _guarantee(event, _stated(neighbours)), 1


def _stated(neighbours: Neighbours | None) -> Neighbours:
    """The neighbours that were stated: objects of dp_accounting do not say, and a guess could halve it."""
    if neighbours is None:
        raise NoEventError(
            "An event or a privacy-loss distribution does not say which neighbours it is for.",
            'Pass neighbours="add-or-remove", which dp_accounting takes unless told otherwise, or '
            'neighbours="replace-one" if the noise was set, or the distribution made, for replaced records.',
        )
    return neighbours


def _refuse_others(stated: Neighbours | None, needed: Neighbours, what: str) -> None:
    """Refuse neighbours that a way of sampling does not speak of."""
    if stated not in (None, needed):
        raise NoEventError(f"{what} is for {needed} neighbours.", f"Pass neighbours={needed!r}, or none.")


def _distribution(distribution: Any, neighbours: Neighbours) -> ProfileTable:
    """The profile of a privacy-loss distribution, the larger of both orders, at many points."""
    farthest = min(float(distribution.get_epsilon_for_delta(_TAIL)), _LONGEST)
    epsilons = np.concatenate([[0.0], np.geomspace(1e-4, max(farthest, 2e-4), _POINTS)])
    deltas = np.asarray(distribution.get_delta_for_epsilon(epsilons), dtype=float)
    falling = np.maximum.accumulate(deltas[::-1])[::-1] * (1 + 1e-12)
    return ProfileTable(tuple(epsilons.tolist()), tuple(np.minimum(falling, 1.0).tolist()), neighbours)


def _single(event: Any, neighbours: Neighbours) -> Guarantee | None:
    """The guarantee of what runs on a sample: one release, or nothing."""
    match tuple(_uses(event, neighbours)):
        case ():
            return None
        case ((guarantee, 1),):
            return guarantee
    raise NoEventError(
        "Several releases on one sample have no guarantee here.", "Sample anew for each release."
    )


def _guarantee(event: Any, neighbours: Neighbours) -> Guarantee:
    from dp_accounting import dp_event as events

    match event:
        case events.GaussianDpEvent():
            return GaussianDP(_over(1.0, event.noise_multiplier), neighbours)
        case events.LaplaceDpEvent():
            return ApproximateDP(_over(1.0, event.noise_multiplier), 0.0, neighbours)
        case events.DiscreteLaplaceDpEvent():
            epsilon = validate.positive("noise_parameter", event.noise_parameter, "Use a private event.")
            return ApproximateDP(epsilon * event.sensitivity * _UP, 0.0, neighbours)
        case events.RandomizedResponseDpEvent():
            shown = _over(1 - event.noise_parameter, event.noise_parameter)
            return ApproximateDP(math.log1p(event.num_buckets * shown) * _UP, 0.0, neighbours)
        case events.ZCDpEvent(xi=0):
            return TruncatedConcentratedDP(event.rho, math.inf, neighbours)
    raise NoEventError(
        f"{type(event).__name__} is not private, or no guarantee here says the same.",
        "Read its epsilon and delta from dp_accounting, and take them as ApproximateDP(epsilon, delta).",
    )


def _over(value: float, noise: object) -> float:
    """A quotient, rounded up; without noise there is no privacy."""
    return value / validate.positive("noise of an event", noise, "Use a private event.") * _UP
