"""Ridge and logistic nodes: what they learn is paid for once, and bad data is a clear outcome."""

import warnings
from dataclasses import replace

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

import relgauss as rg
from relgauss.errors import (
    InvalidParameterError,
    InvalidValueError,
    LostReleaseError,
    NoGuaranteeError,
    OverBudgetError,
    RecordError,
    RefusedReleaseError,
    SpentError,
)
from relgauss.ledger import Ledger, NodeRecord
from relgauss.ledger.spend_record import SpendRecord
from relgauss.nodes.participant import Released
from relgauss.nodes.plan import NodePlan
from relgauss.nodes.regression import logistic_participant, ridge_participant
from relgauss.nodes.rounds import run_rounds
from relgauss.nodes.set_up import LocalSetup, release_setup
from relgauss.nodes.table import rows_of

TRUTH = np.array([0.5, -1.0, 2.0])
BUDGET = rg.Budget(1.0, 1e-6)
ROUNDS = 5


def table(rng: np.random.Generator, rows: int = 20_000, scale: float = 1.0):
    X = rng.normal(size=(rows, 3)) * scale
    return X, X @ TRUTH + rng.normal(size=rows) * 0.1


def classes(rng: np.random.Generator, rows: int = 20_000):
    X = rng.normal(size=(rows, 3))
    return X, np.where(rng.random(rows) < 1 / (1 + np.exp(-X @ TRUTH)), 1.0, -1.0)


def record_in(file) -> SpendRecord:
    """A node that starts again finds its record."""
    return SpendRecord.open(file) if file.exists() else SpendRecord.create(file)


@pytest.fixture
def make(tmp_path):
    def made(kind, name, X, y, **options):
        options = {"budget": BUDGET, "rounds": ROUNDS, "seed": 0} | options
        return kind(name, X, y, record=record_in(tmp_path / f"{name}.db"), **options)

    return made


@pytest.mark.parametrize("kind", [ridge_participant, logistic_participant])
def test_nothing_is_spent_on_a_plan_that_costs_too_much(make, tmp_path, monkeypatch, kind):
    honest = NodePlan.after_lost_setups

    def too_many_rounds(plan, *given):
        return replace(honest(plan, *given), rounds=ROUNDS + 1)

    monkeypatch.setattr(NodePlan, "after_lost_setups", too_many_rounds)
    with pytest.raises(NoGuaranteeError, match="the budget pays for"):
        make(kind, "a", *table(np.random.default_rng(0)))
    assert SpendRecord.open(tmp_path / "a.db").spends("a/setup") == ()


def fit(nodes, rounds: int, fraction: float = 1.0) -> np.ndarray:
    step = fraction / max(node.facts["smoothness"] for node in nodes)
    state, _ = list(run_rounds(nodes, np.zeros(3), step, rounds, job="j"))[-1]
    return np.asarray(state.theta)


@pytest.mark.parametrize("mechanism", ["public-iterate", "isometric"])
def test_ridge_nodes_of_unlike_scale_find_the_truth(make, mechanism):
    rng = np.random.default_rng(0)
    parts = [table(rng), table(rng, scale=1.5)]
    nodes = [
        make(ridge_participant, f"n{k}", *part, mechanism=mechanism, rounds=20)
        for k, part in enumerate(parts)
    ]
    np.testing.assert_allclose(fit(nodes, 20), TRUTH, rtol=0.1, atol=0.05)


def test_logistic_nodes_come_near_the_plain_fit(make):
    rng = np.random.default_rng(0)
    parts = [classes(rng), classes(rng)]
    plain = LogisticRegression(C=np.inf, fit_intercept=False)
    plain.fit(np.vstack([part[0] for part in parts]), np.concatenate([part[1] for part in parts]))
    nodes = [make(logistic_participant, f"n{k}", *part, rounds=40) for k, part in enumerate(parts)]
    np.testing.assert_allclose(fit(nodes, 40, 2.0), plain.coef_[0], rtol=0.15)


@pytest.mark.parametrize("kind", [ridge_participant, logistic_participant])
def test_the_whole_run_costs_the_budget_and_no_more(make, kind):
    X, y = classes(np.random.default_rng(0))
    node = make(kind, "a", X, y)
    assert 0.99 * BUDGET.epsilon < node.statement.epsilon() <= BUDGET.epsilon
    assert node.statement.simulated
    assert all(condition.provenance == "enforced" for condition in node.statement.conditions())


def test_a_certificate_s_failure_is_in_the_statement(make):
    node = make(ridge_participant, "a", *table(np.random.default_rng(0)), mechanism="isometric")
    failures = [c.guarantee for c in node.statement.charges if isinstance(c.guarantee, rg.Failure)]
    assert failures == [rg.Failure(0.1 * BUDGET.delta)]
    assert 0.99 * BUDGET.epsilon < node.statement.epsilon() <= BUDGET.epsilon


def test_a_restarted_node_does_not_pay_for_its_setup_again(make, monkeypatch):
    X, y = table(np.random.default_rng(0))
    first = make(ridge_participant, "a", X, y, seed=None)
    monkeypatch.setattr(
        "relgauss.nodes.plan.release_setup", lambda *_: pytest.fail("a second setup was released")
    )
    again = make(ridge_participant, "a", X, y, seed=None)
    np.testing.assert_array_equal(
        first.node.query.coordinates.whitening, again.node.query.coordinates.whitening
    )
    assert first.node.query.problem.bounds == again.node.query.problem.bounds


def test_a_setup_survives_its_text():
    rows = rows_of(*table(np.random.default_rng(0)))
    for failure in (1e-7, None):
        released = release_setup(rows, 1.0, failure, np.random.default_rng(1))
        again = LocalSetup.from_text(released.to_text())
        np.testing.assert_array_equal(again.whitening, released.whitening)
        assert (again.clip_radius, again.label_bound) == (released.clip_radius, released.label_bound)
        assert type(again.certificate) is type(released.certificate)
        assert again.certificate.__dict__.get("rho") == released.certificate.__dict__.get("rho")


def test_a_setup_lost_in_a_crash_stays_lost(make, monkeypatch):
    X, y = table(np.random.default_rng(0))

    def crash(*_):
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr("relgauss.nodes.plan.release_setup", crash)
        with pytest.raises(KeyboardInterrupt):
            make(ridge_participant, "a", X, y)
    with pytest.raises(LostReleaseError, match=r"abandon\('a/setup', 'setup'\)"):
        make(ridge_participant, "a", X, y)


@pytest.mark.parametrize("mechanism", ["public-iterate", "isometric"])
def test_a_lost_setup_is_given_up_and_paid_for_by_rounds(make, tmp_path, monkeypatch, mechanism):
    X, y = table(np.random.default_rng(0))
    options = {"mechanism": mechanism, "rounds": 10, "seed": None}

    def crash(*_):
        raise KeyboardInterrupt

    for account in ("a/setup", "a/setup 2"):
        with monkeypatch.context() as patched:
            patched.setattr("relgauss.nodes.plan.release_setup", crash)
            with pytest.raises(KeyboardInterrupt):
                make(ridge_participant, "a", X, y, **options)
        SpendRecord.open(tmp_path / "a.db").abandon(account, "setup")
    node = make(ridge_participant, "a", X, y, **options)
    setup = node.statement.charges[0]
    assert (setup.stage, setup.times) == ("setup", 3)
    assert node.agreement.rounds in (4, 5)  # a set-up is a fifth of mu², as 10/4 rounds
    assert node.statement.epsilon() <= BUDGET.epsilon
    again = make(ridge_participant, "a", X, y, **options)
    assert again.agreement == node.agreement
    record = SpendRecord.open(tmp_path / "a.db")
    assert [len(record.spends(account)) for account in ("a/setup", "a/setup 2", "a/setup 3")] == [1, 1, 1]


def test_a_setup_that_was_given_up_cannot_come_back(make, tmp_path, monkeypatch):
    """The process was not dead after all: what it drew is not recorded, and it does not take part."""
    X, y = table(np.random.default_rng(0))
    honest = release_setup

    def late(*given):
        released = honest(*given)
        SpendRecord.open(tmp_path / "a.db").abandon("a/setup", "setup")
        return released

    with monkeypatch.context() as patched:
        patched.setattr("relgauss.nodes.plan.release_setup", late)
        with pytest.raises(RecordError, match="not reserved"):
            make(ridge_participant, "a", X, y)
    assert make(ridge_participant, "a", X, y, rounds=8).agreement.rounds < 8


def test_nodes_draw_on_a_ledger_that_others_draw_on(tmp_path):
    """Two nodes' names on one set of records, a table's mean beside them: one budget."""
    X, y = table(np.random.default_rng(0))
    ledger = Ledger.create(tmp_path / "l", dataset="homes", unit="row", epsilon=BUDGET.epsilon, delta=1e-6)
    half = rg.Budget(BUDGET.epsilon / 2, 1e-6)
    node = ridge_participant("a", X, y, budget=half, rounds=3, ledger=ledger)
    (found,) = ledger.state().spends
    assert found.what == "federated node a"
    assert ledger.standing().budget.spent[0] == pytest.approx(half.mu**2)
    assert isinstance(node.reply("r1", np.zeros(X.shape[1])), Released)
    again = ridge_participant("a", X, y, budget=half, rounds=3, ledger=Ledger.open(ledger.file))
    assert again.reply("r1", np.zeros(X.shape[1])).again
    assert (again.spent, len(ledger.state().spends)) == (1, 1)
    with pytest.raises(OverBudgetError):
        logistic_participant("b", X, y, budget=BUDGET, rounds=3, ledger=ledger)
    with pytest.raises(InvalidParameterError, match="simulated"):
        logistic_participant("c", X, y, budget=half, rounds=3, ledger=ledger, seed=1)
    assert ledger.verify().spends == 1
    for nothing in ({}, {"record": ledger}, {"record": record_in(tmp_path / "r"), "ledger": ledger}):
        with pytest.raises(InvalidParameterError, match="ledger"):
            ridge_participant("d", X, y, budget=half, rounds=3, **nothing)


def test_a_lost_setup_stays_within_what_its_ledger_reserved(tmp_path, monkeypatch):
    X, y = table(np.random.default_rng(0))
    ledger = Ledger.create(tmp_path / "l", dataset="homes", unit="row", epsilon=BUDGET.epsilon, delta=1e-6)
    options = {"budget": BUDGET, "rounds": 12, "ledger": ledger}  # a set-up costs three rounds exactly

    def crash(*_):
        raise KeyboardInterrupt

    for account in ("a/setup", "a/setup 2"):
        with monkeypatch.context() as patched:
            patched.setattr("relgauss.nodes.plan.release_setup", crash)
            with pytest.raises(KeyboardInterrupt):
                ridge_participant("a", X, y, **options)
        NodeRecord(ledger).abandon(account, "setup")
    assert ridge_participant("a", X, y, **options).agreement.rounds in (5, 6)
    assert len(ledger.state().spends) == 1


def test_setups_are_not_lost_for_ever(make, tmp_path, monkeypatch):
    X, y = table(np.random.default_rng(0))
    monkeypatch.setattr(SpendRecord, "is_abandoned", lambda self, account, request: account[-1] in "p234")
    with pytest.raises(SpentError, match="4 set-ups of 'a' were lost"):
        make(ridge_participant, "a", X, y)


def test_the_setup_s_charges_stay_within_its_mu():
    rows = rows_of(*table(np.random.default_rng(0)))
    for failure in (1e-7, None):
        released = release_setup(rows, 0.7, failure, np.random.default_rng(1))
        squares = [c.times * c.guarantee.mu**2 for c in released.charges if hasattr(c.guarantee, "mu")]
        assert 0.999 * 0.7**2 < sum(squares) <= 0.7**2


@pytest.mark.parametrize("kind", [ridge_participant, logistic_participant])
@pytest.mark.parametrize("odd", [np.nan, np.inf, -np.inf, 1.79e308, -1e308, 5e-324, 7.0])
def test_no_value_of_a_record_keeps_a_node_from_taking_part(make, kind, odd):
    X, y = classes(np.random.default_rng(0))
    X[17, 1], X[18], y[19] = odd, odd, odd
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        reply = make(kind, "a", X, y).reply("r1", np.ones(3))
    assert np.isfinite(reply.gradient).all()


@pytest.mark.parametrize("rows", [0, 1, 3])
def test_a_node_that_would_be_mostly_noise_is_refused(make, tmp_path, rows):
    X, y = table(np.random.default_rng(0), rows)
    with pytest.raises(InvalidParameterError, match=f"records={rows}"):
        make(ridge_participant, "a", X, y)
    assert SpendRecord.open(tmp_path / "a.db").spends("a/setup") == ()


def test_the_least_size_depends_on_public_numbers_only():
    plan = NodePlan.of(BUDGET, ROUNDS, certified=False)
    least = next(rows for rows in range(1, 1000) if not _is_refused(plan, rows))
    assert least == pytest.approx(6 / (plan.mu_round * np.sqrt(ROUNDS)), abs=1)


def _is_refused(plan: NodePlan, rows: int) -> bool:
    try:
        plan.check_size(rows, 3)
    except InvalidParameterError:
        return True
    return False


@pytest.mark.parametrize("kind", [ridge_participant, logistic_participant])
def test_records_without_any_signal_are_refused(make, kind):
    with pytest.raises(RefusedReleaseError, match="stands out of the noise"):
        make(kind, "zero", np.zeros((5_000, 3)), np.ones(5_000))


def test_a_gradient_of_zero_is_released_with_noise(make):
    X, y = table(np.random.default_rng(0))
    nodes = [make(ridge_participant, "zero", X, 0 * y), make(ridge_participant, "good", X, y)]
    history = list(run_rounds(nodes, np.zeros(3), 0.5, ROUNDS, job="j"))
    assert all(made.took_part == ("good", "zero") for _, made in history)
    assert np.isfinite(history[-1][0].theta).all()


def test_a_certificate_that_cannot_be_had_is_a_refusal(make):
    X, y = table(np.random.default_rng(0))
    X[:, 2] = X[:, 1]  # no least eigenvalue
    with pytest.raises(NoGuaranteeError, match="could not be told from zero"):
        make(ridge_participant, "a", X, y, mechanism="isometric")


def test_odd_arguments(make):
    X, y = table(np.random.default_rng(0))
    with pytest.raises(InvalidValueError, match="do not belong together"):
        make(ridge_participant, "a", X, y[:-1])
    with pytest.raises(InvalidParameterError, match="mechanism"):
        make(ridge_participant, "a", X, y, mechanism="laplace")
    with pytest.raises(InvalidParameterError, match="regulariser"):
        make(ridge_participant, "b", X, y, regulariser=-1.0)
