"""Audits of whole fits on neighbouring data: below the claim, near to it, and planted mistakes are convicted.

The score is the exact log-likelihood ratio of everything that a fit releases: each run is replayed on the
other neighbour, which tells what that one would have answered to the same questions.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import relgauss as rg
from relgauss.audit import AuditReport, LowerBound, audit_samplers, lower_bound
from relgauss.bounded import BoundedAnswer
from relgauss.descent import clipped_gradients as clipped
from relgauss.linear_model import PrivateRidge
from relgauss.linear_model.public_plan import SCHEDULES, Schedule
from relgauss.mechanisms import Gaussian
from relgauss.mechanisms.sensitivity import AbsoluteSensitivity
from relgauss.spending import Spending

from .linear_transcript import Data, Tape, fit_on_tape, replay

pytestmark = pytest.mark.statistical

EPSILON, DELTA = 5.0, 1e-6
MU = rg.Budget(EPSILON, DELTA).mu
CONFIDENCE = 1 - 1e-8
SEEDED = 0.999  # with a fixed seed there is no bad luck
BOUNDS = {"feature_bounds": (-3.0, 3.0), "label_bounds": (-6.0, 6.0)}


def neighbours(count: int) -> tuple[Data, Data]:
    """The first record lies far out, with a label that is as wrong as can be on one side or on the other."""
    rng = np.random.default_rng(0)
    features = rng.uniform(-1, 1, size=(count, 1))
    labels = features[:, 0] + 0.1 * rng.normal(size=count)
    features[0], labels[0] = 3.0, 6.0
    other = labels.copy()
    other[0] = -6.0
    return (features, labels), (features, other)


def loss(first: Tape, second: Tape) -> float:
    """log p(second)/p(first) of what both tapes tell; all releases are Gaussian."""
    total = 0.0
    for one, other in zip(first.releases, second.releases, strict=True):
        assert isinstance(one.mechanism, Gaussian)
        nearer = np.sum((one.output - one.value) ** 2 - (one.output - other.value) ** 2)
        total += float(nearer) / (2 * one.mechanism.noise_std**2)
    return total


def samplers(count: int, seed: int | None, **options: Any) -> list[Callable[[int], np.ndarray]]:
    """Losses of so many fits to each neighbour."""
    pair = neighbours(count)
    rng = None if seed is None else np.random.default_rng(seed)

    def sampler(which: int) -> Callable[[int], np.ndarray]:
        def run(amount: int) -> np.ndarray:
            losses = []
            for _ in range(amount):
                model = PrivateRidge(EPSILON, DELTA, random_state=rng, **options)
                told = fit_on_tape(model, pair[which])
                other = replay(model, pair[1 - which], told)
                losses.append(loss(told, other) if which == 0 else loss(other, told))
            return np.array(losses)[:, None]

        return run

    return [sampler(0), sampler(1)]


def audit_everything(samples: int, count: int, seed: int | None, **options: Any) -> AuditReport:
    return audit_samplers(
        *samplers(count, seed, **options),
        lambda rows: rows[:, 0],
        claim=rg.GaussianDP(MU),
        samples=samples,
        confidence=CONFIDENCE if seed is None else SEEDED,
    )


def seen_in_few_fits(seed: int, fits: int) -> LowerBound:
    """What so many fits to each neighbour show: fewer than an audit takes, enough for a gross mistake."""
    first, second = (run(fits)[:, 0] for run in samplers(300, seed, **BOUNDS))
    return lower_bound(first, second, delta=0.1, confidence=SEEDED)


def convicts(bound: LowerBound) -> bool:
    claim = rg.compose(rg.GaussianDP(MU))
    return any(bound.delta(epsilon) > claim.delta(epsilon) for epsilon in (0.0, 0.25, 0.5, 1.0, 2.0))


@pytest.fixture
def few_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    """Descent that is short, so that many fits take seconds."""
    monkeypatch.setitem(SCHEDULES, "squared", Schedule(4, 1))


def test_everything_a_fit_releases_stays_below_its_claim():
    """That so few fits can tell is shown by the planted mistakes below."""
    bound = seen_in_few_fits(5, 150)
    assert not convicts(bound)
    assert bound.delta(0.0) > 0


@pytest.mark.slow
@pytest.mark.parametrize(
    ("count", "options", "share"),
    [
        (300, BOUNDS, 0.4),
        (600, {}, 0.3),
        (300, BOUNDS | {"mechanism": "public-iterate"}, 0.0),
    ],
    ids=["bounds given", "nothing given", "public iterate"],
)
def test_many_fits_stay_below_their_claim_and_come_near_it(count: int, options: dict[str, Any], share: float):
    report = audit_everything(8_000, count, 2, **options)
    assert report.verdict == "consistent"
    assert report.share >= share


@pytest.mark.slow
def test_a_fit_with_secure_noise_stays_below_its_claim():
    """Convicted by bad luck once in a hundred million runs."""
    assert audit_everything(4_000, 300, None, **BOUNDS).verdict == "consistent"


@pytest.mark.usefixtures("few_steps")
def test_gradients_that_are_not_clipped_are_convicted(monkeypatch: pytest.MonkeyPatch):
    def wrong(rows: Any, theta: Any, objective: Any, threshold: float) -> BoundedAnswer:
        def block_sum(block: Any) -> np.ndarray:
            return objective.pull(block.features @ theta, block.labels) @ block.features

        value = rows.total(block_sum) / rows.count
        return BoundedAnswer(value, AbsoluteSensitivity(2 * threshold / rows.count, "enforced"))

    monkeypatch.setattr(clipped, "clipped_pull", wrong)
    assert convicts(seen_in_few_fits(4, 100))


@pytest.mark.usefixtures("few_steps")
def test_shares_that_are_ten_times_too_large_are_convicted(monkeypatch: pytest.MonkeyPatch):
    honest = Spending._take
    monkeypatch.setattr(Spending, "_take", lambda self, share: min(1.0, 10 * honest(self, share)))
    assert convicts(seen_in_few_fits(6, 100))


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::relgauss.linear_model.outcome.DegradedFitWarning")
@pytest.mark.parametrize("mechanism", ["clipped", "isometric"])
def test_published_coefficients_stay_below_the_claim(mechanism: str):
    """What a stranger sees: two numbers."""
    rng = np.random.default_rng(7)
    pair = neighbours(300)

    def sampler(data: Data) -> Callable[[int], np.ndarray]:
        def run(amount: int) -> np.ndarray:
            model = PrivateRidge(EPSILON, DELTA, mechanism=mechanism, random_state=rng, **BOUNDS)
            return np.array([[*model.fit(*data).coef_, model.intercept_] for _ in range(amount)])

        return run

    report = audit_samplers(
        sampler(pair[0]),
        sampler(pair[1]),
        lambda rows: -rows @ [1.0, 1.0],
        claim=rg.GaussianDP(MU),
        samples=8_000,
        confidence=SEEDED,
    )
    assert report.verdict == "consistent"
