"""How far an answer can move from one table to its neighbour: frozen values that say where they come from."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Literal

from relgauss import validate
from relgauss.accounting.adjacency import NEIGHBOURS, REPLACE_ONE, Neighbours
from relgauss.budget.charge import PROVENANCES, Provenance
from relgauss.errors import InvalidParameterError
from relgauss.rounding import round_up

Form = Literal["quadratic", "linear"]

FORMS: tuple[Form, ...] = ("quadratic", "linear")


@dataclass(frozen=True)
class RelativeSensitivity:
    """For all neighbours x, y, with u the smaller of ||q(x)|| and ||q(y)||:

        quadratic:  ||q(x) - q(y)||  <=  S(u) = sqrt(eta² u² + r²)
        linear:     ||q(x) - q(y)||  <=  S(u) = eta u + r

    The constants of one form are not those of the other: convert with ``to_linear`` and
    ``to_quadratic``. Proof: proofs/relative-sensitivity.md.

    Parameters
    ----------
    eta
        How far one record moves the answer, relative to the answer's own norm: 0.01 is one per cent.
    r
        How far one record moves an answer that is zero, in the answer's units.
    form
        "quadratic" or "linear", the formula above that holds.
    nonnegative
        True promises that every answer is a number >= 0, on every table.
    provenance
        Where the bound comes from: "assumed" (the guarantee is conditional on it), "enforced" (by clipping)
        or "certified" (by a charged release).
    neighbours
        Which tables it is about: "replace-one" or "add-or-remove".
    on_batches
        True promises that the bound holds on every batch or sample of the records, not only on the table.
    """

    eta: float
    r: float = 0.0
    form: Form = "quadratic"
    nonnegative: bool = False
    provenance: Provenance = "assumed"
    neighbours: Neighbours = REPLACE_ONE
    on_batches: bool = False

    def __post_init__(self) -> None:
        _check_scope(self.neighbours, self.on_batches)
        fix = "Pass the bound on how far neighbours move, relative to the smaller norm."
        object.__setattr__(self, "eta", validate.zero_or_within("eta", self.eta, 1e-100, 1e8, fix))
        fix = "Pass the part of the bound that stays when the answer is zero."
        object.__setattr__(self, "r", validate.zero_or_within("r", self.r, 1e-140, 1e140, fix))
        validate.choice("form", self.form, FORMS)
        if not isinstance(self.nonnegative, bool):
            raise InvalidParameterError(
                "nonnegative",
                self.nonnegative,
                "True or False",
                "True promises that answers are numbers >= 0.",
            )
        validate.choice("provenance", self.provenance, PROVENANCES)
        if self.eta == 0 and self.r == 0:
            raise InvalidParameterError(
                "r",
                self.r,
                "above 0 when eta is 0",
                "A query that never moves needs no noise: release it as it is.",
            )

    def local_scale(self, norm: float) -> float:
        """S(norm): how far a neighbour of an answer with this norm can be, if its own norm is not smaller."""
        if self.form == "linear":
            return self.eta * norm + self.r
        return math.hypot(self.eta * norm, self.r)

    def to_linear(self) -> RelativeSensitivity:
        """The same bound in the linear form; the constants carry over since S_quadratic <= S_linear."""
        return replace(self, form="linear")

    def to_quadratic(self, t: float = 1.0) -> RelativeSensitivity:
        """A quadratic bound implied by this one: eta grows by sqrt(1+t), r by sqrt(1+1/t)."""
        if self.form == "quadratic" or self.eta == 0:
            return replace(self, form="quadratic")
        t = validate.positive("t", t, "Pass t > 0: small t spares eta, large t spares r.")
        return replace(
            self,
            eta=_up(self.eta * math.sqrt(1 + t)),
            r=_up(self.r * math.sqrt(1 + 1 / t)),
            form="quadratic",
        )

    def describe(self) -> str:
        """One line for a privacy statement."""
        eta, r = round_up(self.eta, 6), round_up(self.r, 6)
        if self.r == 0 or self.eta == 0:
            bound = f"{eta}·||q||" if self.r == 0 else r
        elif self.form == "linear":
            bound = f"{eta}·||q|| + {r}"
        else:
            bound = f"sqrt(({eta}·||q||)² + {r}²)"
        sign = ", answers never negative" if self.nonnegative else ""
        return f"{_change(self)} moves the answer by at most {bound}{sign}"


@dataclass(frozen=True)
class AbsoluteSensitivity:
    """For all neighbours x, y: ||q(x) - q(y)|| <= r.

    Parameters
    ----------
    r
        The largest Euclidean distance between the answers of neighbours.
    provenance
        Where the bound comes from: "assumed", "enforced" or "certified".
    neighbours
        Which tables it is about: "replace-one" or "add-or-remove".
    on_batches
        True promises that the bound holds on every batch or sample of the records, not only on the table.
    """

    r: float
    provenance: Provenance = "assumed"
    neighbours: Neighbours = REPLACE_ONE
    on_batches: bool = False

    def __post_init__(self) -> None:
        _check_scope(self.neighbours, self.on_batches)
        fix = "Pass the largest L2 distance between the answers of neighbours."
        object.__setattr__(self, "r", validate.positive("r", self.r, fix))
        validate.choice("provenance", self.provenance, PROVENANCES)

    def to_relative(self) -> RelativeSensitivity:
        """The same bound as a relative one with eta = 0."""
        return RelativeSensitivity(
            eta=0.0,
            r=self.r,
            provenance=self.provenance,
            neighbours=self.neighbours,
            on_batches=self.on_batches,
        )

    def describe(self) -> str:
        """One line for a privacy statement."""
        return f"{_change(self)} moves the answer by at most {round_up(self.r, 6)}"


def _change(bound: RelativeSensitivity | AbsoluteSensitivity) -> str:
    """What moves the answer, in words."""
    change = "replacing one record" if bound.neighbours == REPLACE_ONE else "adding or removing one record"
    return f"on every batch, {change}" if bound.on_batches else change


def _check_scope(neighbours: object, on_batches: object) -> None:
    """Refuse neighbours that are not known, and promises that are neither made nor not."""
    validate.choice("neighbours", neighbours, NEIGHBOURS)
    if not isinstance(on_batches, bool):
        raise InvalidParameterError(
            "on_batches", on_batches, "True or False", "True promises that the bound holds on every batch."
        )


def _up(value: float) -> float:
    """Round away from zero: a converted bound must not shrink by a rounding."""
    return value if value == 0 else math.nextafter(value * (1 + 2**-51), math.inf)
