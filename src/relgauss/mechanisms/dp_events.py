"""Events for dp_accounting, imported on first use."""

from __future__ import annotations

from typing import Any

from relgauss.errors import NoEventError


def gaussian(noise_multiplier: float) -> Any:
    """A Gaussian release of replace-one sensitivity one.

    Read it with RdpAccountant(REPLACE_ONE) or PLDAccountant(REPLACE_SPECIAL), never with
    PLDAccountant(REPLACE_ONE), which doubles the sensitivity, and never as a sampled event.
    """
    import dp_accounting

    return dp_accounting.GaussianDpEvent(noise_multiplier)


def none_for(mechanism: str) -> NoEventError:
    """The error for a mechanism that no event describes."""
    return NoEventError(
        f"No dp_accounting event describes {mechanism}: its noise level depends on the data.",
        "Use its epsilon, delta and rdp, or a mechanism that has an event; compare() lists them.",
    )
