"""The auditor: run a mechanism on its worst pair and on probes, and bound its epsilon from below."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import ArrayLike

from relgauss import validate
from relgauss.accounting.compose import Composition, Part, compose
from relgauss.arrays import FloatArray
from relgauss.audit.clopper_pearson import Region
from relgauss.audit.events import Choice
from relgauss.audit.lower_bound import LowerBound, Scores
from relgauss.audit.report import AuditReport, curve
from relgauss.audit.sampling import Drawn, Progress, Sampler, draw
from relgauss.audit.trials import Trials
from relgauss.errors import InvalidParameterError
from relgauss.mechanisms import Mechanism
from relgauss.noise.simulated import check_generator

CONFIDENCE = 0.99
SIMULATED_SAMPLES = 1_000_000
SECURE_SAMPLES = 40_000

_LEAST_SAMPLES = 1_000
_TYPICAL_DELTA = 0.01  # where the pair is chosen if the delta is still open
_LEAST, _USUAL, _LARGEST = 0.05, 0.5, 4.0  # epsilons that events frequent enough to be counted can show
_ENOUGH = 0.85  # of the claim, to be found by cautious reckoning
_PROBES_ERROR = 0.25  # the probes' part of the error probability
_BLACK_BOX_BATCH = 2**16


def audit(
    mechanism: Mechanism,
    *,
    samples: int | None = None,
    confidence: float = CONFIDENCE,
    delta: float | None = None,
    rng: np.random.Generator | None = None,
    progress: Progress | None = None,
) -> AuditReport:
    """Bound one release's epsilon from below, at the claimed mechanism's worst pair of answers and elsewhere.

    Most outputs are drawn on the pair at which the claimed mechanism shows the most, in a random direction.
    A fifth of them go to probes for faults that cannot be seen there: at zero, at answers below zero, on
    single coordinates, where the noise varies least.

    >>> audit(mechanism, rng=np.random.default_rng(0)).verdict
    'consistent'

    Parameters
    ----------
    mechanism
        The mechanism on trial; its own guarantee is the claim.
    samples
        The number of outputs on all answers together. None is 40,000 with secure noise and a million with
        simulated noise.
    confidence
        The probability with which the lower bound holds.
    delta
        Where epsilon is bounded. None takes the delta at which the auditor expects to find the largest part
        of the claim.
    rng
        None draws secure noise, as ``release`` does, one call an output. A generator simulates the noise, and
        the report is marked so; a million samples then take seconds.
    progress
        Called with the number of outputs that were drawn since the last call.
    """
    if not isinstance(mechanism, Mechanism):
        raise InvalidParameterError(
            "mechanism", mechanism, "a mechanism", "For any other sampler use audit_samplers."
        )
    if rng is None:
        mechanism.check_releasable()
    else:
        check_generator(rng)
    if samples is None:
        samples = SECURE_SAMPLES if rng is None else SIMULATED_SAMPLES
    delta, confidence, samples = _checked(delta, confidence, samples)
    epsilon = min(mechanism.epsilon(_TYPICAL_DELTA), _LARGEST) if delta is None else mechanism.epsilon(delta)
    directions = np.random.default_rng() if rng is None else rng
    trials = Trials(mechanism, samples // 2, rng, directions, progress)
    drawn = trials.of_worst(epsilon)
    probed = trials.of_probes(_PROBES_ERROR * (1 - confidence))
    return _report(drawn, samples, compose(mechanism), confidence, delta, probed)


def audit_samplers(
    run_p: Sampler,
    run_q: Sampler,
    score: Callable[[FloatArray], ArrayLike],
    *,
    claim: Part,
    samples: int = SIMULATED_SAMPLES,
    confidence: float = CONFIDENCE,
    delta: float | None = None,
    progress: Progress | None = None,
) -> AuditReport:
    """Bound the epsilon of any mechanism from below, by samplers of its outputs on two neighbouring inputs.

    Parameters
    ----------
    run_p, run_q
        Each returns, for a ``count``, so many independent outputs, a row each: one on the first input, one on
        its neighbour.
    score
        ``score(outputs)`` returns a number for each row: the likelihood ratio where it is known, else for
        example ``Projection(direction)``.
    claim
        The guarantee on trial, such as ``GaussianDP(0.5)``, or what holds one, such as a mechanism.
    samples
        The number of outputs, half of them on each input.
    confidence
        The probability with which the lower bound holds.
    delta
        Where epsilon is bounded. None takes the delta at which the most of the claim should show.
    progress
        Called with the number of outputs that were drawn since the last call.
    """
    delta, confidence, samples = _checked(delta, confidence, samples)
    for name, value in (("run_p", run_p), ("run_q", run_q), ("score", score)):
        if not callable(value):
            raise InvalidParameterError(name, value, "callable", "Pass a function; see audit_samplers.")
    promised = compose(claim)
    first = draw("run_p", run_p, (score,), samples // 2, _BLACK_BOX_BATCH, progress)
    second = draw("run_q", run_q, (score,), samples // 2, _BLACK_BOX_BATCH, progress)
    return _report((first, second), samples, promised, confidence, delta)


def _report(
    drawn: tuple[Drawn, Drawn],
    samples: int,
    claim: Composition,
    confidence: float,
    delta: float | None,
    probed: tuple[Region, ...] = (),
) -> AuditReport:
    """``probed`` is what other trials said, and has its own part of the error probability."""
    first, second = drawn
    scores = Scores.checked(first.scores[0], second.scores[0])
    targets = scores.deltas if delta is None or delta in scores.deltas else (delta, *scores.deltas)
    choices = scores.choose(targets)
    if delta is None:
        delta = _most_telling(choices, claim)
    error = (1 - confidence) * (1 - _PROBES_ERROR if probed else 1)
    bound = LowerBound((*scores.confirm(choices, delta, 1 - error).regions, *probed), confidence)
    return AuditReport(
        epsilon_lower=bound.epsilon(delta),
        epsilon_claimed=claim.epsilon(delta),
        delta=delta,
        confidence=confidence,
        samples=samples // 2 * 2,
        simulated=first.simulated or second.simulated,
        curve=curve(bound, claim, min(scores.deltas)),
    )


def _most_telling(choices: Sequence[Choice], claim: Composition) -> float:
    """The delta at which the chosen events promise to show the largest part of the claimed epsilon.

    An epsilon of usual size is preferred if enough of it will show. Only the draws that chose the events
    speak here, so the choice is independent of the counts.
    """
    claimed = {choice.delta: claim.epsilon(choice.delta) for choice in choices}
    share = {c.delta: c.promise / claimed[c.delta] for c in choices if _LEAST <= claimed[c.delta] <= _LARGEST}
    if not share:  # all claims are too small or too large to be seen: the nearest one
        return min(claimed, key=lambda delta: abs(claimed[delta] - _LARGEST))
    usual = [delta for delta in share if claimed[delta] >= _USUAL and share[delta] >= _ENOUGH]
    return max(usual or share, key=share.__getitem__)


def _checked(delta: float | None, confidence: float, samples: int) -> tuple[float | None, float, int]:
    if delta is not None:
        delta = validate.probability("delta", delta)
    confidence = validate.probability("confidence", confidence, "Pass for example 0.99.")
    samples = validate.count("samples", samples)
    if samples < _LEAST_SAMPLES:
        raise InvalidParameterError(
            "samples",
            samples,
            f"at least {_LEAST_SAMPLES}",
            "A useful bound takes 20,000 or more; the noise level decides.",
        )
    return delta, confidence, samples
