"""The privacy statement that every result carries."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from functools import cached_property
from importlib.metadata import version
from typing import Any

from relgauss import validate
from relgauss.accounting.compose import Composition, compose
from relgauss.accounting.guarantees import Guarantee
from relgauss.budget.charge import Charge, Condition
from relgauss.errors import InvalidParameterError
from relgauss.rounding import round_up
from relgauss.sensitivity import PROVENANCES

ONE_ROW = "one row is one person"
REPLACE_ONE = "one record replaced by another; the number of records is public"
SIMULATED = "SIMULATED: the noise came from a seeded generator, so nothing here is private"


@dataclass(frozen=True)
class PrivacyStatement:
    """All charges of a result, together one guarantee.

    ``delta`` is the one that the result was made for; ``epsilon(delta)`` reads the curve anywhere.
    """

    charges: tuple[Charge, ...]
    delta: float
    simulated: bool = False
    unit: str = ONE_ROW
    neighbours: str = REPLACE_ONE

    def __post_init__(self) -> None:
        object.__setattr__(self, "delta", validate.probability("delta", self.delta))
        charges = tuple(self.charges)  # once: an iterator would be empty when it is read again
        for charge in charges:
            if not isinstance(charge, Charge):
                raise InvalidParameterError("charges", charge, "charges", "Pass mechanism.charge().")
        object.__setattr__(self, "charges", charges)

    @property
    def uses(self) -> tuple[tuple[Guarantee, int], ...]:
        """What composition needs to know."""
        return tuple(use for charge in self.charges for use in charge.uses)

    @cached_property
    def composition(self) -> Composition:
        """All charges together."""
        return compose(*self.charges)

    def epsilon(self, delta: float | None = None) -> float:
        """The proven epsilon of everything together, at this delta or at the statement's own."""
        return self.composition.epsilon(self.delta if delta is None else delta)

    def conditions(self) -> tuple[Condition, ...]:
        """What the guarantee rests on: the assumed first, then the enforced, then the certified."""
        found = dict.fromkeys(condition for charge in self.charges for condition in charge.conditions)
        return tuple(sorted(found, key=lambda condition: PROVENANCES.index(condition.provenance)))

    def text(self) -> str:
        """The statement as a person reads it."""
        lines = [SIMULATED] if self.simulated else []
        lines += [
            f"Privacy: epsilon {round_up(self.epsilon())} at delta {self.delta!r}",
            f"  unit        {self.unit}",
            f"  neighbours  {self.neighbours}",
        ]
        for charge in self.charges:
            times = f" × {charge.times}" if charge.times > 1 else ""
            lines.append(
                f"  spent       {charge.stage}: {charge.guarantee.describe()}{times} [{charge.theorem}]"
            )
        lines += [f"  {condition.provenance:<10}  {condition.text}" for condition in self.conditions()]
        lines.append(f"  by          relgauss {version('relgauss')}")
        return "\n".join(lines)

    def to_dict(self) -> dict[str, Any]:
        """The statement as plain values."""
        epsilon = self.epsilon()
        return {
            "epsilon": epsilon if math.isfinite(epsilon) else None,  # JSON has no infinity
            "delta": self.delta,
            "simulated": self.simulated,
            "unit": self.unit,
            "neighbours": self.neighbours,
            "charges": [
                {
                    "stage": charge.stage,
                    "guarantee": charge.guarantee.describe(),
                    "times": charge.times,
                    "theorem": charge.theorem,
                }
                for charge in self.charges
            ],
            "conditions": [vars(condition) for condition in self.conditions()],
            "relgauss": version("relgauss"),
        }

    def to_json(self) -> str:
        """The statement as JSON."""
        return json.dumps(self.to_dict(), indent=2, allow_nan=False)

    def __str__(self) -> str:
        return self.text()
