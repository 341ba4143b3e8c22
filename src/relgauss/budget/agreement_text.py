"""Agreements as texts in a stated format, for records that outlive the classes that wrote them."""

from __future__ import annotations

import json

from relgauss.accounting.guarantees import Guarantee
from relgauss.budget.charge import Charge
from relgauss.budget.guarantee_text import FIRST_NAMES, guarantee_to_dict

FORMAT = 1


def agreement_text(per_round: Guarantee, rounds: int, setup: tuple[Charge, ...]) -> str:
    """Everything that decides what is spent, to the last digit."""
    stages = [
        {"stage": charge.stage, "guarantee": guarantee_to_dict(charge.guarantee), "times": charge.times}
        for charge in setup
    ]
    said = {"format": FORMAT, "rounds": rounds, "per round": guarantee_to_dict(per_round), "setup": stages}
    return json.dumps(said, sort_keys=True, allow_nan=False)


def first_agreement_text(per_round: Guarantee, rounds: int, setup: tuple[Charge, ...]) -> str:
    """The same agreement as the first records wrote it, so that they can be told to hold it."""
    stages = ", ".join(
        f"({charge.stage!r}, {_first_text(charge.guarantee)}, {charge.times!r})" for charge in setup
    )
    return f"{_first_text(per_round)} × {rounds} after [{stages}]"


def _first_text(guarantee: Guarantee) -> str:
    numbers = guarantee_to_dict(guarantee)
    name = FIRST_NAMES[numbers.pop("kind")]
    return f"{name}({', '.join(f'{name}={value!r}' for name, value in numbers.items())})"
