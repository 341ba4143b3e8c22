"""The neighbours at which the Relative Gaussian Mechanism shows the most. Proof: proofs/audit.md."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, get_args

from relgauss.accounting import gdp
from relgauss.accounting.gaussian_pair import Order
from relgauss.accounting.gaussian_pair_dp import GaussianPairDP
from relgauss.arrays import l2_norm
from relgauss.mechanisms.neighbours import Pair, far, on_axis, radial, rotation, rotation_norm

if TYPE_CHECKING:
    from relgauss.mechanisms.relative import RelativeGaussian


def hardest_pair(mechanism: RelativeGaussian, epsilon: float) -> Pair:
    """Radial, unless equal variances are worse at this epsilon and answers of equal norm can be S apart."""
    bound, dim, guarantee = mechanism.sensitivity, mechanism.dim, mechanism.guarantee
    if not isinstance(guarantee, GaussianPairDP):
        return on_axis(0.0, bound.r, dim)
    floor = mechanism.sigma / math.sqrt(mechanism.gamma)
    norm = rotation_norm(bound, dim, floor)
    if norm is not None:
        turned = rotation(bound, dim, norm)
        shift = l2_norm(turned.difference) / mechanism.noise_std(norm)
        unlike = max(guarantee.pair.log_hockey_stick(epsilon, order) for order in get_args(Order))
        if gdp.log_delta(shift, epsilon) > unlike:
            return turned
    return radial(bound, dim, far(floor))
