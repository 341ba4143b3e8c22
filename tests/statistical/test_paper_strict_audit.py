"""A strict node, audited from its records to its first release; planted faults are convicted."""

from dataclasses import replace

import numpy as np
import pytest

import relgauss as rg
from relgauss.audit import AuditReport, audit_samplers
from relgauss.descent.quadratic import Quadratic
from relgauss.errors import InvalidValueError
from relgauss.nodes import set_up as local_setup
from relgauss.paper import strict_node as module
from relgauss.paper.node_objective import NodeObjective
from relgauss.paper.strict import strict_node

pytestmark = pytest.mark.statistical

EPSILON = 4.0  # of a step, Rényi of order 2: mu = 2
SETUP_MU, FAILURE = 2.0, 1e-6
THETA = np.array([1.0, -1.0])
OTHERS = np.random.default_rng(0).normal(size=(79, 2)).astype(np.float32)
LABELS = np.sign(OTHERS @ [1.0, 0.5]).astype(float)


def sampler(row, label: float, method: str, rng: np.random.Generator):
    node = NodeObjective(np.vstack([OTHERS, row]).astype(np.float32), np.append(LABELS, label), np.zeros(2))

    def run(count: int) -> np.ndarray:
        outputs = []
        for _ in range(count):
            setup = module.set_up(node, SETUP_MU, FAILURE, rng)
            outputs.append(np.asarray(strict_node(method, setup, EPSILON, rng).release(THETA)))
        return np.array(outputs)

    return run


def audit(method: str, far: float, seed: int, samples: int = 1_000) -> AuditReport:
    """Neighbours: a record along theta against one in the other direction, with labels that pull apart."""
    rng = np.random.default_rng(seed)
    first = sampler([[far, -far]], -1.0, method, rng)
    second = sampler([[0.0, 0.0]], 1.0, method, rng)
    claim = rg.compose(rg.GaussianDP(SETUP_MU), rg.GaussianDP(2.0), rg.Failure(FAILURE))
    options = {"samples": samples, "confidence": 1 - 1e-8}
    return audit_samplers(first, second, lambda rows: rows @ [1.0, -1.0], claim=claim, **options)


def test_a_node_stays_below_its_claim():
    assert audit("public-iterate", 3.0, 1).verdict == "consistent"


def test_records_that_are_not_clipped_are_convicted(monkeypatch):
    honest = module.clipped_quadratic

    def unclipped(rows, radius, label_bound) -> Quadratic:
        clipped = honest(rows, radius, label_bound)
        return replace(clipped, first=rows.features.T @ rows.labels / rows.count)

    monkeypatch.setattr(module, "clipped_quadratic", unclipped)
    assert audit("public-iterate", 100.0, 2).verdict == "convicted"


def test_second_moments_that_are_not_clipped_are_refused(monkeypatch):
    """No audit is needed: the certificate sees an eigenvalue that rows of this radius cannot have."""
    honest = module.clipped_quadratic

    def unclipped(rows, radius, label_bound) -> Quadratic:
        clipped = honest(rows, radius, label_bound)
        return replace(clipped, second=100 * rows.features.T @ rows.features / rows.count)

    monkeypatch.setattr(local_setup, "clipped_quadratic", unclipped)
    with pytest.raises(InvalidValueError, match="eigenvalue"):
        audit("public-iterate", 3.0, 2)


def test_the_same_far_record_is_harmless_when_clipped():
    assert audit("public-iterate", 100.0, 3).verdict == "consistent"
