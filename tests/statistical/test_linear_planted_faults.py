"""Mistakes planted into a fit, one at a time: a pair of neighbours betrays each of them."""

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from relgauss.bounded import BoundedAnswer, histogram
from relgauss.bounded.answer import bounded_mean
from relgauss.descent import clipped_gradients, clipping_bias, quadratic, solution_noise
from relgauss.estimate import column_ranges, quantiles, whitening
from relgauss.linear_model import (
    PrivateLogisticRegression,
    PrivateRidge,
    class_check,
    class_shares,
    final_check,
)
from relgauss.linear_model.solvers import certified as certified_solvers
from relgauss.mechanisms.sensitivity import AbsoluteSensitivity, RelativeSensitivity
from relgauss.spending import Noisy, Spending

from .linear_transcript import Data, faults, fit_on_tape, replay

MOVES = "an answer moves by more than its bound"
DIFFER = "releases and charges differ"
PASSES = "the statement passes the budget"
PUBLISHED = "what is published depends on more than the releases"
DEPENDS = "the mechanisms depend on the records"

Plant = Callable[[pytest.MonkeyPatch], None]


@pytest.fixture(scope="module")
def neighbours() -> list[Data]:
    """One record far out, on one side or on the other, or in the middle."""
    rng = np.random.default_rng(0)
    features = rng.normal(size=(600, 2))
    labels = features @ [1.0, 2.0] + 0.2 * rng.normal(size=600)
    pair = []
    for row, label in (([50.0, 50.0], 500.0), ([-50.0, 50.0], -500.0), ([0.0, 0.0], 0.0)):
        features[17], labels[17] = row, label
        pair.append((features.copy(), labels.copy()))
    return pair


def found(neighbours: list[Data], mechanism: str) -> set[str]:
    radius = 2.0 if mechanism == "public-iterate" else None  # so near that many rows are clipped to it
    epsilon = 60.0 if mechanism == "relative" else 20.0
    model = PrivateRidge(epsilon, mechanism=mechanism, clip_radius=radius, random_state=1)
    script = fit_on_tape(model, neighbours[0])
    return {fault for each in neighbours[1:] for fault in faults(script, replay(model, each, script))}


def unclipped_rows(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(whitening, "clip_weights", lambda norms, radius: np.ones_like(norms))


def unclipped_quadratic(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(quadratic, "clip_weights", lambda norms, radius: np.ones_like(norms))


def labels_beyond_their_bound(patch: pytest.MonkeyPatch) -> None:
    honest = quadratic.clipped_quadratic

    def wrong(rows: Any, radius: float, label_bound: float) -> Any:
        loose = honest(rows, radius, 2.0**30)
        return replace(loose, bounds=replace(loose.bounds, label_bound=label_bound))

    patch.setattr("relgauss.linear_model.solvers.quadratic.clipped_quadratic", wrong)


def unclipped_gradients(patch: pytest.MonkeyPatch) -> None:
    def wrong(rows: Any, theta: Any, objective: Any, threshold: float) -> BoundedAnswer:
        def block_sum(block: Any) -> np.ndarray:
            return objective.pull(block.features @ theta, block.labels) @ block.features

        return BoundedAnswer(
            rows.total(block_sum) / rows.count, AbsoluteSensitivity(2 * threshold / rows.count, "enforced")
        )

    patch.setattr(clipped_gradients, "clipped_pull", wrong)


def half_of(module: Any) -> Plant:
    """A sensitivity without its factor 2."""

    def plant(patch: pytest.MonkeyPatch) -> None:
        def wrong(rows: Any, block_sum: Any, *, largest: float, apart: float) -> BoundedAnswer:
            return bounded_mean(rows, block_sum, largest=largest, apart=apart / 2)

        patch.setattr(module, "bounded_mean", wrong)

    return plant


def counts_that_move_by_one(module: Any) -> Plant:
    """A histogram's sensitivity for records that are added, not replaced; one for all columns together."""

    def plant(patch: pytest.MonkeyPatch) -> None:
        def wrong(*arguments: Any) -> BoundedAnswer:
            counts = histogram.count_cells(*arguments)
            return BoundedAnswer(counts.value, AbsoluteSensitivity(1.0, "enforced"))

        patch.setattr(module, "count_cells", wrong)

    return plant


def forgotten_charge(stage: str) -> Plant:
    def plant(patch: pytest.MonkeyPatch) -> None:
        honest = Spending._count
        patch.setattr(
            Spending, "_count", lambda self, name, *rest: name == stage or honest(self, name, *rest)
        )

    return plant


def free_release(stage: str) -> Plant:
    """Noise is drawn, but the share stays to be spent again and nothing is charged."""

    def plant(patch: pytest.MonkeyPatch) -> None:
        honest = Spending.release

        def wrong(self: Spending, name: str, *arguments: Any) -> Noisy:
            left, tally = self.left, dict(self._tally)
            released = honest(self, name, *arguments)
            if name == stage:
                self.left, self._tally = left, tally
            return released

        patch.setattr(Spending, "release", wrong)

    return plant


def exact_release(stage: str) -> Plant:
    """An answer that is charged for, and told without noise."""

    def plant(patch: pytest.MonkeyPatch) -> None:
        honest = Spending.release

        def wrong(self: Spending, name: str, answer: BoundedAnswer, *arguments: Any) -> Noisy:
            released = honest(self, name, answer, *arguments)
            return Noisy(answer.value, released.noise_std) if name == stage else released

        patch.setattr(Spending, "release", wrong)

    return plant


def shares_spent_twice(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(Spending, "_take", lambda self, share: share)


def label_scale_from_the_records(patch: pytest.MonkeyPatch) -> None:
    honest = whitening.find_distances

    def wrong(centred: Any, *arguments: Any) -> Any:
        exact = math.sqrt(centred.total(lambda block: block.labels @ block.labels) / centred.count)
        return replace(honest(centred, *arguments), label=exact)

    patch.setattr("relgauss.linear_model.fit.find_distances", wrong)


def intercept_from_the_records(patch: pytest.MonkeyPatch) -> None:
    honest = final_check.check_solution

    def wrong(problem: Any, *arguments: Any) -> Any:
        checked = honest(problem, *arguments)
        mean = problem.rows.total(lambda block: block.labels.sum()) / problem.rows.count
        return replace(checked, theta=np.append(checked.theta[:-1], mean))

    patch.setattr("relgauss.linear_model.fit.check_solution", wrong)


def a_pass_that_depends_on_a_record(patch: pytest.MonkeyPatch) -> None:
    """The mean of the labels is taken once more, for nothing, if the record that differs has a high one."""
    honest = whitening.find_distances

    def wrong(centred: Any, *arguments: Any) -> Any:
        if centred.total(lambda block: block.labels[17:18])[0] > 0:
            centred.total(lambda block: block.labels.sum(keepdims=True))
        return honest(centred, *arguments)

    patch.setattr("relgauss.linear_model.fit.find_distances", wrong)


def certificate_not_taken(patch: pytest.MonkeyPatch) -> None:
    """The certificate is charged, and its share stays to be spent again."""
    honest = Spending.release

    def wrong(self: Spending, name: str, *arguments: Any) -> Noisy:
        left = self.left
        released = honest(self, name, *arguments)
        if name == "certificate":
            self.left = left
        return released

    patch.setattr(Spending, "release", wrong)


def smaller_constants(patch: pytest.MonkeyPatch) -> None:
    """The certificate's bound without its floor r."""
    honest = certified_solvers.gradient_sensitivity

    def wrong(*arguments: Any) -> RelativeSensitivity:
        right = honest(*arguments)
        return replace(right, eta=right.eta / 50, r=right.r / 50)

    patch.setattr(certified_solvers, "gradient_sensitivity", wrong)


PLANTED: dict[str, tuple[str, Plant, set[str]]] = {
    "an unclipped row": ("clipped", unclipped_rows, {MOVES}),
    "an unclipped row of a quadratic": ("public-iterate", unclipped_quadratic, {MOVES}),
    "a label beyond its bound": ("public-iterate", labels_beyond_their_bound, {MOVES}),
    "a gradient that is not clipped": ("clipped", unclipped_gradients, {MOVES}),
    "half a mean's sensitivity": ("clipped", half_of(whitening), {MOVES}),
    "half a gradient's sensitivity": ("clipped", half_of(clipped_gradients), {MOVES}),
    "half the check's sensitivity": ("clipped", half_of(final_check), {MOVES}),
    "half the sensitivity of the curvature": ("clipped", half_of(solution_noise), {MOVES}),
    "half a range's sensitivity": ("clipped", counts_that_move_by_one(column_ranges), {MOVES}),
    "half a quantile's sensitivity": ("clipped", counts_that_move_by_one(quantiles), {MOVES}),
    "a forgotten charge": ("clipped", forgotten_charge("covariance"), {DIFFER}),
    "a forgotten charge of norms": ("clipped", forgotten_charge("gradient norms"), {DIFFER}),
    "a centre that is free": ("clipped", free_release("centre"), {DIFFER}),
    "ranges that are free": ("isometric", free_release("column ranges"), {DIFFER}),
    "a shift that is free": ("clipped", free_release("shift"), {DIFFER}),
    "a curvature without noise": ("clipped", exact_release("curvature"), {PUBLISHED}),
    "a scatter without noise": ("clipped", exact_release("gradient scatter"), {PUBLISHED}),
    "a scatter that is free": ("clipped", free_release("gradient scatter"), {DIFFER}),
    "half the sensitivity of what is cut": ("clipped", half_of(clipping_bias), {MOVES}),
    "cut gradients that are free": ("clipped", free_release("cut gradients"), {DIFFER}),
    "cut gradients without noise": ("clipped", exact_release("cut gradients"), {PUBLISHED}),
    "a forgotten charge of what is cut": ("clipped", forgotten_charge("cut gradients"), {DIFFER}),
    "a forgotten charge of the check": ("clipped", forgotten_charge("check"), {DIFFER}),
    "a centre without noise": ("clipped", exact_release("centre"), {PUBLISHED}),
    "a covariance without noise": ("clipped", exact_release("covariance"), {PUBLISHED}),
    "shares that are spent twice": ("clipped", shares_spent_twice, {PASSES}),
    "a scale read from the records": ("clipped", label_scale_from_the_records, {DEPENDS}),
    "an intercept read from the records": ("clipped", intercept_from_the_records, {PUBLISHED}),
    "a pass that depends on a record": ("clipped", a_pass_that_depends_on_a_record, {PUBLISHED}),
    "a certificate that spends a share again": ("isometric", certificate_not_taken, {PASSES}),
    "a certificate with smaller constants": ("isometric", smaller_constants, {MOVES}),
}


@pytest.mark.parametrize("mechanism", ["clipped", "public-iterate", "isometric", "relative"])
def test_an_honest_fit_shows_no_fault(neighbours: list[Data], mechanism: str):
    assert found(neighbours, mechanism) == set()


@pytest.mark.parametrize("mistake", PLANTED)
def test_a_planted_mistake_is_found(neighbours: list[Data], mistake: str, monkeypatch: pytest.MonkeyPatch):
    mechanism, plant, expected = PLANTED[mistake]
    plant(monkeypatch)
    assert expected <= found(neighbours, mechanism)


@pytest.mark.parametrize(
    ("plant", "expected"),
    [
        (None, set()),
        (half_of(class_check), {MOVES}),
        (half_of(clipped_gradients), {MOVES}),
        (forgotten_charge("check"), {DIFFER}),
        (free_release("check"), {DIFFER}),
        (half_of(class_shares), {MOVES}),
        (free_release("labels of no class"), {DIFFER}),
        (free_release("class shares"), {DIFFER}),
        (exact_release("class shares"), {PUBLISHED}),
    ],
    ids=[
        "honest",
        "half the check's",
        "half a gradient's",
        "forgotten check",
        "free check",
        "half of no class",
        "free labels of no class",
        "free shares",
        "exact shares",
    ],
)
def test_mistakes_in_a_classifier_are_found(
    neighbours: list[Data], plant: Plant | None, expected: set[str], monkeypatch: pytest.MonkeyPatch
):
    """The same rows, whose far one changes its class with its side, or is of none."""
    if plant is not None:
        plant(monkeypatch)
    model = PrivateLogisticRegression(20.0, classes=[0, 1], random_state=1)
    first, *others = [(features, (labels > 0).astype(int)) for features, labels in neighbours]
    others[-1][1][17] = 7
    script = fit_on_tape(model, first)
    seen = {fault for each in others for fault in faults(script, replay(model, each, script))}
    assert seen >= expected
    assert plant is not None or not seen


def test_the_pair_is_as_far_apart_as_clipping_allows(neighbours: list[Data]):
    """So that half a sensitivity is found out: some gradient moves by nearly twice the threshold."""
    model = PrivateRidge(20.0, random_state=1)
    script = fit_on_tape(model, neighbours[0])
    other = replay(model, neighbours[1], script)
    moved = [
        float(np.linalg.norm(a.value - b.value)) / a.mechanism.sensitivity.r
        for a, b in zip(script.releases, other.releases, strict=True)
    ]
    assert max(moved[-6:]) > 0.6
    assert max(moved) <= 1
    assert math.isfinite(sum(moved))


@pytest.mark.parametrize(
    ("plant", "expected"),
    [
        (None, set()),
        (half_of(class_check), {MOVES}),
        (half_of(clipped_gradients), {MOVES}),
        (half_of(solution_noise), {MOVES}),
        (counts_that_move_by_one(class_shares), {MOVES}),
        (exact_release("class shares"), {PUBLISHED}),
        (free_release("class shares"), {DIFFER}),
    ],
    ids=[
        "honest",
        "half the check's",
        "half a gradient's",
        "half a scatter's",
        "half a share's",
        "exact",
        "free",
    ],
)
def test_mistakes_in_a_classifier_of_three_are_found(
    neighbours: list[Data], plant: Plant | None, expected: set[str], monkeypatch: pytest.MonkeyPatch
):
    if plant is not None:
        plant(monkeypatch)
    model = PrivateLogisticRegression(20.0, classes=[0, 1, 2], random_state=1)
    first, *others = [(features, (labels > -1).astype(int) + (labels > 1)) for features, labels in neighbours]
    script = fit_on_tape(model, first)
    seen = {fault for each in others for fault in faults(script, replay(model, each, script))}
    assert seen >= expected
    assert plant is not None or not seen
