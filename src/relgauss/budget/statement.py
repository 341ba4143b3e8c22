"""The privacy statement that every result carries."""

from __future__ import annotations

import json
import math
from dataclasses import asdict, dataclass
from functools import cached_property
from html import escape
from importlib.metadata import version
from typing import Any

from relgauss import validate
from relgauss.accounting.adjacency import WORDS
from relgauss.accounting.compose import Composition, compose
from relgauss.accounting.gdp import GaussianDP
from relgauss.accounting.guarantees import Guarantee
from relgauss.budget.budget import Budget
from relgauss.budget.charge import PROVENANCES, Charge, Condition
from relgauss.budget.grouping_words import SAME_GROUP
from relgauss.budget.guesses import Guesses
from relgauss.budget.parts import part
from relgauss.errors import InvalidParameterError, InvalidValueError, NoGuaranteeError
from relgauss.rounding import round_up

FORMAT = 1
"""Of statements as plain values; statements without one held words only."""

ONE_ROW = "one row is one person"
ONE_PERSON = "one person, with any number of rows"
REPLACE_ONE = WORDS["replace-one"]
SIMULATED = "SIMULATED: the noise came from a seeded generator, so nothing here is private"


@dataclass(frozen=True)
class PrivacyStatement:
    """All charges of a result, together one guarantee.

    ``epsilon(delta)`` reads the privacy curve at any delta; ``statement + statement`` is what both cost.

    Parameters
    ----------
    charges
        What each stage spent.
    delta
        The delta that the result was made for.
    simulated
        Whether noise came from a seeded generator, so that nothing is private.
    unit
        What one record stands for.
    neighbours
        Which tables the guarantee keeps apart, in words; left out, what the charges' guarantees say.
    """

    charges: tuple[Charge, ...]
    delta: float
    simulated: bool = False
    unit: str = ONE_ROW
    neighbours: str = REPLACE_ONE

    def __post_init__(self) -> None:
        object.__setattr__(self, "delta", validate.probability("delta", self.delta))
        fix = "Pass mechanism.charge(), or several of them."
        charges = validate.sequence("charges", self.charges, fix)  # once: an iterator is read once
        for charge in charges:
            if not isinstance(charge, Charge):
                raise InvalidParameterError("charges", charge, "charges", "Pass mechanism.charge().")
        object.__setattr__(self, "charges", charges)
        for name in ("unit", "neighbours"):
            validate.text(name, getattr(self, name))
        if not isinstance(self.simulated, bool):
            raise InvalidParameterError("simulated", self.simulated, "True or False", "Pass one of them.")
        if self.neighbours == REPLACE_ONE:  # nothing more special was said
            object.__setattr__(self, "neighbours", self._words())
        elif charges and (self.neighbours in WORDS.values() or self.neighbours.startswith(SAME_GROUP)):
            self._check_words()

    def _check_words(self) -> None:
        """Refuse words that promise other neighbours than the guarantees do."""
        said = self._words()
        within = said == REPLACE_ONE and self.neighbours.startswith(SAME_GROUP)
        if self.neighbours != said and not within:
            raise InvalidParameterError(
                "neighbours", self.neighbours, said, "Say what the guarantees are for."
            )

    def _words(self) -> str:
        """The neighbours that the guarantees are for; they are composed only where it is not plain."""
        if all(map(_is_for_replaced_records, self.charges)):
            return REPLACE_ONE
        return WORDS[self.composition.neighbours]

    @property
    def uses(self) -> tuple[tuple[Guarantee, int], ...]:
        """Each guarantee and how often it was used: what ``compose`` reads."""
        return tuple(use for charge in self.charges for use in charge.uses)

    @cached_property
    def composition(self) -> Composition:
        """All charges together, as one guarantee."""
        return compose(*self.charges)

    def __add__(self, other: PrivacyStatement) -> PrivacyStatement:
        """What two results cost together, read at the larger of their deltas; unlike promises are refused.

        >>> (means.privacy + model.privacy_).epsilon()
        """
        if not isinstance(other, PrivacyStatement):
            return NotImplemented
        for name in ("unit", "neighbours"):
            mine, others = getattr(self, name), getattr(other, name)
            if mine != others:
                raise NoGuaranteeError(
                    f"The statements promise unlike things, {name}: {mine!r} and {others!r}.",
                    "Keep them apart: each holds for its own promise, and their sum for neither.",
                )
        return PrivacyStatement(
            (*self.charges, *other.charges),
            max(self.delta, other.delta),
            self.simulated or other.simulated,
            self.unit,
            self.neighbours,
        )

    def epsilon(self, delta: float | None = None) -> float:
        """The proven epsilon of everything together, at this delta or at the statement's own."""
        return self.composition.epsilon(self.delta if delta is None else delta)

    @cached_property
    def guesses(self) -> Guesses:
        """What the statement means to somebody who guesses whether a record was there."""
        return Guesses.of(self.composition)

    def conditions(self) -> tuple[Condition, ...]:
        """What the guarantee rests on: the assumed first, then the enforced, then the certified."""
        found = dict.fromkeys(condition for charge in self.charges for condition in charge.conditions)
        return tuple(sorted(found, key=lambda condition: PROVENANCES.index(condition.provenance)))

    @classmethod
    def of_whole_budget(
        cls,
        budget: Budget,
        stage: str,
        theorem: str,
        conditions: tuple[Condition, ...],
        *,
        simulated: bool = False,
        neighbours: str = REPLACE_ONE,
    ) -> PrivacyStatement:
        """The statement of one stage that spends a whole budget on Gaussian noise: ``budget.mu``-GDP.

        ``theorem`` and ``conditions`` are those of the charge, ``simulated`` and ``neighbours`` those of the
        statement. It needs no record and no noise, so it can be made before either.
        """
        charge = Charge(stage, GaussianDP(budget.mu), theorem, conditions)
        return cls((charge,), budget.delta, simulated, neighbours=neighbours)

    def text(self) -> str:
        """The statement as a person reads it."""
        lines = [SIMULATED] if self.simulated else []
        lines += [
            f"Privacy: epsilon {round_up(self.epsilon())} at delta {self.delta!r}",
            f"  unit        {self.unit}",
            f"  neighbours  {self.neighbours}",
        ]
        if not self.simulated:
            lines.append(f"  means       {self.guesses.text()}")
        for charge in self.charges:
            times = f" × {charge.times}" if charge.times > 1 else ""
            lines.append(
                f"  spent       {charge.stage}: {charge.guarantee.describe()}{times} [{charge.theorem}]"
            )
        lines += [f"  {condition.provenance:<10}  {condition.text}" for condition in self.conditions()]
        lines.append(f"  by          relgauss {version('relgauss')}")
        return "\n".join(lines)

    def to_dict(self) -> dict[str, Any]:
        """The statement as plain values in a stated format, with everything that ``from_dict`` reads.

        ``epsilon``, ``guesses``, ``conditions``, ``relgauss`` and each charge's ``words`` are for readers.
        """
        epsilon = self.epsilon()
        return {
            "format": FORMAT,
            "epsilon": epsilon if math.isfinite(epsilon) else None,  # JSON has no infinity
            "delta": self.delta,
            "simulated": self.simulated,
            "unit": self.unit,
            "neighbours": self.neighbours,
            "charges": [charge.to_dict() for charge in self.charges],
            "guesses": None if self.simulated else self.guesses.to_dict(),
            "conditions": [asdict(condition) for condition in self.conditions()],
            "relgauss": version("relgauss"),
        }

    @classmethod
    def from_dict(cls, values: object) -> PrivacyStatement:
        """The statement of ``values`` that ``to_dict`` wrote: epsilon is computed anew from the charges.

        Other formats and unknown kinds of guarantees are refused by their names.
        """
        found = values.get("format") if isinstance(values, dict) else None
        if type(found) is not int or found != FORMAT:
            raise InvalidValueError(
                f"A privacy statement of format {found!r} is not known.",
                f"This relgauss reads format {FORMAT}.",
            )
        return cls(
            tuple(Charge.from_dict(charge) for charge in part(values, "charges", list)),
            part(values, "delta", float),
            part(values, "simulated", bool),
            part(values, "unit", str),
            part(values, "neighbours", str),
        )

    def to_json(self) -> str:
        """The statement as JSON."""
        return json.dumps(self.to_dict(), indent=2, allow_nan=False)

    @classmethod
    def from_json(cls, text: str) -> PrivacyStatement:
        """The statement of a ``text`` that ``to_json`` wrote, to the last digit.

        >>> PrivacyStatement.from_json(Path("means.csv.privacy.json").read_text()).epsilon(1e-9)
        """
        try:
            values = json.loads(text)
        except (TypeError, ValueError, RecursionError):
            raise InvalidValueError("The text is no JSON.", "Pass what to_json wrote.") from None
        return cls.from_dict(values)

    def __str__(self) -> str:
        return self.text()

    def _repr_html_(self) -> str:
        """The statement as a notebook shows it."""
        return f"<pre>{escape(self.text())}</pre>"


def _is_for_replaced_records(charge: Charge) -> bool:
    """Whether it is plain that a charge says so; what other kinds of guarantees say, composition reads."""
    return type(charge.guarantee) is GaussianDP and charge.guarantee.neighbours == "replace-one"
