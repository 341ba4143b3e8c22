"""A node refuses by public numbers only: whatever a server asks, neighbours refuse alike or answer alike."""

import warnings
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import relgauss as rg
from relgauss.ledger.spend_record import SpendRecord
from relgauss.nodes.node import Node
from relgauss.nodes.participant import Participant, Released, Reply
from relgauss.nodes.plan import NodePlan
from relgauss.nodes.regression import logistic_participant, ridge_participant
from relgauss.nodes.set_up import LocalSetup, release_setup
from relgauss.nodes.table import class_labels, rows_of
from relgauss.paper.node_objective import NodeObjective
from relgauss.paper.strict import METHODS, strict_node, strict_plan
from relgauss.paper.strict_node import LABEL_BOUND, setup_of

DIM, ROWS, FAILURE = 4, 20_000, 1e-7
KINDS = ["logistic", "public-iterate", "isometric", *(f"strict {method}" for method in METHODS)]
BUDGET = rg.Budget(2.0, 1e-6)
STRICT_EPSILON = 0.1


def honest_table() -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    features = rng.normal(size=(ROWS, DIM))
    return features, np.where(features @ [1.0, -1.0, 0.5, 0.0] + rng.normal(size=ROWS) > 0, 1.0, -1.0)


TABLE = honest_table()


def replaced(record: object, label: float = 1.0, table: tuple[np.ndarray, np.ndarray] = TABLE):
    """The neighbour whose first record is another."""
    features, labels = table[0].copy(), table[1].copy()
    features[0], labels[0] = record, label
    return features, labels


def released_numbers() -> dict[str, LocalSetup]:
    """What the honest table's nodes have released: given to its neighbours, too."""
    features, labels = TABLE
    rows = rows_of(features, labels)
    classes = rows_of(features, class_labels(labels))
    plan = strict_plan(STRICT_EPSILON)
    return {
        "logistic": release_setup(classes, 1.0, None, np.random.default_rng(1), label_bound=1.0),
        "public-iterate": release_setup(rows, 1.0, None, np.random.default_rng(1)),
        "isometric": release_setup(rows, 1.0, FAILURE, np.random.default_rng(1)),
        "strict": release_setup(rows, plan.mu_setup, FAILURE, np.random.default_rng(1), LABEL_BOUND),
    }


RELEASED = released_numbers()


def node(kind: str, table: tuple[np.ndarray, np.ndarray], folder: Path) -> Participant:
    """A node of this kind over this table that has released what all nodes of its kind have."""
    record = SpendRecord.create(folder / "spends.db")
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(NodePlan, "set_up", lambda *_, **__: RELEASED[kind])
        options = {"budget": BUDGET, "rounds": 40, "record": record, "seed": 0}
        if kind == "logistic":
            return logistic_participant("a", *table, **options)
        if kind in ("public-iterate", "isometric"):
            return ridge_participant("a", *table, mechanism=kind, **options)
    method, plan = kind.removeprefix("strict "), strict_plan(STRICT_EPSILON)
    setup = setup_of(NodeObjective(*table, np.zeros(DIM)), RELEASED["strict"])
    made: Node = strict_node(method, setup, STRICT_EPSILON, None)
    return Participant("a", DIM, made, plan.agreement(made.guarantee), record, seed=0)


def replies(kind: str, tables, theta: object, folder: Path) -> list[Reply]:
    """What each table's node says to this point; a warning would be seen at the node, so it is an error."""
    found = []
    for number, table in enumerate(tables):
        (folder / str(number)).mkdir()
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            found.append(node(kind, table, folder / str(number)).reply("r", theta))
    return found


def outcome(reply: Reply) -> object:
    """All of a reply that has no noise."""
    return "released" if isinstance(reply, Released) else reply


@pytest.mark.parametrize("scale", [1e10, 1e208, 1e250, 1e307])
def test_a_huge_point_does_not_show_an_outlying_record_by_its_scores(tmp_path, scale):
    """inf - inf in the score of the one record would make the node refuse."""
    tables = [TABLE, replaced([1e101, -1e101, 1e101, 1e101])]
    first, second = replies("logistic", tables, scale * np.ones(DIM), tmp_path)
    assert outcome(first) == outcome(second)


@pytest.mark.parametrize("kind", ["isometric", "strict rgm-exact", "strict isometric"])
def test_a_point_at_the_edge_of_the_norms_does_not_show_a_record(tmp_path, kind):
    """A point along the direction that tells two tables apart, where one gradient passes 1e150, one not."""
    tables = [TABLE, replaced(3.0 * np.ones(DIM))]
    problems = []
    for number, table in enumerate(tables):
        (tmp_path / f"problem {number}").mkdir()
        problems.append(node(kind, table, tmp_path / f"problem {number}").node.query)
    first, second = (query.problem.second for query in problems)
    values, vectors = np.linalg.eigh(first - second)
    direction = vectors[:, np.argmax(np.abs(values))]
    sizes = [float(np.linalg.norm(matrix @ direction)) for matrix in (first, second)]
    assert sizes[0] != sizes[1]
    theta = problems[0].coordinates.whitening @ (direction * 1e150 / np.mean(sizes))
    assert outcome(*replies(kind, tables[:1], theta, tmp_path)) == outcome(
        replies(kind, tables[1:], theta, tmp_path / "problem 1")[0]
    )


hostile = (
    st.sampled_from([1e308, -1e308, 1.7976931348623157e308, 5e-324, -2e-308, 1e155, -1e101, 0.0, np.inf])
    | st.floats(allow_nan=True, allow_infinity=True)
    | st.floats(-10, 10)
)
records = st.lists(hostile, min_size=DIM, max_size=DIM).map(np.array)
coordinates = (
    st.sampled_from([0.0, 1e9, 1e8, -1e9, 1e100, 1e150, 1e307, -1e308, 5e-324])
    | st.floats(-1e9, 1e9)
    | hostile
)
points = st.lists(coordinates, min_size=DIM, max_size=DIM).map(np.array)


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=25, deadline=None)
@given(records, records, hostile, hostile, points)
def test_neighbours_refuse_or_answer_alike(tmp_path_factory, kind, first, second, label, other, theta):
    small = TABLE[0][:500], TABLE[1][:500]
    tables = [replaced(first, label, small), replaced(second, other, small)]
    if kind in ("isometric", *KINDS[-3:]):  # a certificate for 20,000 records is none for 500
        tables = [replaced(first, label), replaced(second, other)]
    told = replies(kind, tables, theta, tmp_path_factory.mktemp("law"))
    assert outcome(told[0]) == outcome(told[1])
    for reply in told:
        if isinstance(reply, Released):
            assert np.isfinite(reply.gradient).all()
