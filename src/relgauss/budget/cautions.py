"""What a budget does not protect from, as far as public numbers show."""

from __future__ import annotations

_LARGE_EPSILON = 10.0


def cautions_of_budget(epsilon: float, delta: float, persons: int, what: str = "result") -> list[str]:
    """Sentences on an epsilon that protects hardly anybody, and on a delta above one in so many persons."""
    found = []
    if epsilon > _LARGE_EPSILON:
        found.append(
            f"Epsilon {epsilon:.4g} protects hardly anybody: who has the {what} may be next to certain of a "
            "record. Epsilons of 10 and less are in use."
        )
    if delta * persons > 1:
        found.append(
            f"Delta {delta:g} is above one in {persons:,}, the number of persons here: it allows to publish "
            "somebody's record as it is."
        )
    return found
