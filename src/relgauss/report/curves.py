"""Epsilon against error for every mechanism that a bound allows, around a target."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from relgauss.accounting import gdp
from relgauss.errors import InvalidParameterError, MostlyNoiseWarning, RelgaussError
from relgauss.mechanisms import Gaussian, Mechanism, registry
from relgauss.mechanisms.self_description import Sensitivity
from relgauss.mechanisms.sensitivity import AbsoluteSensitivity, RelativeSensitivity
from relgauss.report.other_accounting import full_name
from relgauss.report.question import Question

LOCAL_SCALE = "local scale"
SPAN = 10.0  # a Gaussian of known scale passes from target·SPAN to target/SPAN

_POINTS = 30


@dataclass(frozen=True)
class Curve:
    """A mechanism as its noise grows: its errors, relative to the answer, and its epsilons.

    ``label`` is for the legend. ``spans`` says that the curve covers all epsilons around the target.
    """

    name: str
    label: str
    errors: tuple[float, ...]
    epsilons: tuple[float, ...]
    spans: bool = False


def epsilon_error_curves(sensitivity: Sensitivity, question: Question) -> list[Curve]:
    """Each mechanism and its other accountings; for a relative bound, also the limit."""
    _check_relative_error_exists(sensitivity, question)
    curves = [
        curve
        for kind in reversed(registry.candidates(sensitivity))  # the first is drawn last, on top
        for curve in _curves_of(kind, sensitivity, question)
        if curve.errors
    ]
    return (
        curves if isinstance(sensitivity, AbsoluteSensitivity) else [*curves, _limit(sensitivity, question)]
    )


def _check_relative_error_exists(sensitivity: Sensitivity, question: Question) -> None:
    grows = isinstance(sensitivity, RelativeSensitivity) and sensitivity.eta > 0
    if question.norm == 0 or (question.norm is None and not grows):
        raise RelgaussError(
            "The picture shows errors relative to the answer, and here they have no value.",
            "Pass --norm, the size of the answer, above 0.",
        )


def _curves_of(kind: type[Mechanism], sensitivity: Sensitivity, question: Question) -> Iterator[Curve]:
    """The mechanism by its other accountings, then by the exact one."""
    for accounting in kind.other_accountings:
        points = _points(kind, sensitivity, question, accounting)
        yield Curve(full_name(kind, accounting), f"{kind.title}, by the {accounting}", *points)
    label = f"{kind.title}, exact" if kind.other_accountings else kind.title
    spans = isinstance(sensitivity, AbsoluteSensitivity)
    yield Curve(kind.name, label, *_points(kind, sensitivity, question), spans)


def _points(
    kind: type[Mechanism], sensitivity: Sensitivity, question: Question, accounting: str | None = None
) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Errors and epsilons of a mechanism, up to the noise level that it refuses as nothing but noise."""
    errors, epsilons = [], []
    delta, steps = question.delta, question.steps
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", MostlyNoiseWarning)
        for multiplier in _noise_multipliers(question):
            try:
                m = kind.with_noise(sensitivity, question.dim, multiplier).tuned_to(question.norm)
            except InvalidParameterError:
                break
            errors.append(question.relative_error(m))
            epsilons.append(m.epsilon_by(accounting, delta, steps) if accounting else m.epsilon(delta, steps))
    return tuple(errors), tuple(epsilons)


def _limit(sensitivity: RelativeSensitivity, question: Question) -> Curve:
    """Gaussian noise at the local scale, as if the noise did not tell that scale."""
    if question.norm is None:
        bound, question = AbsoluteSensitivity(sensitivity.eta), replace(question, norm=1.0)
    else:
        bound = AbsoluteSensitivity(sensitivity.local_scale(question.norm))
    points = _points(Gaussian, bound, question)
    return Curve(LOCAL_SCALE, "Gaussian noise at the local scale (not private)", *points, spans=True)


def _noise_multipliers(question: Question) -> list[float]:
    least, most = (
        math.sqrt(question.steps) / gdp.mu(question.epsilon * factor, question.delta)
        for factor in (SPAN, 1 / SPAN)
    )
    return [float(multiplier) for multiplier in np.geomspace(least, most, _POINTS)]
