"""Several releases about the same people, together: one tight (epsilon, delta).

Outright failures are counted apart: with leak D and failures F, delta(epsilon) = F + D + (1 - D) H(epsilon).
Gaussians merge into one mu. If that is all, H is exact; else it is the smaller of two proven bounds, one
by the Rényi curve and one by the composed privacy loss. Proof: proofs/composition.md.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol, runtime_checkable

from relgauss import validate
from relgauss.accounting import gdp, pld
from relgauss.accounting.convert import rdp_to_epsilon, rdp_to_log_delta
from relgauss.accounting.guarantees import GaussianDP, Guarantee
from relgauss.accounting.solve import least_epsilon
from relgauss.errors import InvalidParameterError


@runtime_checkable
class HasGuarantee(Protocol):
    """Anything that promises something per use: a mechanism, for one."""

    @property
    def guarantee(self) -> Guarantee:
        """The promise of one use."""


@runtime_checkable
class HasUses(Protocol):
    """Anything that knows what it promises and how often: a charge, for one."""

    @property
    def uses(self) -> tuple[tuple[Guarantee, int], ...]:
        """Guarantees and how often each was used."""


Part = Guarantee | HasGuarantee | HasUses | tuple[Guarantee | HasGuarantee, int]


@dataclass(frozen=True)
class Composition:
    """Guarantees used together, adaptively, on the same records."""

    uses: tuple[tuple[Guarantee, int], ...]

    def epsilon(self, delta: float) -> float:
        """The least proven epsilon at this delta; infinite where failures alone exceed it."""
        delta = validate.probability("delta", delta)
        rest = (delta * (1 - 1e-15) - self.failure - self.leak) / (1 - self.leak) if self.leak < 1 else 0.0
        if rest <= 0:
            return math.inf
        added = math.fsum(times * part.largest_loss for part, times in self._merged) * (1 + 1e-15)
        match self._merged:
            case []:
                return 0.0
            case [(GaussianDP(mu), 1)]:
                return gdp.epsilon(mu, rest)
            case [(part, 1)]:
                return min(added, least_epsilon(part.log_delta, math.log(rest), part.loss_std))
            case parts:
                renyi = rdp_to_epsilon(self.rdp, self.order_limit, rest)[1]
                return min(added, renyi, pld.epsilon(parts, rest))

    def delta(self, epsilon: float) -> float:
        """The least proven delta at this epsilon."""
        epsilon = validate.nonnegative("epsilon", epsilon, "Pass the epsilon to read delta at.")
        rest = self._delta_without_leaks(epsilon)
        return min(1.0, (self.failure + self.leak + (1 - self.leak) * rest) * (1 + 1e-15))

    def rdp(self, alpha: float) -> float:
        """The Rényi curve of all uses, leaks apart."""
        return sum(times * part.rdp(alpha) for part, times in self._merged) * (1 + 1e-14)

    @property
    def order_limit(self) -> float:
        """Rényi orders below this one are bounded."""
        return min((part.order_limit for part, _ in self.uses), default=math.inf)

    @cached_property
    def failure(self) -> float:
        """The probability that anything relied on is wrong."""
        return min(1.0, math.fsum(times * part.failure for part, times in self.uses) * (1 + 1e-15))

    @cached_property
    def leak(self) -> float:
        """The probability that any (epsilon, delta) mechanism discloses."""
        log_kept = math.fsum(times * math.log1p(-part.leak) for part, times in self.uses)
        return min(1.0, -math.expm1(log_kept) * (1 + 1e-14))

    @cached_property
    def _merged(self) -> list[tuple[Guarantee, int]]:
        """All Gaussians as one, equal guarantees counted together, those without any loss left out."""
        counts: dict[Guarantee, int] = {}
        squares = 0.0
        for part, times in self.uses:
            if isinstance(part, GaussianDP):
                squares += times * part.mu * part.mu
            elif part.loss_std > 0:
                counts[part] = counts.get(part, 0) + times
        if squares > 0:
            rounding = 1 + 1e-15 if len(self.uses) > 1 or self.uses[0][1] > 1 else 1.0
            counts[GaussianDP(math.sqrt(squares) * rounding)] = 1
        return list(counts.items())

    def _delta_without_leaks(self, epsilon: float) -> float:
        match self._merged:
            case []:
                return 0.0
            case [(part, 1)]:
                log_delta = part.log_delta(epsilon)
            case parts:
                log_delta = rdp_to_log_delta(self.rdp, self.order_limit, epsilon)[1]
                log_delta = min(log_delta, pld.log_delta(parts, epsilon, math.exp(max(log_delta, -700.0))))
        return max(math.exp(log_delta), math.ulp(0.0))


def compose(*parts: Part) -> Composition:
    """Compose guarantees, mechanisms, charges or statements; (part, times) repeats one.

    >>> compose((GaussianDP(0.1), 100), Failure(1e-8)).epsilon(1e-6)
    """
    return Composition(tuple(_uses(parts)))


def _uses(parts: Iterable[object]) -> Iterable[tuple[Guarantee, int]]:
    for part in parts:
        if isinstance(part, HasUses):
            yield from part.uses
            continue
        single, times = part if isinstance(part, tuple) and len(part) == 2 else (part, 1)
        guarantee = single.guarantee if isinstance(single, HasGuarantee) else single
        if not isinstance(guarantee, Guarantee):
            raise InvalidParameterError(
                "part",
                part,
                "a guarantee, mechanism, charge or (part, times)",
                "Pass for example GaussianDP(0.5).",
            )
        yield guarantee, validate.count("times", times)
