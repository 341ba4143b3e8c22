"""What released counts and clipped means together say of each mean: post-processing, which costs nothing."""

from __future__ import annotations

import numpy as np
from scipy.special import softmax

from relgauss.grouped.mixture import Mixture
from relgauss.grouped.noisy_measurements import NoisyCounts, NoisyMeans
from relgauss.grouped.shape_weights import ShapeFit
from relgauss.grouped.shapes import PlacedShapes

_MISFIT = 0.2  # of a shape's spread: how far the clipped mean of real values may lie from the shape's
_UNEXPLAINED_MISFIT = 0.5  # of the part that unexplained records have in the clipped mean
_CLIPPING_DOUBT = 1.5  # of what clipping does to a shape's mean
_CLIPPED_MISFIT = 0.3  # of the part of unexplained records that is clipped away
_UNSEEN = 0.3  # noise levels of a count: so many records may lie a window's width outside, unseen


def posterior_of_means(
    shapes: PlacedShapes, counts: NoisyCounts, fit: ShapeFit, means: NoisyMeans
) -> Mixture:
    """The law of each group's mean given what was released: a mixture over its likely shapes.

    Under a shape with mean m the clipped mean is c = m + shortfall - excess, give or take tau, with the
    records that no shape explains added; z = c + N(0, noise_std²) was released. So the mean is normal; its
    centre lies tau²/(tau² + noise_std²) of the way from c to z, corrected by what was clipped away, and that
    correction is more uncertain than it is large. The weight of the shape is multiplied by the likelihood
    of z.
    """
    edges, centres = shapes.grid.edges, shapes.grid.bin_centres
    likely, weights = fit.weights.likely()
    mean, spread = shapes.mean[likely], shapes.spread[likely]
    sizes, noise = counts.sizes[:, None], means.noise_std[:, None]
    lower, upper = means.windows.lower[:, None], means.windows.upper[:, None]
    start, end = edges[lower], edges[upper]

    unexplained, kept = fit.unexplained / sizes, np.clip(centres, start, end)
    typical = fit.weights.average(shapes.mean)[:, None]
    kept_part = (unexplained * (kept - typical)).sum(axis=1, keepdims=True)
    clipped_part = (unexplained * (centres - kept)).sum(axis=1, keepdims=True)

    shortfall, excess = shapes.shortfall[likely, lower], shapes.excess[likely, upper]
    clipped_mean = mean + shortfall - excess + kept_part
    tau = mean * np.sqrt(shapes.position_step**2 / 12 + spread**2 * (1 / sizes + _MISFIT**2))
    tau = np.hypot(np.minimum(tau, (end - start) / 4), _UNEXPLAINED_MISFIT * kept_part)
    variance = noise**2 + tau**2
    gap = means.values[:, None] - clipped_mean
    with np.errstate(divide="ignore"):
        log_weights = np.log(weights)
    log_weights -= gap**2 / (2 * variance) + np.log(variance) / 2

    unseen = _UNSEEN * counts.noise_std[:, None] / sizes * (end - start)
    doubt = np.hypot(_CLIPPING_DOUBT * (excess + shortfall), _CLIPPED_MISFIT * clipped_part)
    return Mixture(
        softmax(log_weights, axis=1),
        clipped_mean + tau**2 / variance * gap + excess - shortfall + clipped_part,
        np.sqrt((tau * noise / np.sqrt(variance)) ** 2 + doubt**2 + unseen**2),
    )
