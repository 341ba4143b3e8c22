"""Everything that a fit releases, taped; and the same fit on a neighbour, made to release the same.

If what a fit does depends on releases only, then a neighbour that is made to release the same asks the same
mechanisms in the same order and ends with the same model; only the answers differ, by no more than the bound
that their noise is made for.
"""

import importlib
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any
from unittest import mock

import numpy as np

from relgauss.accounting import GaussianDP, Guarantee
from relgauss.linear_model import PrivateLogisticRegression, PrivateRidge
from relgauss.mechanisms import Gaussian, RelativeGaussian
from relgauss.mechanisms.base import Mechanism
from relgauss.mechanisms.sensitivity import AbsoluteSensitivity
from relgauss.noise import simulated

# the package's function of the same name hides the module
test_of_rho = importlib.import_module("relgauss.certify.by_test")

Model = PrivateRidge | PrivateLogisticRegression
Data = tuple[np.ndarray, np.ndarray]


@dataclass(frozen=True, eq=False)
class Release:
    """One question to a mechanism: the true answer, and what was told."""

    mechanism: Any
    value: np.ndarray
    output: np.ndarray

    @property
    def unit_noise(self) -> np.ndarray:
        """The noise in its standard deviations: of the answer's image for the isometric mechanism."""
        mechanism = self.mechanism
        if isinstance(mechanism, Gaussian):
            return (self.output - self.value) / mechanism.noise_std
        assert isinstance(mechanism, RelativeGaussian)
        return (self.output - self.value) / mechanism.noise_std(float(np.linalg.norm(self.value)))


@dataclass(frozen=True, eq=False)
class Test:
    """The test of a proposed rho: the distance to failure, and its noisy value."""

    __test__ = False
    distance: int
    seen: int


@dataclass(eq=False)
class Tape:
    """A fit and what it released, in order; the tests of a proposed rho apart."""

    model: Model
    releases: list[Release] = field(default_factory=list)
    tests: list[Test] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)

    @property
    def published(self) -> tuple[object, ...]:
        """All that the user sees."""
        model = self.model
        return (
            np.asarray(model.coef_).tolist(),
            np.asarray(model.intercept_).tolist(),
            np.stack(model.feature_range_).tolist(),
            getattr(model, "prediction_range_", None),
            np.asarray(getattr(model, "score_range_", [])).tolist(),
            getattr(model, "label_range_", None),
            repr(np.asarray(getattr(model, "standard_errors_", [])).tolist()),  # nan is equal to itself here
            model.outcome_,
            model.privacy_,
            model.n_passes_,
            self.warnings,
        )

    @property
    def charged(self) -> list[Guarantee]:
        """What the statement charges for Gaussian releases, as often as it does; not what was left over."""
        charges = self.model.privacy_.charges
        return [
            charge.guarantee
            for charge in charges
            for _ in range(charge.times)
            if isinstance(charge.guarantee, GaussianDP) and charge.stage != "left over"
        ]


@contextmanager
def _taped(tape: Tape, script: Tape | None) -> Iterator[None]:
    honest = Mechanism.release
    honest_laplace = simulated.discrete_laplace
    honest_distance = test_of_rho.distance_to_failure
    distances: list[int] = []

    def release(self: Mechanism, value: Any, *, rng: Any = None) -> np.ndarray:
        number = len(tape.releases)
        output = honest(self, value, rng=rng) if script is None else script.releases[number].output
        tape.releases.append(Release(self, np.array(value, dtype=float), np.array(output, dtype=float)))
        return output

    def distance(*arguments: Any) -> int:
        distances.append(honest_distance(*arguments))
        return distances[-1]

    def laplace(epsilon: float, rng: Any) -> int:
        if script is None:
            noise = honest_laplace(epsilon, rng)
        else:
            noise = script.tests[len(tape.tests)].seen - distances[-1]
        tape.tests.append(Test(distances[-1], distances[-1] + noise))
        return noise

    with (
        mock.patch.object(Mechanism, "release", release),
        mock.patch.object(test_of_rho, "distance_to_failure", distance),
        mock.patch.object(simulated, "discrete_laplace", laplace),
        warnings.catch_warnings(record=True) as caught,
    ):
        warnings.simplefilter("always")
        yield
    tape.warnings = [str(warning.message) for warning in caught]


def fit_on_tape(model: Model, data: Data, script: Tape | None = None) -> Tape:
    """Fit, and keep all that is released; with a script, its releases are told instead of noisy answers."""
    tape = Tape(model)
    with _taped(tape, script):
        model.fit(*data)
    return tape


def replay(model: Model, data: Data, script: Tape) -> Tape:
    """The same fit on other records, made to release what the script says."""
    return fit_on_tape(type(model)(**model.get_params()), data, script)


def excess(first: Release, second: Release) -> float:
    """How far two neighbours' answers are apart, in units of what their noise is made for."""
    apart = float(np.linalg.norm(first.value - second.value))
    sensitivity = first.mechanism.sensitivity
    if isinstance(sensitivity, AbsoluteSensitivity):
        return apart / sensitivity.r
    smaller = min(float(np.linalg.norm(each.value)) for each in (first, second))
    return apart / sensitivity.local_scale(smaller)


def faults(script: Tape, neighbour: Tape) -> list[str]:
    """What is wrong with a fit, as far as this pair of neighbours shows."""
    found = []
    if [each.mechanism for each in script.releases] != [each.mechanism for each in neighbour.releases]:
        found.append("the mechanisms depend on the records")
    elif any(excess(*pair) > 1 for pair in zip(script.releases, neighbour.releases, strict=True)):
        found.append("an answer moves by more than its bound")
    if any(abs(a.distance - b.distance) > 1 for a, b in zip(script.tests, neighbour.tests, strict=False)):
        found.append("the distance to failure moves by more than one")
    if script.published != neighbour.published:
        found.append("what is published depends on more than the releases")
    gaussian = [
        each.mechanism.guarantee
        for each in script.releases
        if isinstance(each.mechanism.guarantee, GaussianDP)
    ]
    if sorted(guarantee.mu for guarantee in gaussian) != sorted(each.mu for each in script.charged):
        found.append("releases and charges differ")
    planned = [
        charge
        for charge in script.model.privacy_.charges
        if not isinstance(charge.guarantee, GaussianDP) and charge.stage == "gradients"
    ]
    others = [each for each in script.releases if not isinstance(each.mechanism.guarantee, GaussianDP)]
    if len(others) > sum(charge.times for charge in planned):
        found.append("releases beside the plan")
    if script.model.privacy_.epsilon() > script.model.epsilon:
        found.append("the statement passes the budget")
    return found
