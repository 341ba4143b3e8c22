"""A private centre and covariance of rows, and the coordinates in which they are zero and the identity."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from relgauss.arrays import FloatArray, symmetric_matrix, upper_triangle
from relgauss.bounded.answer import BoundedAnswer, bounded_mean, clip_weights
from relgauss.estimate.quantiles import Quantile, find_quantiles, norms_of_rows, sizes_of_labels
from relgauss.records.blocks import Block, Rows
from relgauss.spending import Noisy, Spending

STAGE = "covariance"
_FLOOR = 0.3  # of the noise's spectral norm, added to every eigenvalue
_NORM_SPAN, _LABEL_SPAN = 50.0, 500.0  # largest over smallest edge of the histograms
_LEAST_LABEL = 0.2  # scaled distance of labels: with less, their range would have been found narrower
_CLIPPED_PART = 0.02  # of rows, and of labels, that may lie above a released quantile


@dataclass(frozen=True, eq=False)
class Centre:
    """A released mean of rows and labels, in scaled units, and the std of its noise."""

    features: FloatArray
    label: float
    noise_std: float = 0.0


def mean_row(rows: Rows, clip_radius: float, label_bound: float) -> BoundedAnswer:
    """The mean of (x w, clip(y, ±Y)) with w = min(1, R/||x||), R = clip_radius, Y = label_bound.

    Two such contributions differ by at most 2 sqrt(R² + Y²).
    """

    def block_sum(block: Block) -> FloatArray:
        features = clip_weights(block.norms, clip_radius) @ block.features
        return np.append(features, np.clip(block.labels, -label_bound, label_bound).sum())

    largest = math.hypot(clip_radius, label_bound)
    return bounded_mean(rows, block_sum, largest=largest, apart=2 * largest)


def find_centre(
    rows: Rows, widest: float, spending: Spending, norms_share: float, centre_share: float
) -> Centre:
    """Release the mean of rows, clipped to a quantile of their norms that is released first.

    Scaled values are about 1 in size, up to a factor ``widest``; labels are clipped to [-1, 1].
    """
    largest = widest * math.sqrt(rows.columns)
    norms = Quantile(norms_of_rows, largest, widest * _NORM_SPAN, _CLIPPED_PART)
    (clip_radius,) = find_quantiles("row norms", rows, [norms], spending, norms_share)
    mean, noise_std = spending.release("centre", mean_row(rows, clip_radius, 1.0), centre_share)
    return Centre(np.clip(mean[:-1], -largest, largest), float(np.clip(mean[-1], -1, 1)), noise_std)


@dataclass(frozen=True)
class Distances:
    """Released quantiles: of the distance of rows from the centre, and of labels from theirs."""

    rows: float
    label: float


def find_distances(
    centred: Rows,
    centre: Centre,
    widest: float,
    largest_label: float,
    clipped_part: float,
    spending: Spending,
    share: float,
) -> Distances:
    """Release how far rows and labels are from the centre; ``clipped_part`` of the rows is to be farther.

    Scaled values are at most ``widest`` in size, centred labels at most ``largest_label``.
    """
    largest = widest * math.sqrt(centred.columns) + float(np.linalg.norm(centre.features))
    quantiles = [
        Quantile(norms_of_rows, largest, widest * _NORM_SPAN, clipped_part),
        Quantile(sizes_of_labels, largest_label, _LABEL_SPAN, _CLIPPED_PART),
    ]
    norm, label = find_quantiles("distances from the centre", centred, quantiles, spending, share)
    return Distances(norm, max(label, _LEAST_LABEL))


@dataclass(frozen=True, eq=False)
class Whitening:
    """z = x @ matrix has second moments near the identity, as far as the noise lets see.

    With A = V diag(w) Vᵀ the noisy covariance and f a part of the noise's spectral norm,
    matrix = V diag(max(w, 0) + f)^{-1/2}: where f dominates, directions are made small rather than trusted.
    ``signal`` = max(w, 0)/(max(w, 0) + f) is the part of each direction's variance that is not noise's floor,
    between 0 (all noise) and 1.
    """

    matrix: FloatArray
    signal: FloatArray

    @classmethod
    def identity(cls, dim: int) -> Whitening:
        """For rows that are white already."""
        return cls(np.eye(dim), np.ones(dim))

    @classmethod
    def from_covariance(cls, covariance: Noisy, dim: int) -> Whitening:
        """By a noisy covariance, given as its ``upper_triangle``; post-processing.

        Entries off the diagonal have noise of std s/sqrt(2), so its spectral norm is about s sqrt(2 d).
        """
        values, vectors = np.linalg.eigh(symmetric_matrix(covariance.value, dim))
        floor = _FLOOR * covariance.noise_std * math.sqrt(2 * dim)
        variance = np.maximum(values, 0.0)
        return cls(vectors / np.sqrt(variance + floor), variance / (variance + floor))

    def clear_directions(self, least_signal: float) -> Whitening:
        """The directions whose signal is at least this, and no others."""
        kept = self.signal >= least_signal
        return Whitening(self.matrix[:, kept], self.signal[kept])


def second_moments(rows: Rows, clip_radius: float) -> BoundedAnswer:
    """The mean of x xᵀ w² with w = min(1, R/||x||), R = clip_radius, as the vector of its ``upper_triangle``.

    ||x xᵀ||_F <= R², and two of them differ by at most sqrt(2) R² in Frobenius norm: proofs/regression.md.
    """

    def block_sum(block: Block) -> FloatArray:
        weights = clip_weights(block.norms, clip_radius)[:, None]
        clipped = np.multiply(block.features, weights, out=block.room.like(block.features))
        return upper_triangle(clipped.T @ clipped)

    return bounded_mean(rows, block_sum, largest=clip_radius**2, apart=math.sqrt(2) * clip_radius**2)


def find_whitening(rows: Rows, clip_radius: float, spending: Spending, share: float) -> Whitening:
    """Release the second moments of rows clipped to ``clip_radius``, and whiten by them."""
    released = spending.release(STAGE, second_moments(rows, clip_radius), share)
    return Whitening.from_covariance(released, rows.columns)


def find_clipped_whitening(
    rows: Rows, quantiles: Sequence[Quantile], spending: Spending, quantiles_share: float, share: float
) -> tuple[Whitening, list[float]]:
    """Release these quantiles, the first of them of the rows' norms, and whiten rows that are clipped to it.

    Returns the whitening, and the other quantiles.
    """
    clip_radius, *others = find_quantiles("row norms", rows, quantiles, spending, quantiles_share)
    return find_whitening(rows, clip_radius, spending, share), others
