"""What an audit says: the verdict, the words, the picture."""

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import relgauss as rg
from relgauss.audit import AuditReport, audit, audit_samplers
from relgauss.audit.report import Curve
from relgauss.report.audit_curve import plot_audit_curve
from relgauss.rounding import round_down

GAUSSIAN = rg.Gaussian(rg.AbsoluteSensitivity(1.0), 1, 1.0)


def report(lower: float, claimed: float, delta_lower: float = 0.1) -> AuditReport:
    curve = Curve(np.array([0.0, 1.0]), np.array([delta_lower, 0.0]), np.array([0.3, 0.1]))
    return AuditReport(lower, claimed, 0.05, 0.99, 1000, simulated=False, curve=curve)


def test_the_verdict_hangs_on_the_number_and_on_the_curve():
    assert report(1.0, 1.1).verdict == "consistent"
    assert report(1.2, 1.1).verdict == "convicted"
    assert report(1.0, 1.1, delta_lower=0.4).verdict == "convicted"


def test_the_share_of_a_claim():
    assert report(0.9, 1.0).share == 0.9
    assert report(0.9, 0.0).share == math.inf


def test_words():
    assert report(0.99996, 1.00001).text() == (
        "Audit: consistent\n"
        "  found       epsilon at least 0.9999 at delta 0.05\n"
        "  claimed     epsilon 1.001 at that delta\n"
        "  confidence  99 %\n"
        "  samples     1,000 outputs on neighbouring answers"
    )
    assert str(replace(report(1.0, 2.0), simulated=True)).startswith("SIMULATED")
    assert "99.99999 %" in replace(report(1.0, 2.0), confidence=1 - 1e-7).text()


def test_an_infinite_claim_is_plain_json():
    assert report(1.0, math.inf).to_dict()["epsilon_claimed"] is None


@pytest.mark.parametrize(
    ("value", "text"), [(0.0, "0"), (1.23456, "1.234"), (0.99999, "0.9999"), (2e-7, "2e-07")]
)
def test_what_was_found_is_rounded_down(value: float, text: str):
    assert round_down(value) == text
    assert float(text) <= value


def test_progress_counts_every_output():
    seen: list[int] = []
    found = audit(GAUSSIAN, samples=5_001, rng=np.random.default_rng(0), progress=seen.append)
    assert sum(seen) == found.samples == 5_000
    seen.clear()
    audit(GAUSSIAN, samples=1_000, progress=seen.append)
    assert sum(seen) == 1_000
    assert len(seen) > 2


def test_only_marked_outputs_make_a_simulated_report():
    rng = np.random.default_rng(0)
    plain = audit_samplers(
        lambda count: rng.normal(0, 1, count),
        lambda count: rng.normal(1, 1, count),
        lambda outputs: outputs,
        claim=rg.GaussianDP(1.0),
        samples=2_000,
    )
    marked = audit_samplers(
        lambda count: GAUSSIAN.simulate(0.0, count, rng),
        lambda count: GAUSSIAN.simulate(1.0, count, rng),
        lambda outputs: outputs[:, 0],
        claim=GAUSSIAN,
        samples=2_000,
    )
    assert not plain.simulated
    assert marked.simulated


@pytest.mark.parametrize(
    ("claim", "shift"),
    [
        (rg.GaussianDP(1.0), 0.0),
        (rg.GaussianDP(1.0), 1.0),
        (rg.GaussianDP(0.01), 100.0),
        (rg.PureDP(0.5), 1.0),
        (rg.ApproximateDP(1.0, 0.5), 100.0),
    ],
)
def test_every_report_can_be_drawn(claim: rg.GaussianDP, shift: float, tmp_path: Path):
    rng = np.random.default_rng(1)
    found = audit_samplers(
        lambda count: rng.normal(0, 1, count),
        lambda count: rng.normal(shift, 1, count),
        lambda outputs: outputs,
        claim=claim,
        samples=4_000,
    )
    file = tmp_path / "audit.svg"
    plot_audit_curve(found, "a claim", file)
    picture = file.read_text()
    assert "<svg" in picture


def test_a_claim_without_any_loss_can_be_audited():
    rng = np.random.default_rng(2)
    found = audit_samplers(
        lambda count: rng.random(count),
        lambda count: rng.random(count),
        lambda outputs: outputs,
        claim=rg.GaussianDP(1e-9),
        samples=4_000,
    )
    assert found.verdict == "consistent"
    assert found.epsilon_lower == 0
