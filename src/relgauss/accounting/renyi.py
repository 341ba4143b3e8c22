"""Guarantees that are known by their Rényi curve alone: a table of orders, or a formula.

    D(alpha) >= D_alpha(A || B) for all neighbours, in both orders, at 1 < alpha < order_limit

Several are added up, order by order, before anything is read from them. Beside parts whose profile is known,
the sum counts by the greatest convex profile that its conversions allow. Proof: proofs/renyi.md.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from relgauss import validate
from relgauss.accounting import guard
from relgauss.accounting.adjacency import NEIGHBOURS, REPLACE_ONE, Neighbours
from relgauss.accounting.convert import rdp_to_epsilon, rdp_to_log_delta
from relgauss.accounting.convex import convex_minorant
from relgauss.accounting.guarantees import Guarantee
from relgauss.accounting.renyi_curves import RenyiCurve
from relgauss.arrays import FloatArray
from relgauss.errors import InvalidParameterError

_ORDERS = 400  # at which the curve is read for a whole profile
_HIGHEST = 1e7  # order that is worth reading


@dataclass(frozen=True)
class RenyiDP(Guarantee):
    """Neighbours have Rényi divergences below this curve, in both orders; nothing more is known.

    >>> compose((RenyiDP(RenyiTable((2, 8, 32), (0.1, 0.4, 1.7))), 10), GaussianDP(0.5)).epsilon(1e-6)

    Parameters
    ----------
    curve
        A ``RenyiTable`` or a ``RenyiFunction``.
    neighbours
        Which tables it is about: "replace-one" or "add-or-remove".
    """

    curve: RenyiCurve
    neighbours: Neighbours = REPLACE_ONE

    def __post_init__(self) -> None:
        validate.choice("neighbours", self.neighbours, NEIGHBOURS)
        if not isinstance(self.curve, RenyiCurve):
            raise InvalidParameterError(
                "curve",
                self.curve,
                "a RenyiTable or a RenyiFunction",
                "Wrap the table or the formula in one.",
            )

    @property
    def order_limit(self) -> float:
        """Orders below this one are bounded, as the curve says."""
        return self.curve.order_limit

    @property
    def only_renyi(self) -> bool:
        """Nothing but the curve is known."""
        return True

    @property
    def loss_std(self) -> float:
        """As if the loss were Gaussian: D = alpha std²/2."""
        order = min(2.0, (1 + self.order_limit) / 2)
        return math.sqrt(2 * self.rdp(order) / order)

    def rdp(self, alpha: float) -> float:
        """The curve, infinite from its limit on."""
        alpha = validate.order("alpha", alpha)
        return guard.divergence(self.curve.at(alpha)) if alpha < self.order_limit else math.inf

    def log_delta(self, epsilon: float) -> float:
        """By the tight conversion at its best order, or by the distance in variation."""
        return min(rdp_to_log_delta(self.rdp, self.order_limit, epsilon)[1], self._log_variation)

    def reach(self, log_tail: float) -> float:
        """Where the tight conversion of the curve gives a delta this small."""
        return rdp_to_epsilon(self.rdp, self.order_limit, math.exp(max(log_tail, -700.0)))[1]

    def profile_at(self, epsilon: FloatArray) -> FloatArray:
        """The greatest convex profile below the conversions at many orders."""
        rooms, lines = self._lines
        best = np.full(len(epsilon), self._log_variation)
        for room, line in zip(rooms.tolist(), lines.tolist(), strict=True):
            np.minimum(best, line - room * epsilon + 1e-14 * (1 + room * epsilon), out=best)
        return convex_minorant(epsilon, np.minimum(np.exp(best) * (1 + 1e-14), 1.0))

    def describe(self) -> str:
        """The curve, in a few words."""
        return self.curve.describe()

    @cached_property
    def _lines(self) -> tuple[FloatArray, FloatArray]:
        """Each order's bound on log delta, a line in epsilon: its slope alpha - 1 and its value at zero."""
        top = math.log(min(self.order_limit - 1, _HIGHEST))
        rooms = np.exp(np.linspace(min(math.log(1e-3), top - 10), top, _ORDERS + 1)[:-1])
        curve = np.array([self.rdp(1 + room) if 1 + room > 1 else math.inf for room in rooms.tolist()])
        finite = np.isfinite(curve)
        rooms, curve = rooms[finite], curve[finite]
        lines = rooms * (curve - np.log1p(1 / rooms)) - np.log1p(rooms)
        return rooms, lines + 1e-14 * (1 + rooms * curve)

    @cached_property
    def _log_variation(self) -> float:
        """log of the distance in variation: at most sqrt(D/2) and sqrt(1 - e^-D), for any order's D."""
        room = min(self.order_limit - 1, 1.0)
        orders = [1 + room * share for share in (1e-9, 1e-6, 1e-3)]
        least = min((self.rdp(order) for order in orders if order > 1), default=math.inf)
        if not least > 0:
            return -math.inf
        return guard.log_up(min(math.log(least / 2), math.log(-math.expm1(-least)), 0.0) / 2)
