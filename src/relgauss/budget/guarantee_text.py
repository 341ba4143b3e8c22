"""The one form in which guarantees are written to files: a named kind and its numbers, to the last digit.

    {"kind": "gaussian", "mu": 0.25}
    {"kind": "gaussian", "mu": 0.25, "neighbours": "add-or-remove"}
    {"kind": "batch", "guarantee": {"kind": "gaussian", "mu": 0.25}, "rate": 0.01}

Neighbours are named where they are not replaced records, as they always were in the first files. An infinite
order is null. Names in files outlive the classes that wrote them, so they never change; a guarantee that is
to be read back gets a line in ``_KINDS``.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from relgauss.accounting.adjacency import REPLACE_ONE
from relgauss.accounting.approximate import ApproximateDP, Failure
from relgauss.accounting.gaussian_pair_dp import GaussianPairDP
from relgauss.accounting.gdp import GaussianDP
from relgauss.accounting.group import Chained
from relgauss.accounting.guarantees import Guarantee
from relgauss.accounting.parallel import Parallel
from relgauss.accounting.poisson import PoissonSampled
from relgauss.accounting.profile_table import ProfileTable
from relgauss.accounting.renyi import RenyiDP
from relgauss.accounting.renyi_curves import RenyiTable
from relgauss.accounting.subsample import Subsampled
from relgauss.accounting.tcdp import TruncatedConcentratedDP
from relgauss.errors import InvalidValueError, NoGuaranteeError

# The name of each kind, its class and what its class is made from beside neighbours.
_KINDS: Mapping[str, tuple[type[Guarantee], tuple[str, ...]]] = {
    "gaussian": (GaussianDP, ("mu",)),
    "gaussian pair": (GaussianPairDP, ("shift", "excess", "dim")),
    "epsilon-delta": (ApproximateDP, ("epsilon", "delta")),
    "failure": (Failure, ("probability",)),
    "concentrated": (TruncatedConcentratedDP, ("rho", "omega")),
    "renyi table": (RenyiDP, ("curve",)),
    "profile table": (ProfileTable, ("epsilons", "deltas")),
    "batch": (Subsampled, ("guarantee", "rate")),
    "poisson sample": (PoissonSampled, ("guarantee", "rate")),
    "group": (Chained, ("guarantee", "size")),
    "parallel": (Parallel, ("parts",)),
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
    try:
        guarantee_to_dict(guarantee)
    except NoGuaranteeError:
        return False
    return True


def guarantee_to_dict(guarantee: Guarantee) -> dict[str, Any]:
    """The kind of a guarantee and its numbers; one of no known kind is refused by its name."""
    for kind, (each, names) in _KINDS.items():
        if type(guarantee) is each:
            found = {"kind": kind, **{name: _written(getattr(guarantee, name)) for name in names}}
            others = _states_neighbours(each) and guarantee.neighbours != REPLACE_ONE
            return found | ({"neighbours": guarantee.neighbours} if others else {})
    raise _without_form(type(guarantee))


def guarantee_from_dict(values: object) -> Guarantee:
    """The guarantee that ``guarantee_to_dict`` wrote; an unknown kind is refused by its name."""
    kind = values.get("kind") if isinstance(values, dict) else None
    if not isinstance(values, dict) or not isinstance(kind, str) or kind not in _KINDS:
        raise InvalidValueError(
            f"A guarantee of kind {kind!r} is not known.", f"This relgauss reads {', '.join(_KINDS)}."
        )
    found, names = _KINDS[kind]
    numbers = {name: _read(name, value) for name, value in values.items() if name != "kind"}
    allowed = {"neighbours"} if _states_neighbours(found) else set()
    if set(numbers) - allowed != set(names):
        raise InvalidValueError(
            f"A guarantee of kind {kind!r} has the numbers {', '.join(names)}, and these are others.",
            "Write it again.",
        )
    return found(**numbers)


def _states_neighbours(kind: type[Guarantee]) -> bool:
    """Whether a kind has neighbours of its own, not those of what it is made from."""
    return any(each.name == "neighbours" for each in fields(kind))  # type: ignore[arg-type]


def _written(value: object) -> object:
    """A number, a table or a guarantee as plain values."""
    if isinstance(value, Guarantee):
        return guarantee_to_dict(value)
    if isinstance(value, tuple):
        return [_written(each) for each in value]
    if isinstance(value, RenyiTable):
        return {"orders": list(value.orders), "divergences": list(value.divergences)}
    if not isinstance(value, int | float):
        raise _without_form(type(value))
    return None if value == math.inf else value


def _read(name: str, value: object) -> object:
    """What ``_written`` wrote under this name."""
    match name, value:
        case "omega", None:
            return math.inf
        case "guarantee", _:
            return guarantee_from_dict(value)
        case "parts", list():
            return tuple(guarantee_from_dict(each) for each in value)
        case "epsilons" | "deltas", list():
            return tuple(value)
        case "curve", {"orders": list() as orders, "divergences": list() as divergences}:
            return RenyiTable(tuple(orders), tuple(divergences))
        case _:
            return value


def _without_form(kind: type) -> NoGuaranteeError:
    return NoGuaranteeError(
        f"A guarantee of kind {kind.__name__} has no form in a record.",
        f"Agree on one of these kinds: {', '.join(_KINDS)}.",
    )
