"""Agreements as texts in a stated format, for records that outlive the classes that wrote them."""

from __future__ import annotations

import json
from collections.abc import Mapping

from relgauss.accounting.guarantees import ApproximateDP, Failure, GaussianDP, GaussianPairDP, Guarantee
from relgauss.budget.charge import Charge
from relgauss.errors import NoGuaranteeError

FORMAT = 1

# The name of each kind of guarantee in the format, and of its numbers. Names in files never change.
_KINDS: Mapping[type[Guarantee], tuple[str, tuple[str, ...]]] = {
    GaussianDP: ("gaussian", ("mu",)),
    GaussianPairDP: ("gaussian pair", ("shift", "excess", "dim")),
    ApproximateDP: ("epsilon-delta", ("epsilon", "delta")),
    Failure: ("failure", ("probability",)),
}
# What the first records held in their place.
_FIRST_NAMES = {
    "gaussian": "GaussianDP",
    "gaussian pair": "GaussianPairDP",
    "epsilon-delta": "ApproximateDP",
    "failure": "Failure",
}


def agreement_text(per_round: Guarantee, rounds: int, setup: tuple[Charge, ...]) -> str:
    """Everything that decides what is spent, to the last digit."""
    stages = [
        {"stage": charge.stage, "guarantee": _said(charge.guarantee), "times": charge.times}
        for charge in setup
    ]
    said = {"format": FORMAT, "rounds": rounds, "per round": _said(per_round), "setup": stages}
    return json.dumps(said, sort_keys=True, allow_nan=False)


def first_agreement_text(per_round: Guarantee, rounds: int, setup: tuple[Charge, ...]) -> str:
    """The same agreement as the first records wrote it, so that they can be told to hold it."""
    stages = ", ".join(
        f"({charge.stage!r}, {_first_said(charge.guarantee)}, {charge.times!r})" for charge in setup
    )
    return f"{_first_said(per_round)} × {rounds} after [{stages}]"


def _said(guarantee: Guarantee) -> dict[str, object]:
    kind, numbers = _kind(guarantee)
    return {"kind": kind, **numbers}


def _first_said(guarantee: Guarantee) -> str:
    kind, numbers = _kind(guarantee)
    return f"{_FIRST_NAMES[kind]}({', '.join(f'{name}={value!r}' for name, value in numbers.items())})"


def _kind(guarantee: Guarantee) -> tuple[str, dict[str, float]]:
    found = _KINDS.get(type(guarantee))
    if found is None:
        known = ", ".join(kind for kind, _ in _KINDS.values())
        raise NoGuaranteeError(
            f"A guarantee of kind {type(guarantee).__name__} has no form in a record.",
            f"Agree on one of these kinds: {known}.",
        )
    kind, names = found
    return kind, {name: getattr(guarantee, name) for name in names}
