"""An auditor's mistakes are refused before anything is drawn, with the cause and the fix."""

import math
from typing import Any

import numpy as np
import pytest

import relgauss as rg
from relgauss.audit import Projection, audit, audit_samplers, lower_bound
from relgauss.errors import InvalidParameterError, InvalidValueError, NoGuaranteeError

MECHANISM = rg.Gaussian(rg.AbsoluteSensitivity(1.0), 1, 1.0)
RNG = np.random.default_rng(0)


def refuse_to_draw(count: int) -> np.ndarray:
    raise AssertionError("drew before it checked")


@pytest.mark.parametrize("samples", [0, -1, 999, 1e6, "many", True])
def test_samples(samples: Any):
    with pytest.raises(InvalidParameterError, match="samples"):
        audit(MECHANISM, samples=samples, rng=RNG)
    with pytest.raises(InvalidParameterError, match="samples"):
        audit_samplers(refuse_to_draw, refuse_to_draw, len, claim=rg.PureDP(1.0), samples=samples)


@pytest.mark.parametrize("value", [0.0, 1.0, -0.1, 95, math.nan, "high"])
@pytest.mark.parametrize("name", ["confidence", "delta"])
def test_probabilities(name: str, value: Any):
    with pytest.raises(InvalidParameterError, match=name):
        audit(MECHANISM, rng=RNG, **{name: value})
    with pytest.raises(InvalidParameterError, match=name):
        audit_samplers(refuse_to_draw, refuse_to_draw, len, claim=rg.PureDP(1.0), **{name: value})


def test_rng():
    with pytest.raises(InvalidParameterError, match="rng"):
        audit(MECHANISM, rng=0)  # type: ignore[arg-type]


@pytest.mark.parametrize("mechanism", [None, "gaussian", rg.GaussianDP(1.0)])
def test_no_mechanism(mechanism: Any):
    with pytest.raises(InvalidParameterError, match="audit_samplers"):
        audit(mechanism, rng=RNG)


def test_secure_audit_of_what_cannot_be_released():
    with pytest.raises(NoGuaranteeError, match="r = 0"):
        audit(rg.RelativeGaussian(rg.RelativeSensitivity(0.1), 1, 0.01))


@pytest.mark.parametrize("claim", [None, 1.0, "epsilon 1"])
def test_claim(claim: Any):
    with pytest.raises(InvalidParameterError, match="guarantee"):
        audit_samplers(refuse_to_draw, refuse_to_draw, len, claim=claim)


def run(count: int) -> np.ndarray:
    return np.zeros((count, 2))


SCORE = Projection(np.ones(2))


@pytest.mark.parametrize(
    ("arguments", "name"),
    [
        ((None, run, SCORE), "run_p"),
        ((run, 3, SCORE), "run_q"),
        ((run, run, None), "score"),
        ((lambda count: np.zeros((count + 1, 2)), run, SCORE), "run_p"),
        ((run, lambda count: 0.0, SCORE), "run_q"),
        ((run, run, lambda outputs: outputs), "score"),
        ((run, run, lambda outputs: 0.0), "score"),
    ],
)
def test_samplers_and_scores(arguments: tuple[Any, Any, Any], name: str):
    with pytest.raises(InvalidParameterError, match=name):
        audit_samplers(*arguments, claim=rg.PureDP(1.0))


def test_scores_that_are_not_numbers():
    with pytest.raises(InvalidValueError, match="NaN"):
        audit_samplers(run, run, lambda outputs: np.full(len(outputs), np.nan), claim=rg.PureDP(1.0))
    with pytest.raises(InvalidValueError, match="not numbers"):
        lower_bound(["a"] * 500, np.zeros(500), delta=0.1, confidence=0.9)


def test_too_few_scores():
    with pytest.raises(InvalidParameterError, match="at least"):
        lower_bound(np.zeros(99), np.zeros(500), delta=0.1, confidence=0.9)
    with pytest.raises(InvalidParameterError, match="one number a draw"):
        lower_bound(np.zeros((500, 2)), np.zeros(500), delta=0.1, confidence=0.9)
