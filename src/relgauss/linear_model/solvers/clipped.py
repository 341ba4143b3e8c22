"""Descent on gradients that are clipped record by record: the default."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from relgauss.descent.clipped_gradients import ClippedGradients
from relgauss.descent.clipping_bias import RobustLine, release_cut
from relgauss.descent.descend import Landscape, descend, shrink
from relgauss.descent.put_back import weigh
from relgauss.descent.solution_noise import (
    NoiseShares,
    Uncertainty,
    find_covariance,
    newton_step,
    release_curvature,
    signal_for_curvature,
)
from relgauss.linear_model.outcome import Degraded
from relgauss.linear_model.problem import Found, WhitenedProblem
from relgauss.linear_model.public_plan import clipped_part, schedule_of, signal_for_intervals
from relgauss.linear_model.remedies import remedies_for
from relgauss.linear_model.solvers.base import Solver, landscape_of
from relgauss.spending import Spending

_LEAST_PART, _MOST_PART, _CLEAR_NOISE = 0.15, 1.0, 0.025
_COHERENT, _MOST_COHERENT = 0.025, 0.6  # of what is cut from gradients, for each usual error that it is long
_SURE = 0.6  # curvatures above it are small as gradients are clipped, not as rows are hardly white
_ROUGH, _ROUGH_PART = 0.1, 0.5  # whitened rows are white up to this, and this of the part that was clipped
_UNCLIPPED, _NO_NOISE = 3.0, 0.001  # where there is next to no noise, next to nothing is clipped
# In label scales off the line: how far rungs reach for what hides beyond to count in every direction, and for
# least squares to be known. Beyond the edge of a clipped feature labels follow the line on, and few may show.
_USUAL_REACH, _FAR_REACH = 1.0, 3.0
_MOST_SPREAD = 3.0  # deviations of log-odds up to which intervals were seen to hold
_TINY = float(np.finfo(np.float64).tiny)
_SPREAD_TOO_FAR = "The features nearly tell the classes apart: their coefficients are too far out."


class ClippedSolver(Solver):
    """Steps with per-record clipping, all but the first averaged; a pass over the records each.

    Proof: proofs/regression.md.
    """

    @property
    def mu(self) -> float:
        """The whole budget's, as all releases are Gaussian."""
        return self.budget.mu

    def solve(self, whitened: WhitenedProblem, spending: Spending) -> Found | Degraded:
        """Descend and average; find how far that may be from the truth."""
        objective = whitened.objective
        growth = objective.growth(whitened.mean_label)
        shares = self.shares if objective.follows_label else self.shares.of_classes(self.signal, growth)
        schedule = schedule_of(objective.name, self.signal, whitened.start.size)
        newton, curvature = schedule.newton, None
        expected_norm = math.sqrt(float(whitened.signal.sum()) + 1)
        gradient_norm = whitened.label_scale * expected_norm
        bend = objective.curvature(whitened.mean_label) * growth
        norms_share, norm_steps, clip_threshold = shares.gradient_norms, schedule.norm_steps, math.nan
        if not objective.follows_label:
            part = self._clipped_part(whitened, gradient_norm)
            norms_share, norm_steps, clip_threshold = 0.0, (), part * gradient_norm
            bend *= part
        least = signal_for_curvature(objective, whitened.start.size, expected_norm)
        has_intervals = whitened.rows.count * spending.mu_of(shares.curvature) >= least
        # A regression's curvature is the same all the way, a classifier's is looked at twice.
        looks = (newton > 0) + (has_intervals and not (newton and objective.follows_label))
        kept = shares.check + (shares.scatter + shares.cut) * has_intervals + looks * shares.curvature
        gradients = ClippedGradients(
            whitened.rows,
            objective,
            gradient_norm,
            spending,
            (spending.left - norms_share - kept) / schedule.steps,
            norms_share,
            norm_steps,
            schedule.steps - schedule.unaveraged,
            clip_threshold,
        )
        landscape, start = landscape_of(whitened, gradients.relative_variance), whitened.start
        if newton:
            first = descend(gradients, landscape, start, newton, newton - 1)
            assert isinstance(first.last, ClippedGradients)
            gradients, start = replace(first.last, norm_steps=()), first.average.theta
            curvature = release_curvature(
                whitened.rows,
                objective,
                start,
                gradients.clip_threshold,
                expected_norm,
                bend,
                spending,
                shares.curvature,
            )
            step = newton_step(curvature, start.size, bend, may_rise=objective.follows_label, growth=growth)
            landscape = landscape.with_step(step)
        end = descend(
            gradients,
            landscape,
            start,
            schedule.steps - newton,
            schedule.unaveraged - newton,
        )
        assert isinstance(end.last, ClippedGradients)
        clip_threshold = end.last.clip_threshold
        # A step's noise over the curvature, which a point is left with whatever the size of a step.
        noise_std = end.average.noise_std / landscape.step_size * growth / bend
        if not has_intervals:
            found = Found(end.average.theta, clip_threshold, no_intervals=self._hidden(whitened))
            return found if objective.follows_label else _shrunk(whitened, found, noise_std)
        uncertainty = find_covariance(
            whitened.rows,
            objective,
            end,
            landscape,
            start,
            clip_threshold,
            expected_norm,
            bend,
            spending,
            NoiseShares(shares.curvature, shares.scatter),
            curvature if objective.follows_label else None,
        )
        found = Found(end.average.theta, clip_threshold, uncertainty.covariance, uncertainty.hidden)
        if not objective.follows_label:
            return _shrunk(whitened, found, noise_std)
        return self._completed(whitened, found, uncertainty, spending, shares.cut)

    def _hidden(self, whitened: WhitenedProblem) -> str:
        """Why there are no intervals, and from where there would be."""
        norm = math.sqrt(whitened.signal.size + 1)
        least = signal_for_curvature(whitened.objective, whitened.start.size, norm)
        remedies = " or ".join(remedies_for(self, signal_for_intervals(least)))
        return f"Noise hides how far coefficients may be off. Use {remedies}."

    def _completed(
        self,
        whitened: WhitenedProblem,
        found: Found,
        uncertainty: Uncertainty,
        spending: Spending,
        share: float,
    ) -> Found:
        """The solution with what clipping took from its gradients put back, as much of it as is seen.

        In each direction it is normal around zero, of a variance that the released parts let expect, and
        seen through noise: intervals allow for what that leaves open. What may be there and is not seen is
        not put back: it would be noise, of which predictions get worse. Nor is anything where features are
        not clipped: far rows may be most of the true moments, and a step for rows that are white would go too
        far. What is put back answers to an error of theta too: of that H is left, where it is not small for
        want of records that spread.
        """
        assert found.clip_threshold is not None
        assert found.covariance is not None
        dim = found.theta.size
        usual_std = math.sqrt(max(float(np.median(np.diag(found.covariance))), _TINY))
        cut = release_cut(
            whitened.rows,
            found.theta,
            whitened.objective,
            found.clip_threshold,
            usual_std,
            spending,
            share,
            is_plain=not whitened.clips,
        )
        farther = clipped_part(self.signal)  # rows that were clipped make the true moments larger than I
        step = 1 / (1 + farther)
        inverse = step * Landscape.of(step, whitened.regulariser, math.inf).contraction
        coherent = min(_MOST_COHERENT, _COHERENT * cut.length / usual_std) * cut.length
        slopes = found.theta[: whitened.slopes]
        weights = weigh(cut, slopes, coherent / dim**0.25, puts_back=whitened.clips)
        likely, missed = weights.likely @ cut.mean, (weights.likely - weights.kept) @ cut.mean
        of_last = weights.likely @ cut.leaning
        of_cut = cut.square / (dim * whitened.rows.count)
        more = (
            cut.noise_std**2 * weights.likely
            + of_cut * np.eye(dim)
            + np.outer(missed, missed)
            + (_ROUGH + _ROUGH_PART * farther) ** 2 * np.outer(likely, likely)
            + np.outer(of_last, of_last)
        )
        usual_norm = math.sqrt(float(whitened.signal.sum()) + 1)
        reach = cut.end / (usual_norm * whitened.label_scale)
        if reach >= _USUAL_REACH:  # else least squares is far off, and not meant
            more += cut.hidden**2 * np.eye(dim)
        is_known = whitened.clips and reach >= _FAR_REACH
        robust = None if is_known else RobustLine(cut.end / usual_norm, cut.beyond)
        values, directions = np.linalg.eigh(uncertainty.curvature)
        answers = (1 - (values + farther**2) * step) * (values > _SURE)
        left = np.eye(dim) - weights.kept @ (directions * answers) @ directions.T
        return replace(
            found,
            theta=found.theta + inverse @ weights.kept @ cut.mean,
            covariance=left @ found.covariance @ left.T + inverse @ more @ inverse,
            robust=robust,
            sampling_variance=float(np.trace(uncertainty.sampling)) / dim + of_cut,
        )

    def _clipped_part(self, whitened: WhitenedProblem, gradient_norm: float) -> float:
        """What the gradients of a classifier are clipped to, as a part of the norm that they are expected to
        have at most.

        A smaller part moves nothing, as all are clipped alike, and makes steps shorter. Where noise in a
        coefficient, 2 c/(n mu) over the curvature, would be large, they are to end early.
        """
        curvature = whitened.objective.curvature(whitened.mean_label)
        noise = 2 * gradient_norm / (self.signal * curvature)
        part = min(max(_CLEAR_NOISE / noise, _LEAST_PART), _MOST_PART)
        return max(part, min(_NO_NOISE / noise, _UNCLIPPED))


def _shrunk(whitened: WhitenedProblem, found: Found, noise_std: float) -> Found:
    """The slopes of a classifier, not its intercept, shrunk by the known noise.

    By how much is a bias, at most, and counts as one more error. Classes that are nearly told apart have no
    intervals: their coefficients are far out, where the loss is too flat for steps to end in time.
    """
    theta = found.theta.reshape(whitened.objective.outputs, -1).copy()
    slopes = theta[:, : whitened.slopes]
    slopes[:] = shrink(slopes.ravel(), noise_std).reshape(slopes.shape)
    shrunk = theta.ravel()
    spread = np.linalg.norm(whitened.objective.mixing @ slopes, axis=1).max()
    if found.covariance is None:
        return replace(found, theta=shrunk)
    if spread > _MOST_SPREAD:
        return Found(shrunk, found.clip_threshold, no_intervals=_SPREAD_TOO_FAR)
    bias = found.theta - shrunk
    return replace(found, theta=shrunk, covariance=found.covariance + np.outer(bias, bias))
