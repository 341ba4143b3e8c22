"""Participants: what is agreed, charged, repeated and refused; rounds go on without those that refuse."""

import hashlib
import sqlite3
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pytest

import relgauss as rg
from relgauss.arrays.simulated import SimulatedArray
from relgauss.budget.agreement import Agreement
from relgauss.descent.descend import State
from relgauss.errors import InvalidParameterError, NoGuaranteeError, RecordError
from relgauss.ledger.spend_record import SpendRecord
from relgauss.nodes.node import Answer, GradientQuery, Node
from relgauss.nodes.participant import Participant, Refusal, Released
from relgauss.nodes.rounds import Weights, advance, run_rounds
from relgauss.noise import lattice
from relgauss.refused import Refused

START = np.array([1.0, -2.0])
MULTIPLIER = 0.5
GUARANTEE = rg.GaussianDP(1 / MULTIPLIER)


@dataclass(frozen=True, eq=False)
class Distance(GradientQuery):
    """The gradient of ||theta - target||²/2."""

    target: np.ndarray

    def answer(self, theta: np.ndarray) -> Answer:
        return Answer(theta - self.target, rg.Gaussian(rg.AbsoluteSensitivity(1e-6), 2, MULTIPLIER))


class Overflowing(Distance):
    def answer(self, theta: np.ndarray) -> Answer:
        return replace(super().answer(theta), gradient=np.full(2, np.inf))


def record_in(file) -> SpendRecord:
    """A node that starts again finds its record."""
    return SpendRecord.open(file) if file.exists() else SpendRecord.create(file)


class Unreadable(Distance):
    def answer(self, theta: np.ndarray) -> Answer:
        pytest.fail("the records were read")


class Underflowing(Distance):
    def answer(self, theta: np.ndarray) -> Answer:
        assert np.array([1e-300]) * 1e-300 == 0  # an underflow, as a small record may cause
        return super().answer(theta)


@pytest.fixture
def make(tmp_path: Path):
    def made(name: str, target=(0.0, 0.0), rounds: int = 3, query=Distance, **options) -> Participant:
        record = record_in(tmp_path / f"{name}.db")
        node = Node(query(np.array(target, dtype=float)), GUARANTEE)
        return Participant(name, 2, node, Agreement(GUARANTEE, rounds, 1e-6), record, **options)

    return made


def test_a_request_is_charged_once_and_repeated_for_nothing(make, monkeypatch):
    draws = []
    honest = lattice.add_discrete_gaussian
    monkeypatch.setattr(lattice, "add_discrete_gaussian", lambda *given: (draws.append(1), honest(*given))[1])
    node = make("a")
    first = node.reply("r1", START)
    again = node.reply("r1", START)
    assert (first.again, again.again) == (False, True)
    np.testing.assert_array_equal(first.gradient, again.gradient)
    assert (len(draws), node.spent) == (1, 1)
    assert type(first.gradient) is np.ndarray  # private noise, so no mark


def test_more_rounds_than_agreed_are_refused(make):
    node = make("a", rounds=2)
    replies = [node.reply(f"r{number}", START) for number in range(4)]
    assert [type(each) for each in replies] == [Released, Released, Refusal, Refusal]
    assert replies[2].kind == "SpentError"
    assert node.spent == 2


def test_a_restarted_node_goes_on_from_its_record(make):
    before = make("a", rounds=2).reply("r1", START)
    restarted = make("a", rounds=2)
    np.testing.assert_array_equal(restarted.reply("r1", START).gradient, before.gradient)
    assert isinstance(restarted.reply("r2", START), Released)
    assert restarted.reply("r3", START).kind == "SpentError"


@pytest.mark.parametrize("theta", [[np.nan, 0.0], [np.inf, 0.0], [1.0], [[1.0, 2.0]], ["a", "b"], 3.0])
def test_a_bad_point_is_refused_and_costs_nothing(make, theta):
    node = make("a")
    reply = node.reply("r1", theta)
    assert reply.kind == "InvalidValueError"
    assert node.spent == 0


@pytest.mark.parametrize("size", [1.001e9, 1e150, 1e308])
def test_a_point_too_far_away_is_refused_and_costs_nothing(make, size):
    node = make("a", query=Unreadable)
    reply = node.reply("r1", [size, -size])
    assert (reply.kind, "further than 1e+09" in reply.reason) == ("InvalidValueError", True)
    assert node.spent == 0


def test_a_point_just_near_enough_is_answered(make):
    assert isinstance(make("a").reply("r1", [0.999e9, 0.0]), Released)


def test_no_warning_tells_of_a_record_whatever_the_process_asked_for(make):
    with np.errstate(all="raise"):
        assert isinstance(make("a", query=Underflowing).reply("r1", START), Released)


def test_the_same_request_for_another_point_is_refused(make):
    node = make("a")
    node.reply("r1", START)
    assert node.reply("r1", START + 1).kind == "OtherQuestionError"
    assert node.spent == 1


def test_what_fails_after_the_reserve_stays_spent(make):
    node = make("a", query=Overflowing)
    assert node.reply("r1", START).kind == "InvalidValueError"
    assert node.spent == 1
    assert node.reply("r1", START).kind == "LostReleaseError"


def test_agreements_cannot_be_changed_afterwards(make):
    make("a", rounds=2).reply("r1", START)
    with pytest.raises(RecordError, match="another agreement"):
        make("a", rounds=3)
    with pytest.raises(RecordError, match="another agreement"):
        make("a", rounds=2, seed=0)  # a private account never turns into a simulated one


@pytest.mark.parametrize(("seed", "mark"), [(None, ""), (7, ", simulated by seed 7")])
def test_a_node_goes_on_from_a_record_of_the_first_format(make, tmp_path, seed, mark):
    with sqlite3.connect(tmp_path / "a.db") as first:
        first.execute(
            "CREATE TABLE account (name TEXT PRIMARY KEY, terms TEXT NOT NULL, allowed INTEGER NOT NULL)"
        )
        first.execute(
            """CREATE TABLE spend (
            account TEXT NOT NULL REFERENCES account (name), position INTEGER NOT NULL, request TEXT NOT NULL,
            question TEXT NOT NULL, release TEXT,
            PRIMARY KEY (account, position), UNIQUE (account, request))"""
        )
        first.execute("INSERT INTO account VALUES ('a', ?, 3)", (f"GaussianDP(mu=2.0) × 3 after []{mark}",))
        asked = hashlib.sha256(START.astype("<f8").tobytes()).hexdigest()
        first.execute("INSERT INTO spend VALUES ('a', 0, 'r1', ?, '[0.25, -1.5]')", (asked,))
    node = make("a", seed=seed)
    assert node.spent == 1
    np.testing.assert_array_equal(np.asarray(node.reply("r1", START).gradient), [0.25, -1.5])
    replies = [node.reply(f"r{number}", START) for number in (2, 3, 4)]
    assert [type(each) for each in replies] == [Released, Released, Refusal]
    with pytest.raises(RecordError, match="another agreement"):
        make("a", rounds=4, seed=seed)


def test_an_agreement_is_of_the_node_s_own_guarantee(tmp_path):
    node, record = Node(Distance(START), GUARANTEE), SpendRecord.create(tmp_path / "a.db")
    with pytest.raises(NoGuaranteeError, match="agreed on"):
        Participant("a", 2, node, Agreement(rg.GaussianDP(1.0), 3, 1e-6), record)
    seeded = replace(node, rng=np.random.default_rng(0))
    with pytest.raises(InvalidParameterError, match="rng"):
        Participant("a", 2, seeded, Agreement(GUARANTEE, 3, 1e-6), record)


def test_the_statement_is_of_the_whole_run(make):
    node = make("a", rounds=4)
    assert node.statement.epsilon() == rg.compose((GUARANTEE, 4)).epsilon(1e-6)
    assert not node.statement.simulated
    assert make("b", seed=1).statement.simulated


def test_simulated_noise_depends_on_seed_name_and_position_only(make, tmp_path):
    first, other = make("a", seed=1), make("b", seed=1)
    released = first.reply("r1", START).gradient
    assert isinstance(released, SimulatedArray)
    (tmp_path / "a.db").unlink()
    again = make("a", seed=1)
    np.testing.assert_array_equal(again.reply("named otherwise", START).gradient, released)
    assert not np.array_equal(again.reply("r2", START).gradient, released)
    assert not np.array_equal(other.reply("r1", START).gradient, released)


def test_rounds_without_refusals_are_the_plain_descent(make):
    nodes = [make("a", (3.0, 0.0), rounds=30), make("b", (5.0, 4.0), rounds=30)]
    history = list(run_rounds(nodes, START, 0.5, 30, job="j"))
    plain = START
    for number, (state, made) in enumerate(history, 1):
        plain = plain - 0.5 * (plain - [4.0, 2.0])  # the mean of both gradients
        np.testing.assert_allclose(state.theta, plain, atol=1e-4)
        assert (state.step, made.number, made.took_part, made.absent) == (number, number, ("a", "b"), {})
    np.testing.assert_array_equal(START, [1.0, -2.0])


def test_a_round_leaves_the_state_before_it_as_it_was():
    before = State(START)
    after, _ = advance(before, {"a": Released(np.ones(2))}, Weights(), 0.5)
    np.testing.assert_array_equal(before.theta, [1.0, -2.0])
    assert (before.step, after.step) == (0, 1)


def test_refusals_have_the_common_form():
    refusal = Refusal.of(RecordError("There is no record.", "Make it."))
    assert isinstance(refusal, Refused)
    assert (refusal.kind, refusal.reason, refusal.fix) == ("RecordError", "There is no record.", "Make it.")


def test_the_others_go_on_without_a_node_that_refuses(make):
    nodes = [make("a", (3.0, 0.0), rounds=30), make("b", (5.0, 4.0), rounds=2)]
    history = list(run_rounds(nodes, START, 0.5, 30, job="j"))
    assert [made.took_part for _, made in history[:3]] == [("a", "b"), ("a", "b"), ("a",)]
    assert "SpentError" in history[2][1].absent["b"]
    np.testing.assert_allclose(history[-1][0].theta, [3.0, 0.0], atol=1e-4)


def test_when_all_refuse_nothing_moves(make):
    history = list(run_rounds([make("a", rounds=1)], START, 0.5, 3, job="j"))
    assert history[0][1].took_part == ("a",)
    np.testing.assert_array_equal(history[0][0].theta, history[2][0].theta)


def test_a_server_that_starts_again_repeats_its_run_for_nothing(make):
    nodes = [make("a", (3.0, 0.0)), make("b", (5.0, 4.0))]
    first = [state.theta for state, _ in run_rounds(nodes, START, 0.5, 2, job="j")]
    again = [state.theta for state, _ in run_rounds(nodes, START, 0.5, 3, job="j")]
    np.testing.assert_array_equal(first, again[:2])
    assert [node.spent for node in nodes] == [3, 3]


def test_stated_weights_are_the_ones_used():
    replies = {"a": Released(np.array([2.0, 0.0])), "b": Released(np.array([0.0, 3.0]))}
    state, _ = advance(State(np.zeros(2)), replies, Weights({"a": 1.0, "b": 3.0}), 1.0)
    np.testing.assert_allclose(state.theta, [-0.5, -2.25])
    state, made = advance(State(np.zeros(2)), replies, Weights({"a": 1.0}), 1.0)
    np.testing.assert_allclose(state.theta, [-2.0, 0.0])
    assert made.absent == {"b": "no weight is stated for it"}


@pytest.mark.parametrize("weight", [0.0, -1.0, float("nan"), float("inf")])
def test_bad_weights(weight):
    with pytest.raises(InvalidParameterError, match="weight of 'a'"):
        Weights({"a": weight})


@pytest.mark.parametrize(
    ("bad", "reason"),
    [
        (np.array([1.0, np.nan]), "NaN"),
        (np.array([1.0, np.inf]), "infinity"),
        (np.array([1.0, 2.0, 3.0]), "shape (3,)"),
        (np.array(1.0), "shape ()"),
    ],
)
def test_a_bad_reply_is_left_out(bad, reason):
    replies = {"a": Released(np.array([2.0, 0.0])), "b": Released(bad)}
    state, made = advance(State(np.zeros(2)), replies, Weights(), 1.0)
    np.testing.assert_allclose(state.theta, [-2.0, 0.0])
    assert made.took_part == ("a",)
    assert reason in made.absent["b"]


def test_names_are_told_apart(make):
    for respondents in ([make("a"), make("a")], []):
        with pytest.raises(InvalidParameterError, match="respondents"):
            next(run_rounds(respondents, START, 0.5, 2, job="j"))


@pytest.mark.parametrize(
    ("size", "rounds", "named"), [(float("nan"), 3, "step_size"), (-1.0, 3, "step_size"), (0.5, 0, "rounds")]
)
def test_bad_runs(make, size, rounds, named):
    with pytest.raises(InvalidParameterError, match=named):
        next(run_rounds([make("a")], START, size, rounds, job="j"))
