"""The pair of neighbouring answers that an audit looks at most. Proof: proofs/audit.md."""

from __future__ import annotations

from relgauss.errors import InvalidParameterError
from relgauss.mechanisms import Mechanism
from relgauss.mechanisms.neighbours import Pair


def worst_pair(mechanism: Mechanism, epsilon: float) -> Pair:
    """The pair at which a mechanism shows the most of its delta at this epsilon, as it says itself.

    Parameters
    ----------
    mechanism
        The mechanism to be audited.
    epsilon
        Where its delta is looked at.
    """
    if not isinstance(mechanism, Mechanism):
        raise InvalidParameterError(
            "mechanism", mechanism, "a mechanism", "For any other sampler use audit_samplers."
        )
    return mechanism.hardest_pair(epsilon)
