"""Strict mode: everything is charged, guarantees are fixed first, gradients are of clipped records."""

import math
from dataclasses import replace

import numpy as np
import pytest

import relgauss as rg
from relgauss.certify import Certified, Refused
from relgauss.errors import NoGuaranteeError, UnreachableTargetError
from relgauss.noise import lattice
from relgauss.paper import strict
from relgauss.paper.dataset import Dataset
from relgauss.paper.experiment import DELTA
from relgauss.paper.node_objective import REGULARISER, NodeObjective
from relgauss.paper.panels import ALPHA, PANELS, STEPS
from relgauss.paper.stand_in import stand_in
from relgauss.paper.strict import METHODS, run_panel_strict, strict_guarantee, strict_node
from relgauss.paper.strict_node import set_up

PANEL = {each.name: each for each in PANELS}


@pytest.fixture(scope="module")
def data() -> Dataset:
    return stand_in("ijcnn1", 40_000)


@pytest.fixture(scope="module")
def objective(data) -> NodeObjective:
    return NodeObjective(data.features, data.labels, np.full(22, 0.5))


@pytest.fixture(scope="module")
def setup(objective):
    return set_up(objective, 2.0, 1e-7, np.random.default_rng(0))


def test_a_setup_costs_what_it_was_given(setup):
    gaussian = [c for c in setup.charges if isinstance(c.guarantee, rg.GaussianDP)]
    assert {c.stage for c in gaussian} == {"row norms", "covariance", "whitened norms", "certificate"}
    total = math.sqrt(sum(c.times * c.guarantee.mu**2 for c in gaussian))
    assert total == pytest.approx(2.0, rel=1e-6)
    assert total <= 2.0
    assert [c.guarantee for c in setup.charges if isinstance(c.guarantee, rg.Failure)] == [rg.Failure(1e-7)]


def test_the_certificate_is_below_the_truth(setup):
    assert isinstance(setup.certificate, Certified)
    truth = setup.problem.least_eigenvalue
    assert truth / 2 < setup.certificate.rho < truth - setup.problem.bounds.eigenvalue_sensitivity


def test_the_node_s_answer_is_the_gradient_of_the_clipped_records(objective, setup):
    theta = np.linspace(-1, 1, 22)
    node = strict_node("public-iterate", setup, 1e12, np.random.default_rng(0))  # next to no noise
    phi = theta - objective.shift
    rows = objective.features.astype(float)
    lengths = np.linalg.norm(rows @ setup.whitening, axis=1)
    weights = np.minimum(1, setup.problem.bounds.radius / lengths)
    residual = weights**2 * (rows @ phi - objective.labels)
    expected = rows.T @ residual / objective.rows + REGULARISER * phi
    np.testing.assert_allclose(np.asarray(node.release(theta)), expected, rtol=1e-4, atol=1e-6)
    assert (weights < 1).mean() < 0.2


@pytest.mark.parametrize("method", METHODS)
def test_guarantees_are_the_panel_s_and_are_fixed_before_any_release(setup, objective, method):
    promised = strict_guarantee(method, 0.1, objective.rows, objective.dim)
    assert promised.rdp(ALPHA) <= 0.1 * (1 + 1e-9)
    node = strict_node(method, setup, 0.1, np.random.default_rng(0))
    assert node.guarantee == promised
    for theta in (np.zeros(22), np.full(22, 100.0)):
        assert node.query.answer(theta).mechanism.guarantee == promised
        assert node.release(theta).shape == (22,)


@pytest.mark.parametrize("method", ["rgm-exact", "isometric"])
def test_without_a_certificate_relative_mechanisms_are_refused(setup, method):
    bare = replace(setup, certificate=Refused("hidden by noise.", "Spend more."))
    with pytest.raises(NoGuaranteeError, match="hidden by noise"):
        strict_node(method, bare, 0.1, np.random.default_rng(0))
    assert strict_node("public-iterate", bare, 0.1, np.random.default_rng(0))


def test_a_certificate_beyond_the_plan_is_refused(setup):
    weak = replace(setup, certificate=Certified(1e-3))
    with pytest.raises(NoGuaranteeError, match="fixed for"):
        strict_node("rgm-exact", weak, 0.1, np.random.default_rng(0))


def test_out_of_reach_is_known_before_anything_is_released(data, monkeypatch):
    monkeypatch.setattr(strict, "set_up", lambda *_: pytest.fail("something was released"))
    with pytest.raises(UnreachableTargetError):
        strict._set_up_all("rgm-exact", [NodeObjective(data.features, data.labels, np.zeros(22))], 1e-6, None)


def test_a_strict_panel(data):
    rng = np.random.default_rng(0)
    result = run_panel_strict(PANEL["bias"], data, 2, rng, rng)
    assert result.strict
    assert result.simulated
    assert {curve.method for curve in result.curves} == {"noiseless", *METHODS}
    steps = rg.compose((rg.GaussianDP(math.sqrt(0.1)), STEPS)).epsilon(DELTA)
    for curve in result.curves[1:]:
        assert steps < curve.epsilon < 1.3 * steps  # the setup is paid for too
        assert np.median(result.over_noiseless(curve.method)) < 3


def test_without_a_seed_the_noise_is_secure(data, monkeypatch):
    drawn = []
    honest = lattice.add_discrete_gaussian

    def counted(value, std, exponent):
        drawn.append(value.size)
        return honest(value, std, exponent)

    monkeypatch.setattr(lattice, "add_discrete_gaussian", counted)
    result = run_panel_strict(PANEL["random"], data, 1, np.random.default_rng(0), None)
    assert not result.simulated
    releases_before_descent = 4
    assert len(drawn) == len(METHODS) * 2 * (releases_before_descent + STEPS)


def test_a_statement_names_all_stages(data):
    objective = NodeObjective(data.features, data.labels, np.zeros(22))
    _, (statement,) = strict._set_up_all("isometric", [objective], 0.1, np.random.default_rng(0))
    text = statement.text()
    assert text.startswith("SIMULATED")
    for stage in ("row norms", "covariance", "whitened norms", "certificate", "descent"):
        assert stage in text
    assumed = [each.text for each in statement.conditions() if each.provenance == "assumed"]
    assert assumed == ["which node holds a record is public, and a record is replaced by one of its node"]
