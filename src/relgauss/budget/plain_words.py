"""What a statement promises, for a reader who knows no epsilon: e^epsilon as a factor, delta as a chance."""

from __future__ import annotations

import math

from relgauss.accounting.adjacency import ADD_OR_REMOVE, WORDS
from relgauss.budget.grouping_words import SAME_GROUP
from relgauss.budget.statement import ONE_PERSON, ONE_ROW, REPLACE_ONE, PrivacyStatement

_HARDLY = 3.0  # the factor e^epsilon up to which a result hardly changes
_MOST_WRITTEN_OUT = 1e6  # factors from here on, and rarer chances than one in its square, are powers of ten


def promise_in_words(statement: PrivacyStatement) -> str:
    """P(S) <= e^epsilon P'(S) + delta in a sentence, the factor and the chance rounded towards privacy.

    It says "hardly" only where the factor is at most 3, and where sizes are public that the group stays.

    Parameters
    ----------
    statement
        What is promised; what it says of a unit or of neighbours in words of its own is quoted.
    """
    epsilon = statement.epsilon()
    if math.isinf(epsilon):
        return f"Nothing is promised at a delta of {statement.delta:g}: there is no finite epsilon."
    factor = math.exp(min(epsilon, 700))
    result = "would hardly change any number here: it makes" if factor <= _HARDLY else "makes"
    return (
        f"{_change(statement)} {result} no result more than {_times(factor)} times as likely, but for a "
        f"chance of one in {_chance(statement.delta)}."
    )


def _change(statement: PrivacyStatement) -> str:
    """What is kept from view, as the subject of a sentence."""
    unit, neighbours = statement.unit, statement.neighbours
    if unit == ONE_PERSON:
        return "Replacing any one person, with all their rows,"
    if unit == ONE_ROW and neighbours == REPLACE_ONE:
        return "Replacing any one person's record"
    if unit == ONE_ROW and neighbours == WORDS[ADD_OR_REMOVE]:
        return "Adding or removing any one person's record"
    if unit == ONE_ROW and neighbours.startswith(SAME_GROUP):
        return "Replacing any one person's record by another of the same group"
    return f"Any one change of the kind that is protected ({unit}; {neighbours})"


def _times(factor: float) -> str:
    if factor < _MOST_WRITTEN_OUT:
        return f"{math.ceil(10 * factor) / 10:,.12g}"
    return f"10^{math.ceil(math.log10(factor))}"


def _chance(delta: float) -> str:
    """1/delta, rounded down."""
    if delta * _MOST_WRITTEN_OUT**2 >= 1:
        return f"{math.floor(1 / delta):,}"
    return f"10^{math.floor(-math.log10(delta))}"
