"""What was spent without a ledger, in the forms in which people know it."""

from __future__ import annotations

from relgauss.accounting.adjacency import REPLACE_ONE, WORDS, Neighbours
from relgauss.accounting.approximate import ApproximateDP
from relgauss.accounting.compose import Composition, compose
from relgauss.accounting.guarantees import Guarantee
from relgauss.budget.charge import Charge, Condition
from relgauss.budget.statement import PrivacyStatement
from relgauss.errors import InvalidParameterError
from relgauss.ledger.standing import Standing

Outside = PrivacyStatement | Composition | Guarantee | tuple[float, float]

_STATED = Condition("what was released outside costs what was stated, for this ledger's promise", "assumed")


def outside_statement(spent: Outside, what: str, state: Standing) -> PrivacyStatement:
    """The statement of an outside spend.

    Parameters
    ----------
    spent
        A statement, a guarantee or a composition, which say what they are about; or (epsilon, delta), for the
        ledger's promise.
    what
        What was released, in a few words.
    state
        The ledger that it is for.
    """
    if isinstance(spent, PrivacyStatement):
        return spent
    neighbours = state.neighbours or ""  # the first release is to decide, not a number
    if isinstance(spent, tuple) and len(spent) == 2:
        uses = compose(ApproximateDP(*spent, _kind(state))).uses
    elif isinstance(spent, Guarantee | Composition):
        together = compose(spent)
        uses, neighbours = together.uses, WORDS[together.neighbours]
    else:
        raise InvalidParameterError(
            "spent",
            spent,
            "a PrivacyStatement, a guarantee, a composition or a pair (epsilon, delta)",
            "Pass for example (0.5, 1e-7), or from_dp_accounting(event).",
        )
    charges = tuple(
        Charge(what, guarantee, "proofs/composition.md", (_STATED,), times) for guarantee, times in uses
    )
    return PrivacyStatement(charges, state.budget.delta, unit=state.unit, neighbours=neighbours)


def _kind(state: Standing) -> Neighbours:
    """The neighbours that the ledger's words are for, or its spends; replaced records where none say so."""
    said = next((kind for kind, words in WORDS.items() if words == state.neighbours), None)
    return said or state.budget.neighbours or REPLACE_ONE
