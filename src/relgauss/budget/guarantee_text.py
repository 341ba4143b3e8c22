"""The one form in which guarantees are written to files: a named kind and its numbers, to the last digit.

    {"kind": "gaussian", "mu": 0.25}
    {"kind": "gaussian", "mu": 0.25, "neighbours": "add-or-remove"}

Neighbours are named where they are not replaced records, as they always were in the first files.
Names in files outlive the classes that wrote them, so they never change; a guarantee that is to be read back
gets a line in ``_KINDS``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from relgauss.accounting.adjacency import REPLACE_ONE
from relgauss.accounting.approximate import ApproximateDP, Failure
from relgauss.accounting.guarantees import GaussianDP, GaussianPairDP, Guarantee
from relgauss.errors import InvalidValueError, NoGuaranteeError

# The name of each kind, its class and the class's numbers.
_KINDS: Mapping[str, tuple[type[Guarantee], tuple[str, ...]]] = {
    "gaussian": (GaussianDP, ("mu",)),
    "gaussian pair": (GaussianPairDP, ("shift", "excess", "dim")),
    "epsilon-delta": (ApproximateDP, ("epsilon", "delta")),
    "failure": (Failure, ("probability",)),
}

FIRST_NAMES: Mapping[str, str] = {
    "gaussian": "GaussianDP",
    "gaussian pair": "GaussianPairDP",
    "epsilon-delta": "ApproximateDP",
    "failure": "Failure",
}
"""What the first records of spends and the first saved models called each kind."""


def has_kind(guarantee: Guarantee) -> bool:
    """Whether a guarantee can be written so that it can be read back."""
    return any(type(guarantee) is each for each, _ in _KINDS.values())


def guarantee_to_dict(guarantee: Guarantee) -> dict[str, Any]:
    """The kind of a guarantee and its numbers; one of no known kind is refused by its name."""
    for kind, (each, names) in _KINDS.items():
        if type(guarantee) is each:
            found = {"kind": kind, **{name: getattr(guarantee, name) for name in names}}
            others = guarantee.neighbours not in (REPLACE_ONE, None)
            return found | ({"neighbours": guarantee.neighbours} if others else {})
    raise NoGuaranteeError(
        f"A guarantee of kind {type(guarantee).__name__} has no form in a record.",
        f"Agree on one of these kinds: {', '.join(_KINDS)}.",
    )


def guarantee_from_dict(values: object) -> Guarantee:
    """The guarantee that ``guarantee_to_dict`` wrote; an unknown kind is refused by its name."""
    kind = values.get("kind") if isinstance(values, dict) else None
    if not isinstance(values, dict) or not isinstance(kind, str) or kind not in _KINDS:
        raise InvalidValueError(
            f"A guarantee of kind {kind!r} is not known.", f"This relgauss reads {', '.join(_KINDS)}."
        )
    found, names = _KINDS[kind]
    numbers = {name: value for name, value in values.items() if name != "kind"}
    if set(numbers) - {"neighbours"} != set(names):
        raise InvalidValueError(
            f"A guarantee of kind {kind!r} has the numbers {', '.join(names)}, and these are others.",
            "Write it again.",
        )
    if "neighbours" in numbers and found is Failure:
        raise InvalidValueError("A failure has no neighbours.", "Write it again.")
    return found(**numbers)
