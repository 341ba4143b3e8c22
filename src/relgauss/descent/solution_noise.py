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
from relgauss.bounded.answer import BoundedAnswer
from relgauss.bounded.block_mean import bounded_mean
from relgauss.bounded.moments import clip_weights
from relgauss.descent.descend import Descended, Landscape
from relgauss.descent.objectives import Objective
from relgauss.records.blocks import Block, Rows
from relgauss.spending import Noisy, Spending

CURVATURE, SCATTER = "curvature", "gradient scatter"
_RADIUS = 1.5  # expected norms of a row that the curvature is clipped to
_LEAST_CURVATURE, _MOST_CURVATURE = 0.05, 1.5  # whitened directions have about 1


def clipped_curvature(
    rows: Rows, theta: FloatArray, objective: Objective, clip_threshold: float, clip_radius: float
) -> BoundedAnswer:
    """H, the mean of z zᵀ w² over records whose gradient is not clipped: w = min(1, R/||z||).

    Each is a positive matrix of norm at most R², or zero: two are at most sqrt(2) R² apart in Frobenius norm.
    Proof: proofs/regression.md.
    """

    def block_sum(block: Block) -> FloatArray:
        pull = objective.pull(block.features @ theta, block.labels)
        weights = clip_weights(block.norms, clip_radius) * (block.norms * np.abs(pull) <= clip_threshold)
        kept = np.multiply(block.features, weights[:, None], out=block.room.like(block.features))
        return upper_triangle(kept.T @ kept)

    return bounded_mean(rows, block_sum, largest=clip_radius**2, apart=math.sqrt(2) * clip_radius**2)


def gradient_scatter(
    rows: Rows, theta: FloatArray, objective: Objective, clip_threshold: float
) -> BoundedAnswer:
    """G, the mean of g gᵀ for gradients g clipped to norm c: two are at most sqrt(2) c² apart."""

    def block_sum(block: Block) -> FloatArray:
        pull = objective.pull(block.features @ theta, block.labels)
        pull *= clip_threshold / np.maximum(block.norms * np.abs(pull), clip_threshold)
        kept = np.multiply(block.features, pull[:, None], out=block.room.like(block.features))
        return upper_triangle(kept.T @ kept)

    return bounded_mean(rows, block_sum, largest=clip_threshold**2, apart=math.sqrt(2) * clip_threshold**2)


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
    clip_threshold: float,
    expected_norm: float,
    spending: Spending,
    shares: NoiseShares,
) -> FloatArray:
    """The covariance of the average around the coefficients of the population, from two releases.

    ``expected_norm`` is that of a whitened row with its one for the intercept.
    """
    theta, dim = end.average.theta, rows.columns
    curvature = spending.release(
        CURVATURE,
        clipped_curvature(rows, theta, objective, clip_threshold, _RADIUS * expected_norm),
        shares.curvature,
    )
    scatter = spending.release(
        SCATTER, gradient_scatter(rows, theta, objective, clip_threshold), shares.scatter
    )
    hessian = _bounded_curvature(curvature, dim)
    return filtered_noise(hessian, landscape, end) + _sampling_noise(hessian, landscape, scatter, rows.count)


def filtered_noise(hessian: FloatArray, landscape: Landscape, end: Descended) -> FloatArray:
    """The covariance that the noise of all steps leaves in the average: exact where H is constant.

    The noise of step s enters point t >= s as (C (I - η H))^{t - s} C η noise.
    """
    weights, steps = end.average.weights, len(end.noise_stds)
    entry = landscape.step_size * landscape.contraction
    decay = landscape.contraction @ (np.eye(len(hessian)) - landscape.step_size * hessian)
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


def _bounded_curvature(curvature: Noisy, dim: int) -> FloatArray:
    """H with eigenvalues that noise cannot have made: not below half its spectral norm, nor above 1.5."""
    values, vectors = np.linalg.eigh(symmetric_matrix(curvature.value, dim))
    floor = max(_LEAST_CURVATURE, 0.5 * curvature.noise_std * math.sqrt(2 * dim))
    kept = np.clip(values, min(floor, _MOST_CURVATURE), _MOST_CURVATURE)
    bounded: FloatArray = (vectors * kept) @ vectors.T
    return bounded


def _sampling_noise(hessian: FloatArray, landscape: Landscape, scatter: Noisy, count: int) -> FloatArray:
    """A⁻¹ G A⁻¹/n, with one noise level added to G, so that noise seldom makes it too small."""
    values, vectors = np.linalg.eigh(symmetric_matrix(scatter.value, len(hessian)))
    kept = np.maximum(values + scatter.noise_std, scatter.noise_std)
    curvature, directions = np.linalg.eigh(hessian + landscape.penalty)
    inverse = (directions / np.maximum(curvature, _LEAST_CURVATURE)) @ directions.T
    root = inverse @ vectors * np.sqrt(kept / count)
    sandwich: FloatArray = root @ root.T
    return sandwich
