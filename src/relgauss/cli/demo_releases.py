"""The mean pay of each job, released twice for one budget: by one absolute bound and by relative bounds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from relgauss.budget import Budget, Charge, Condition, PrivacyStatement
from relgauss.cli.demo_data import CEILING, JOBS, SPREAD, Job
from relgauss.mechanisms import Mechanism
from relgauss.mechanisms.registry import exactly_gaussian
from relgauss.mechanisms.sensitivity import AbsoluteSensitivity, RelativeSensitivity
from relgauss.report.released_means import Group, ReleasedMean
from relgauss.report.wording import percent

BUDGET = Budget(epsilon=1.0, delta=1e-6)

_STAGE = "mean pay of every job"


@dataclass(frozen=True)
class Demo:
    """All groups, and what each of the two ways of releasing them promises by itself."""

    groups: tuple[Group, ...]
    absolute: PrivacyStatement
    relative: PrivacyStatement
    simulated: bool


def release_mean_pay(seed: int | None) -> Demo:
    """Release every mean both ways, with secure noise or, given a seed, with simulated noise."""
    rng = None if seed is None else np.random.default_rng(seed)
    noise_multiplier = 1 / BUDGET.split({_STAGE: 1.0})[_STAGE]
    absolute = [_by_absolute_bound(job, noise_multiplier) for job in JOBS]
    relative = [_by_relative_bound(job, noise_multiplier) for job in JOBS]
    simulated = rng is not None
    return Demo(
        tuple(
            Group(
                job.title, job.people, job.mean, _release(one, job.mean, rng), _release(other, job.mean, rng)
            )
            for job, one, other in zip(JOBS, absolute, relative, strict=True)
        ),
        _statement(absolute, f"no pay exceeds {CEILING:,.0f}", simulated),
        _statement(relative, f"pay within a job differs by at most {percent(SPREAD)}", simulated),
        simulated,
    )


def _by_absolute_bound(job: Job, noise_multiplier: float) -> Mechanism:
    """Pay lies in [0, CEILING], so one record moves a mean of n by at most CEILING/n."""
    return exactly_gaussian(AbsoluteSensitivity(CEILING / job.people), 1, noise_multiplier)


def _by_relative_bound(job: Job, noise_multiplier: float) -> Mechanism:
    """Pay lies in [m, (1 + SPREAD) m], so one record moves a mean of n by at most SPREAD/n of itself."""
    bound = RelativeSensitivity(eta=SPREAD / job.people, nonnegative=True)
    return exactly_gaussian(bound, 1, noise_multiplier)


def _release(mechanism: Mechanism, mean: float, rng: np.random.Generator | None) -> ReleasedMean:
    return ReleasedMean(float(mechanism.release(mean, rng=rng)), mechanism.rms_error(mean))


def _statement(mechanisms: Sequence[Mechanism], assumption: str, simulated: bool) -> PrivacyStatement:
    """Everybody has one job, so a record touches one release: all together cost what the dearest costs."""
    dearest = max(mechanisms, key=lambda mechanism: mechanism.epsilon(BUDGET.delta))
    conditions = (
        Condition(assumption, "assumed"),
        Condition("everybody has one job, and jobs are public", "assumed"),
    )
    return PrivacyStatement(
        (Charge(_STAGE, dearest.guarantee, dearest.theorem, conditions),),
        BUDGET.delta,
        simulated=simulated,
        unit="one person's pay",
        neighbours="one person's pay replaced by another in the same job; head counts are public",
    )
