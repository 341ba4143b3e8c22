"""The demonstration's tables: what is said of them is true, and its run is the one in process."""

import numpy as np
import pytest

pytest.importorskip("flwr", reason="needs the extra 'federated'")

from relgauss.federated.demo import BUDGET, run_demo
from relgauss.federated.demo_data import DIM, NODES, RECORDS, SOURCE, excess_losses, table
from relgauss.ledger import SpendRecord
from relgauss.nodes import ridge_participant, run_rounds


def loss(theta: np.ndarray) -> float:
    tables = [table(node) for node in NODES]
    return sum(float(np.mean((each.features @ theta - each.labels) ** 2)) / 2 for each in tables)


def test_the_excess_loss_is_that_over_the_best_model():
    features = np.vstack([table(node).features for node in NODES])
    labels = np.concatenate([table(node).labels for node in NODES])
    best = np.linalg.lstsq(features, labels, rcond=None)[0]
    thetas = np.array([np.zeros(DIM), best, best + 3.0])
    np.testing.assert_allclose(
        excess_losses(thetas), [loss(theta) - loss(best) for theta in thetas], rtol=1e-9, atol=1e-9
    )


def test_the_tables_are_as_they_are_described():
    assert f"{RECORDS:,} rows" in SOURCE
    for node in NODES:
        assert table(node).features.shape == (RECORDS, DIM)
        np.testing.assert_array_equal(table(node).labels, table(node).labels)
    near, far = (table(node) for node in NODES)
    assert not np.array_equal(near.features, far.features)


def test_no_threshold_suits_both_nodes():
    """Nearly all gradients of the one are shorter than nearly all of the other."""
    near, far = (
        np.abs(each.labels) * np.linalg.norm(each.features, axis=1) for each in map(table, NODES)
    )  # at zero
    assert np.quantile(near, 0.95) < np.quantile(far, 0.05)


def test_a_simulated_demo_is_the_run_in_one_process(tmp_path):
    (tmp_path / "demo").mkdir()
    report = run_demo(2, 7, tmp_path / "demo")
    assert report.simulated
    nodes = [
        ridge_participant(
            node,
            table(node).features,
            table(node).labels,
            budget=BUDGET,
            rounds=2,
            record=SpendRecord.create(tmp_path / f"{node}.db"),
            seed=7,
        )
        for node in NODES
    ]
    states = [state.theta for state, _ in run_rounds(nodes, np.zeros(DIM), report.step_size, 2, job="demo")]
    np.testing.assert_allclose(report.thetas[1:], states, rtol=1e-9)
