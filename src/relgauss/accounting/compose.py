"""Several releases about the same people, together: one tight (epsilon, delta).

Outright failures are counted apart: with leak D and failures F, delta(epsilon) = F + D + (1 - D) H(epsilon).
Gaussians merge into one mu, Rényi curves of parts of which nothing more is known into one curve. A single
part is read as it is; else H is the smaller of two proven bounds, one by the Rényi curve of everything and
one by the composed privacy loss. Proofs: proofs/composition.md, proofs/renyi.md.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol, runtime_checkable

from relgauss import validate
from relgauss.accounting import gdp, guard, pld
from relgauss.accounting.adjacency import REPLACE_ONE, Neighbours, common
from relgauss.accounting.convert import rdp_to_epsilon, rdp_to_log_delta
from relgauss.accounting.gdp import GaussianDP
from relgauss.accounting.guarantees import Guarantee
from relgauss.accounting.guarded import Guarded
from relgauss.accounting.renyi import RenyiDP
from relgauss.accounting.renyi_curves import RenyiSum
from relgauss.accounting.solve import least_epsilon
from relgauss.errors import InvalidParameterError, NoGuaranteeError


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


Part = Guarantee | HasGuarantee | HasUses | tuple["Part", int]


@dataclass(frozen=True)
class Composition:
    """Guarantees used together, adaptively, on the same records.

    Parameters
    ----------
    uses
        Each guarantee with the number of times that it was used.
    """

    uses: tuple[tuple[Guarantee, int], ...]

    def __post_init__(self) -> None:
        uses = validate.sequence("uses", self.uses, "Pass pairs (guarantee, times), or use compose().")
        object.__setattr__(self, "uses", tuple(map(_checked, uses)))
        common("part", (Guarded.of(part).neighbours for part, _ in self.uses))

    @property
    def neighbours(self) -> Neighbours:
        """Which tables all parts are about."""
        return common("part", (Guarded.of(part).neighbours for part, _ in self.uses)) or REPLACE_ONE

    def epsilon(self, delta: float) -> float:
        """The least proven epsilon at this delta; infinite where failures alone exceed it."""
        delta = validate.probability("delta", delta)
        rest = (delta * (1 - 1e-15) - self.failure - self.leak) / (1 - self.leak) if self.leak < 1 else 0.0
        if rest <= 0:
            return math.inf
        added = self.largest_loss
        match self._merged:
            case []:
                return 0.0
            case [(Guarded(GaussianDP(mu) as gaussian), 1)] if type(gaussian) is GaussianDP:
                return guard.epsilon(gdp.epsilon(mu, rest))
            case [(part, 1)] if not part.only_renyi:
                return min(added, guard.epsilon(least_epsilon(part.log_delta, math.log(rest), part.loss_std)))
            case parts:
                renyi = rdp_to_epsilon(self._rdp, self.order_limit, rest)[1]
                if all(part.only_renyi for part, _ in parts):
                    return min(added, renyi)
                return min(added, renyi, guard.epsilon(pld.epsilon(parts, rest)))

    def delta(self, epsilon: float) -> float:
        """The least proven delta at this epsilon."""
        epsilon = validate.nonnegative("epsilon", epsilon, "Pass the epsilon to read delta at.")
        return self.delta_near(epsilon)(epsilon)

    def delta_near(self, epsilon: float) -> Callable[[float], float]:
        """Delta as a function: proven wherever it is read, the least near this epsilon, and quick to read."""
        log_delta = self._log_delta_near(epsilon)

        def delta(at: float) -> float:
            rest = guard.exp_up(log_delta(at)) if self._merged else 0.0
            total = (self.failure + self.leak + (1 - self.leak) * rest) * (1 + 1e-15)
            return guard.delta(min(1.0, math.nextafter(total, math.inf) if total > 0 else 0.0))

        return delta

    @property
    def largest_loss(self) -> float:
        """No loss is above it, leaks apart; infinite for noise without an end."""
        return guard.total(times * part.largest_loss for part, times in self._merged)

    def rdp(self, alpha: float) -> float:
        """The Rényi curve of all uses at order ``alpha``, leaks apart."""
        return self._rdp(validate.order("alpha", alpha))

    def _rdp(self, alpha: float) -> float:
        return guard.total(times * part.rdp(alpha) for part, times in self._merged) * (1 + 1e-15)

    @property
    def order_limit(self) -> float:
        """Rényi orders below this one are bounded."""
        return min((part.order_limit for part, _ in self._merged), default=math.inf)

    @cached_property
    def failure(self) -> float:
        """The probability that anything relied on is wrong."""
        return min(1.0, guard.total(times * Guarded(part).failure for part, times in self.uses))

    @cached_property
    def leak(self) -> float:
        """The probability that any (epsilon, delta) mechanism discloses."""
        leaks = [(Guarded(part).leak, times) for part, times in self.uses]
        if any(leak == 1 for leak, _ in leaks):
            return 1.0
        log_kept = -guard.total(-times * math.log1p(-leak) for leak, times in leaks)
        return min(1.0, -math.expm1(log_kept) * (1 + 1e-14))

    @cached_property
    def _merged(self) -> list[tuple[Guarded, int]]:
        """All Gaussians as one, all mere Rényi curves as one, equal guarantees counted together.

        Those without any loss are left out. The order in which parts were named does not matter.
        """
        counts: dict[Guarded, int] = {}
        curves: dict[Guarded, int] = {}
        gaussians = []
        for part, times in self.uses:
            if type(part) is GaussianDP:
                gaussians.append((part.mu, times))
            elif not (read := Guarded.of(part)).is_lossless:
                among = curves if read.only_renyi else counts
                among[read] = among.get(read, 0) + times
        mu = gdp.composed(gaussians)
        if mu > 0:
            counts[Guarded(GaussianDP(mu))] = 1
        if curves:
            counts[Guarded(RenyiDP(RenyiSum(tuple(_in_order(curves)))))] = 1
        return _in_order(counts)

    def _log_delta_near(self, epsilon: float) -> Callable[[float], float]:
        match self._merged:
            case []:
                return lambda at: -math.inf
            case [(part, 1)]:
                return part.log_delta
            case parts:
                renyi = rdp_to_log_delta(self._rdp, self.order_limit, epsilon)[1]
                composed = pld.log_delta_near(parts, epsilon, math.exp(max(renyi, -700.0)))

                def log_delta(at: float) -> float:
                    return min(renyi if at >= epsilon else 0.0, guard.log_delta(composed(at)))

                return log_delta


def _in_order(counts: dict[Guarded, int]) -> list[tuple[Guarded, int]]:
    return sorted(counts.items(), key=repr)


def compose(*parts: Part) -> Composition:
    """Several releases about the same people, as one guarantee.

    >>> compose((GaussianDP(0.1), 100), Failure(1e-8)).epsilon(1e-6)

    Parameters
    ----------
    parts
        Guarantees, mechanisms, charges or statements, all for the same neighbours. A pair (part, times)
        repeats all that the part counts.
    """
    _refuse_unlike_promises(parts)
    return Composition(tuple(_uses(parts)))


def _refuse_unlike_promises(parts: Iterable[object]) -> None:
    """Refuse statements of unlike units, or unlike neighbours in words: their sum would hold for neither."""
    statements = [part for part in map(_inmost, parts) if isinstance(getattr(part, "unit", None), str)]
    for name, what in (("unit", "units"), ("neighbours", "neighbours")):
        found = sorted({str(getattr(each, name, None)) for each in statements})
        if len(found) > 1:
            raise NoGuaranteeError(
                f"The statements protect unlike {what}: {', '.join(map(repr, found))}.", "Keep them apart."
            )


def _inmost(part: object) -> object:
    """What a pair (part, times) repeats, or a pair of such a pair."""
    while isinstance(part, tuple) and part:
        part = part[0]
    return part


def _uses(parts: Iterable[object]) -> Iterable[tuple[Guarantee, int]]:
    """All guarantees in the parts; a part that counts several times, repeated, counts their product."""
    for part in parts:
        if isinstance(part, tuple) and len(part) == 2:
            times = validate.count("times", part[1])
            yield from ((each, once * times) for each, once in _uses(part[:1]))
        elif isinstance(part, HasUses):
            yield from part.uses
        elif isinstance(part, HasGuarantee) and not isinstance(part, Guarantee):
            yield part.guarantee, 1
        else:
            yield part, 1  # type: ignore[misc]  # the composition refuses what is no guarantee


def _checked(use: object) -> tuple[Guarantee, int]:
    guarantee, times = use if isinstance(use, tuple) and len(use) == 2 else (use, 1)
    if not isinstance(guarantee, Guarantee):
        raise InvalidParameterError(
            "part",
            guarantee,
            "a guarantee, mechanism, charge or (part, times)",
            "Pass for example GaussianDP(0.5).",
        )
    try:
        hash(guarantee)
    except TypeError:
        raise InvalidParameterError(
            "part",
            guarantee,
            "hashable, so that equal ones are counted together",
            "Make it a frozen dataclass.",
        ) from None
    return guarantee, validate.count("times", times)
