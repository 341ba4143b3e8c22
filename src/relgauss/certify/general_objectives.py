"""Relative sensitivity of the gradients of general convex objectives, in both forms.

f = (1/n) Σ f_i, every f_i convex and L-smooth on all of R^d, f mu-strongly convex, every f_i L_rel-smooth
relative to f, on both neighbours; ``gap`` bounds ||grad f_i(θ*) - grad f_i'(θ*)|| at the minimisers θ* of
both. That these conditions hold is for the caller to say. Proof: proofs/certificates.md.
"""

from __future__ import annotations

import math

from relgauss import validate
from relgauss.budget.charge import Provenance
from relgauss.mechanisms.sensitivity import RelativeSensitivity

_UP = 1 + 2.0**-48


def linear_form(
    count: int,
    *,
    smoothness: float,
    relative_smoothness: float,
    strong_convexity: float,
    gap: float,
    provenance: Provenance = "assumed",
) -> RelativeSensitivity:
    """By the triangle inequality: eta = 2 sqrt(L L_rel/mu)/n, r = gap/n. Never larger than the other form.

    Parameters
    ----------
    count
        The number of records n.
    smoothness
        L: the loss of every record is L-smooth.
    relative_smoothness
        L_rel: the loss of every record is L_rel-smooth relative to the whole objective f.
    strong_convexity
        mu: f is mu-strongly convex.
    gap
        The largest distance of the gradients of two records at a minimiser.
    provenance
        Where these numbers come from: "assumed", "enforced" or "certified".
    """
    count, ratio, gap = _checked(count, smoothness, relative_smoothness, strong_convexity, gap)
    return RelativeSensitivity(
        2 * math.sqrt(ratio) / count * _UP, gap / count * _UP, "linear", provenance=provenance
    )


def quadratic_form(
    count: int,
    *,
    smoothness: float,
    relative_smoothness: float,
    strong_convexity: float,
    gap: float,
    provenance: Provenance = "assumed",
) -> RelativeSensitivity:
    """As in the paper: eta² = 6 L L_rel/(mu n²), r² = 3 gap²/n².

    Parameters
    ----------
    count
        The number of records n.
    smoothness
        L: the loss of every record is L-smooth.
    relative_smoothness
        L_rel: the loss of every record is L_rel-smooth relative to the whole objective f.
    strong_convexity
        mu: f is mu-strongly convex.
    gap
        The largest distance of the gradients of two records at a minimiser.
    provenance
        Where these numbers come from: "assumed", "enforced" or "certified".
    """
    count, ratio, gap = _checked(count, smoothness, relative_smoothness, strong_convexity, gap)
    return RelativeSensitivity(
        math.sqrt(6 * ratio) / count * _UP,
        math.sqrt(3) * gap / count * _UP,
        "quadratic",
        provenance=provenance,
    )


def _checked(
    count: int, smooth: float, relative: float, convex: float, gap: float
) -> tuple[int, float, float]:
    count = validate.count("count", count)
    smooth = validate.positive("smoothness", smooth, "Pass L: every record's loss is L-smooth.")
    relative = validate.positive(
        "relative_smoothness", relative, "Pass L_rel: every record's loss is L_rel-smooth relative to f."
    )
    convex = validate.positive("strong_convexity", convex, "Pass mu: a regulariser of mu gives at least mu.")
    gap = validate.nonnegative("gap", gap, "Pass the largest distance of two gradients at a minimiser.")
    return count, smooth * relative / convex, gap
