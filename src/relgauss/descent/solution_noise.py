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

import numpy as np

from relgauss.arrays import FloatArray, symmetric_matrix, upper_triangle
from relgauss.bounded.answer import BoundedAnswer, bounded_mean
from relgauss.descent.clipped_gradients import ROUNDING, clipped_pulls
from relgauss.descent.descend import Descended, Landscape
from relgauss.descent.objectives import Objective
from relgauss.records.blocks import Block, Rows
from relgauss.spending import Noisy, Spending

CURVATURE, SCATTER = "curvature", "gradient scatter"
_LEAST_NEWTON = 0.1  # of what is expected: steps are at most ten times longer
_ROUNDING = 2.0**-40  # of the largest eigenvalue: A has no negative ones but by rounding
_RADIUS = 1.5  # expected norms of a row that the curvature is clipped to
_LEAST_CURVATURE, _MOST_CURVATURE = 0.05, 1.5  # of what whitened directions are expected to have
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
        return weighted.T @ weighted
    total = np.empty((outputs, dim, outputs, dim))
    for first in range(outputs):
        for second in range(first + 1):
            room = block.room.like(block.features)
            part = block.features.T @ np.multiply(block.features, weights[first, second][:, None], out=room)
            total[first, :, second] = total[second, :, first] = part
    return total.reshape(outputs * dim, outputs * dim)


def gradient_scatter(
    rows: Rows, theta: FloatArray, objective: Objective, clip_threshold: float
) -> BoundedAnswer:
    """G, the mean of g gᵀ for gradients g clipped to norm c: two are at most sqrt(2) c² apart."""

    def block_sum(block: Block) -> FloatArray:
        pulls = np.atleast_2d(clipped_pulls(block, theta, objective, clip_threshold))
        rows_here, dim = block.features.shape
        gradients = block.room.columnwise(rows_here, len(pulls) * dim)
        for pull, part in zip(pulls, np.split(gradients, len(pulls), axis=1), strict=True):
            np.multiply(block.features, pull[:, None], out=part)
        return upper_triangle(gradients.T @ gradients)

    rounded = clip_threshold**2 * (1 + 16 * objective.outputs * ROUNDING)
    return bounded_mean(rows, block_sum, largest=rounded, apart=math.sqrt(2) * rounded)


@dataclass(frozen=True)
class NoiseShares:
    """Shares of mu² for the curvature and for the scatter of gradients."""

    curvature: float
    scatter: float


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
) -> FloatArray:
    """The covariance of the average around the coefficients of the population, from two releases.

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
    covariance = filtered_noise(hessian, landscape, end)
    covariance += _sampling_noise(hessian, landscape, scatter, rows.count)
    if not objective.follows_label:
        bias = leftover(hessian, landscape, end, start)
        covariance += np.outer(bias, bias)
    return covariance


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


def shows_curvature(
    objective: Objective, count: int, dim: int, expected_norm: float, share: float, spending: Spending
) -> bool:
    """Whether ``count`` records let a share of the budget show the curvature, before it is spent.

    With B the bound of a record's curvature in units of what is expected, noise has the spectral norm
    sqrt(2) B/(n mu) · sqrt(2 dim). Where that is as large as the curvature itself, an inverse of it says
    nothing, and intervals made with it were seen to be far too narrow. A classifier's curvature falls below
    what is expected as its scores spread, so it has to show better.
    """
    noise_std = math.sqrt(2) * _largest_curvature(objective, expected_norm, 1.0) / count
    most = _MOST_NOISE if objective.follows_label else _MOST_NOISE_OF_CLASSES
    return noise_std * math.sqrt(2 * dim) <= most * spending.mu_of(share)


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


def filtered_noise(hessian: FloatArray, landscape: Landscape, end: Descended) -> FloatArray:
    """The covariance that the noise of all steps leaves in the average: exact where H is constant.

    The noise of step s enters point t >= s as (C (I - η H))^{t - s} C η noise.
    """
    weights, steps = end.average.weights, len(end.noise_stds)
    entry = landscape.contraction @ landscape.step
    decay = landscape.contraction @ (np.eye(len(hessian)) - landscape.step @ hessian)
    powers = [np.eye(len(hessian))]
    for _ in range(steps - 1):
        powers.append(powers[-1] @ decay)
    unaveraged = steps - len(weights)
    total = np.zeros_like(hessian)
    for step, noise_std in enumerate(end.noise_stds):
        later = range(max(step, unaveraged), steps)
        passed = sum((weights[t - unaveraged] * powers[t - step] for t in later), np.zeros_like(hessian))
        part = noise_std * passed @ entry
        total += part @ part.T
    return total


def leftover(hessian: FloatArray, landscape: Landscape, end: Descended, start: FloatArray) -> FloatArray:
    """How far the average still is from the solution because of the start: L (I - L)^{-1} (start - average).

    L is the average of the powers by which steps shrink an error; a curvature that falls on the way, as that
    of a classifier does, makes this too large rather than too small.
    """
    weights, steps = end.average.weights, len(end.noise_stds)
    identity = np.eye(len(hessian))
    decay = landscape.contraction @ (identity - landscape.step @ hessian)
    power, left = identity, np.zeros_like(hessian)
    for step in range(steps):
        power = power @ decay
        if step >= steps - len(weights):
            left += weights[step - steps + len(weights)] * power
    bias: FloatArray = left @ np.linalg.solve(identity - left, start - end.average.theta)
    return bias


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


def _sampling_noise(hessian: FloatArray, landscape: Landscape, scatter: Noisy, count: int) -> FloatArray:
    """A⁻¹ G A⁻¹/n, with one noise level added to G, so that noise seldom makes it too small."""
    values, vectors = np.linalg.eigh(symmetric_matrix(scatter.value, len(hessian)))
    kept = np.maximum(values + scatter.noise_std, scatter.noise_std)
    curvature, directions = np.linalg.eigh(hessian + landscape.penalty)
    inverse = (directions / np.maximum(curvature, curvature.max() * _ROUNDING)) @ directions.T
    root = inverse @ vectors * np.sqrt(kept / count)
    sandwich: FloatArray = root @ root.T
    return sandwich
