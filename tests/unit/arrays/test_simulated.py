"""The mark of simulated noise: what keeps it, and what cannot."""

import copy
import pickle

import numpy as np
import pytest

from relgauss.arrays.simulated import SimulatedArray, mark


def marked() -> SimulatedArray:
    return mark(np.array([10.5, -20.25, 31.0]))


@pytest.mark.parametrize(
    "act",
    [
        lambda x: x + 1,
        lambda x: 2 * x - x,
        lambda x: x / np.array([1.0, 2.0, 3.0]),
        lambda x: -x,
        lambda x: x[:2],
        lambda x: x[[0, 2]],
        lambda x: np.eye(3) @ x,
        lambda x: np.exp(x / 100),
        lambda x: np.maximum(x, 0.0),
        lambda x: x.copy(),
        lambda x: x.reshape(3, 1),
        lambda x: np.sort(x),
        lambda x: x.sum(),
        lambda x: x.mean(),
        lambda x: pickle.loads(pickle.dumps(x)),
        lambda x: x[0],
        lambda x: x[()],
        lambda x: x[x > 0],
        lambda x: x[0] + 1,
        lambda x: 1 - x[0],
        lambda x: np.float64(1) + x[0],
        lambda x: copy.copy(x[0]),
        lambda x: pickle.loads(pickle.dumps(x[0])),
        lambda x: round(x[0], 2),
        lambda x: abs(x[0]),
        lambda x: next(iter(x)),
        lambda x: next(iter(x.reshape(1, 3))),
        lambda x: list(x)[0],  # noqa: RUF015
        lambda x: max(x),
        lambda x: sum(x),
        lambda x: sorted(x)[0],
        lambda x: np.round(x),
        lambda x: np.round(x[0], 1),
        lambda x: x.round(1),
        lambda x: np.concatenate([np.zeros(2), x]),
        lambda x: np.stack([x, np.zeros(3)]),
        lambda x: np.append(x, 1.0),
        lambda x: np.where(x > 0, x, 0.0),
        lambda x: np.dot(x, x),
        lambda x: np.dot(np.ones(3), x),
        lambda x: x.dot(x),
        lambda x: np.ones(3) @ x,
        lambda x: np.einsum("i,i->", x, x),
        lambda x: np.linalg.norm(x),
        lambda x: np.linalg.svd(x.reshape(1, 3)).S,
        lambda x: np.linalg.solve(np.eye(3), x),
        lambda x: np.max(x),
        lambda x: x.max(),
        lambda x: x.argmax(),
        lambda x: x.argmin(),
        lambda x: x.nonzero()[0],
        lambda x: x.searchsorted(0.0),
        lambda x: x.take(0),
        lambda x: x.reshape(1, 3).trace(),
        lambda x: np.median(x),
        lambda x: np.quantile(x, 0.9),
        lambda x: np.histogram(x)[0],
        lambda x: np.unique(x, return_counts=True)[1],
        lambda x: np.split(x, 3)[0],
        lambda x: np.atleast_2d(x),
        lambda x: np.interp(0.0, x, x),
        lambda x: x.astype(np.float32),
    ],
)
def test_the_mark_survives_arithmetic_indexing_and_functions(act):
    result = act(marked())
    assert isinstance(result, SimulatedArray)
    assert "not private" in repr(result)
    assert "not private" in str(result)
    assert "not private" in f"{result}"


@pytest.mark.parametrize(
    "act",
    [
        lambda x: x.tolist()[0],
        lambda x: x.item(0),
        lambda x: float(x[0]),
        lambda x: x.flat[0],
        np.array,
        np.asarray,
        lambda x: np.add(np.zeros(3), x, out=np.zeros(3)),
        lambda x: np.frombuffer(x.tobytes()),
    ],
)
def test_what_leaves_the_array_loses_the_mark_as_the_threat_model_says(act):
    assert not isinstance(act(marked()), SimulatedArray)


def test_a_marked_number_can_be_used_like_a_number():
    x = np.array([2.0, 0.5]).view(SimulatedArray)
    assert float(x[1]) == 0.5
    assert f"{x[1]:.2f}" == "Simulated, not private: 0.50"
    assert ["a", "b"][x.argmax()] == "a"
    assert bool(x[0] > x[1])
    assert x[0] == pytest.approx(2.0)


def test_arithmetic_in_place_keeps_the_mark():
    x = marked()
    x += 1
    assert isinstance(x, SimulatedArray)


def test_what_is_printed_shows_the_numbers_too():
    x = np.array([1.5, -2.0]).view(SimulatedArray)
    assert repr(x) == "Simulated, not private: [ 1.5, -2. ]"
