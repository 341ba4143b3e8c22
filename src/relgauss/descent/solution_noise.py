"""How far the average of descent may be from the truth: the noise of privacy, and that of sampling.

In whitened coordinates a step is θ <- C (θ + η (pull + noise)). Near the end the mean of clipped pulls falls
by H for each unit of θ, so an error e becomes C ((I - η H) e + η noise), and the average's error is a known
sum of the steps' noise. Sampling adds A⁻¹ G A⁻¹/n, A = H + P with the penalty's P and G the second moments of
clipped gradients: a sandwich, which asks for no equal variances. H and G are released.
Proof: proofs/regression.md.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from relgauss.arrays import FloatArray, product, symmetric_matrix, upper_triangle
from relgauss.bounded.answer import BoundedAnswer, bounded_mean
from relgauss.descent.clipped_gradients import ROUNDING, clipped_pulls
from relgauss.descent.descend import Descended, Landscape, filtered_noise, leftover
from relgauss.descent.objectives import Objective
from relgauss.records.blocks import Block, Rows
from relgauss.spending import Noisy, Spending

CURVATURE, SCATTER = "curvature", "gradient scatter"
_LEAST_NEWTON = 0.1  # of what is expected: steps are at most ten times longer
_ROUNDING = 2.0**-40  # of the largest eigenvalue: A has no negative ones but by rounding
_RADIUS = 1.5  # expected norms of a row that the curvature is clipped to
_LEAST_CURVATURE, _MOST_CURVATURE = 0.05, 1.5  # of what whitened directions are expected to have
_CAUTION, _MOST_CAUTION = 2.0, 0.2  # noise levels that a curvature may lie lower, and at most so much
_MOSTLY = 0.5  # of a direction's squared length is in coordinates that are hidden
_MOST_NOISE, _MOST_NOISE_OF_CLASSES = 0.8, 0.5  # of the same: with more, coverage was seen to fall


def clipped_curvature(
    rows: Rows, theta: FloatArray, objective: Objective, clip_threshold: float, largest: float
) -> BoundedAnswer:
    """H, the mean of w bend ⊗ z zᵀ, where w is so small that none has a norm above B, ``largest``.

    For regressions it is zero where a gradient is clipped, for classifiers it has the gradient's own weight.
    Each is a positive matrix of norm at most B, or zero: two are at most sqrt(2) B apart in Frobenius norm.
    Proof: proofs/regression.md.
    """

    def block_sum(block: Block) -> FloatArray:
        scores = objective.scores(block.features, theta)
        sizes = block.norms * objective.size(scores, objective.pull(scores, block.labels))
        bends = objective.bend(scores).reshape(objective.outputs, objective.outputs, -1)
        norms = np.square(block.norms) * np.sqrt(np.square(bends).sum(axis=(0, 1)))
        weights = largest / np.maximum(norms, largest)
        if objective.follows_label:
            weights *= sizes <= clip_threshold
        else:
            weights *= clip_threshold / np.maximum(sizes, clip_threshold)
        return upper_triangle(_weighted_moments(block, bends * weights))

    rounded = largest * (1 + 8 * objective.outputs**2 * ROUNDING)
    return bounded_mean(rows, block_sum, largest=rounded, apart=math.sqrt(2) * rounded)


def _weighted_moments(block: Block, weights: FloatArray) -> FloatArray:
    """Σ W_i ⊗ z_i z_iᵀ, W_i a symmetric matrix for each record."""
    outputs, dim = len(weights), block.features.shape[1]
    if outputs == 1:  # a matrix by its own transpose takes half the work
        weighted = block.room.like(block.features)
        np.multiply(block.features, np.sqrt(weights[0, 0])[:, None], out=weighted)
        return product(weighted.T, weighted)
    total = np.empty((outputs, dim, outputs, dim))
    for first in range(outputs):
        for second in range(first + 1):
            room = block.room.like(block.features)
            weighted = np.multiply(block.features, weights[first, second][:, None], out=room)
            part = product(block.features.T, weighted)
            total[first, :, second] = total[second, :, first] = part
    return total.reshape(outputs * dim, outputs * dim)


def gradient_scatter(
    rows: Rows, theta: FloatArray, objective: Objective, clip_threshold: float
) -> BoundedAnswer:
    """G, the mean of g gᵀ for gradients g clipped to norm c: two are at most sqrt(2) c² apart."""

    def block_sum(block: Block) -> FloatArray:
        scores = block.scores(theta) if objective.outputs == 1 else objective.scores(block.features, theta)
        pulls = np.atleast_2d(clipped_pulls(block, scores, objective, clip_threshold))
        rows_here, dim = block.features.shape
        gradients = block.room.columnwise(rows_here, len(pulls) * dim)
        for pull, part in zip(pulls, np.split(gradients, len(pulls), axis=1), strict=True):
            np.multiply(block.features, pull[:, None], out=part)
        return upper_triangle(product(gradients.T, gradients))

    rounded = clip_threshold**2 * (1 + 16 * objective.outputs * ROUNDING)
    return bounded_mean(rows, block_sum, largest=rounded, apart=math.sqrt(2) * rounded)


@dataclass(frozen=True)
class NoiseShares:
    """Shares of mu² for the curvature and for the scatter of gradients."""

    curvature: float
    scatter: float


class Uncertainty(NamedTuple):
    """The covariance of a solution around the coefficients of the population, the curvature H that it was
    made with, the projection on directions that are ``hidden``: steps of a regression may have ended far
    from what they are there; and the part of the covariance that ``sampling`` alone would leave.
    """

    covariance: FloatArray
    curvature: FloatArray
    hidden: FloatArray
    sampling: FloatArray


def find_covariance(
    rows: Rows,
    objective: Objective,
    end: Descended,
    landscape: Landscape,
    start: FloatArray,
    clip_threshold: float,
    expected_norm: float,
    expected_bend: float,
    spending: Spending,
    shares: NoiseShares,
    released: Noisy | None = None,
) -> Uncertainty:
    """How far the average may be from the coefficients of the population, from two releases.

    What the start has left in it is a bias, which is undone in thought: the noise grows by that.
    ``expected_norm`` is that of a whitened row with its one for the intercept, ``expected_bend`` the
    objective's curvature where features have no say; ``released`` is the curvature, if it has been already.
    """
    theta, dim = end.average.theta, end.average.theta.size
    curvature = released or release_curvature(
        rows, objective, theta, clip_threshold, expected_norm, expected_bend, spending, shares.curvature
    )
    scatter = spending.release(
        SCATTER, gradient_scatter(rows, theta, objective, clip_threshold), shares.scatter
    )
    hessian = _bounded_curvature(curvature, dim, expected_bend)
    least, hidden = _least_curvature(curvature, dim, expected_bend)
    left = leftover(least, landscape, end)
    undone = np.linalg.inv(np.eye(dim) - left)
    bias = left @ undone @ (start - theta)
    covariance = undone @ filtered_noise(hessian, landscape, end) @ undone.T
    sampling = _sampling_noise(hessian, landscape, scatter, rows.count)
    covariance += sampling
    if not objective.follows_label:  # of its coefficients intervals were seen to hold there too
        hidden = np.zeros_like(hidden)
    return Uncertainty(covariance + np.outer(bias, bias), hessian, hidden, sampling)


def release_curvature(
    rows: Rows,
    objective: Objective,
    theta: FloatArray,
    clip_threshold: float,
    expected_norm: float,
    expected_bend: float,
    spending: Spending,
    share: float,
) -> Noisy:
    """H at a public point, of rows up to so many expected norms."""
    largest = _largest_curvature(objective, expected_norm, expected_bend)
    answer = clipped_curvature(rows, theta, objective, clip_threshold, largest)
    return spending.release(CURVATURE, answer, share)


def signal_for_curvature(objective: Objective, dim: int, expected_norm: float) -> float:
    """The n mu, of the curvature's own share of the budget, from which it shows.

    With B the bound of a record's curvature in units of what is expected, noise has the spectral norm
    sqrt(2) B/(n mu) · sqrt(2 dim). Where that is as large as the curvature itself, an inverse of it says
    nothing, and intervals made with it were seen to be far too narrow. A classifier's curvature falls below
    what is expected as its scores spread, so it has to show better.
    """
    most = _MOST_NOISE if objective.follows_label else _MOST_NOISE_OF_CLASSES
    return 2 * math.sqrt(dim) * _largest_curvature(objective, expected_norm, 1.0) / most


def _largest_curvature(objective: Objective, expected_norm: float, expected_bend: float) -> float:
    """What a record's curvature is clipped to."""
    return (_RADIUS * expected_norm) ** 2 * expected_bend * math.sqrt(objective.outputs)


def newton_step(
    curvature: Noisy, dim: int, expected: float, *, may_rise: bool, growth: float = 1.0
) -> FloatArray:
    """The inverse of a released curvature, as far as noise lets see it: never shorter than what is expected.

    A regression's curvature ``may_rise`` up to what is expected, while fewer gradients are clipped: the
    step 2/(H + expected) leaves at most (expected - H)/(expected + H) of an error, wherever it has risen to.

    A classifier's may grow in any direction on the way, by ``growth`` times: steps are as much shorter.

    Noise moves eigenvalues by about its spectral norm. Kept above 1.5 of that they are at least 0.6 of the
    true ones, and steps stay stable, as they are below twice the inverse.
    """
    values, vectors = np.linalg.eigh(symmetric_matrix(curvature.value, dim))
    floor = max(_LEAST_NEWTON * expected, 1.5 * curvature.noise_std * math.sqrt(2 * dim))
    kept = np.clip(values, min(floor, expected), expected) * growth
    if may_rise:
        kept = (kept + expected) / 2
    step: FloatArray = (vectors / kept) @ vectors.T
    return step


def _bounded_curvature(curvature: Noisy, dim: int, expected: float) -> FloatArray:
    """H with eigenvalues that noise cannot have made: not below half its spectral norm, nor above 1.5 times
    what is expected.
    """
    values, vectors = np.linalg.eigh(symmetric_matrix(curvature.value, dim))
    least, most = _LEAST_CURVATURE * expected, _MOST_CURVATURE * expected
    floor = max(least, 0.5 * curvature.noise_std * math.sqrt(2 * dim))
    kept = np.clip(values, min(floor, most), most)
    bounded: FloatArray = (vectors * kept) @ vectors.T
    return bounded


def _least_curvature(curvature: Noisy, dim: int, expected: float) -> tuple[FloatArray, FloatArray]:
    """H with eigenvalues as small as they may be, and the projection on directions that may bend next to
    nothing.

    Coordinate j bends by 1/(H⁻¹)_jj if the others make up for it, less what noise may have added; a direction
    by the harmonic mean of that, weighted by its squared entries. Its own eigenvalue says less: of many there
    is always one that noise has made small. Coordinates are directions of the released covariance, so where
    records hardly spread there is one of them.
    """
    values, vectors = np.linalg.eigh(symmetric_matrix(curvature.value, dim))
    smallest, weights = _LEAST_CURVATURE * expected, vectors**2
    inverse = (vectors / np.clip(values, smallest, _MOST_CURVATURE * expected)) @ vectors.T
    of_each = 1 / np.diag(inverse) - min(_CAUTION * curvature.noise_std, _MOST_CAUTION * expected)
    least = 1 / ((1 / np.maximum(of_each, smallest)) @ weights)
    hidden = vectors[:, (of_each < smallest) @ weights > _MOSTLY]
    return (vectors * least) @ vectors.T, hidden @ hidden.T


def _sampling_noise(hessian: FloatArray, landscape: Landscape, scatter: Noisy, count: int) -> FloatArray:
    """A⁻¹ G A⁻¹/n, with one noise level added to G, so that noise seldom makes it too small."""
    values, vectors = np.linalg.eigh(symmetric_matrix(scatter.value, len(hessian)))
    kept = np.maximum(values + scatter.noise_std, scatter.noise_std)
    curvature, directions = np.linalg.eigh(hessian + landscape.penalty)
    inverse = (directions / np.maximum(curvature, curvature.max() * _ROUNDING)) @ directions.T
    root = inverse @ vectors * np.sqrt(kept / count)
    sandwich: FloatArray = root @ root.T
    return sandwich
