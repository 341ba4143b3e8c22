"""Seeded noise is marked, stays marked, and is repeatable; secure noise is neither."""

import copy
import pickle

import numpy as np
import pytest

import relgauss as rg
from relgauss.errors import InvalidParameterError
from relgauss.noise.simulated import SimulatedArray

BOUND = rg.RelativeSensitivity(0.1, 1.0)
MECHANISMS = [
    rg.Gaussian(rg.AbsoluteSensitivity(1.0), 3, 2.0),
    rg.RelativeGaussian(BOUND, 3, 0.1),
    rg.IsometricGaussian(BOUND, 3, 2.0),
    rg.IsometricGaussian(rg.RelativeSensitivity(0.0, 1.0), 3, 2.0),
]
every_mechanism = pytest.mark.parametrize(
    "mechanism", MECHANISMS, ids=lambda m: f"{m.name}-{m.sensitivity.r}"
)
VALUE = [10.0, -20.0, 30.0]


def seeded(mechanism: rg.Mechanism, seed: int = 0) -> np.ndarray:
    return mechanism.release(VALUE, rng=np.random.default_rng(seed))


@every_mechanism
def test_a_seeded_result_is_marked_and_a_secure_one_is_not(mechanism):
    assert isinstance(seeded(mechanism), SimulatedArray)
    secure = mechanism.release(VALUE)
    assert type(secure) is np.ndarray
    assert "imulated" not in repr(secure)


@every_mechanism
def test_the_same_seed_repeats_a_release_and_another_does_not(mechanism):
    assert (seeded(mechanism) == seeded(mechanism)).all()
    assert (seeded(mechanism) != seeded(mechanism, 1)).all()


@every_mechanism
def test_one_generator_gives_new_noise_each_time(mechanism):
    rng = np.random.default_rng(0)
    first, second = mechanism.release(VALUE, rng=rng), mechanism.release(VALUE, rng=rng)
    assert (first != second).all()


@every_mechanism
def test_many_rows_are_independent_and_marked(mechanism):
    rows = mechanism.simulate(VALUE, 5, np.random.default_rng(0))
    assert isinstance(rows, SimulatedArray)
    assert rows.shape == (5, 3)
    assert len(np.unique(rows[:, 0])) == 5
    assert (rows[0] == seeded(mechanism)).all()


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
    result = act(seeded(MECHANISMS[0]))
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
    assert not isinstance(act(seeded(MECHANISMS[0])), SimulatedArray)


def test_a_marked_number_can_be_used_like_a_number():
    x = np.array([2.0, 0.5]).view(SimulatedArray)
    assert float(x[1]) == 0.5
    assert f"{x[1]:.2f}" == "Simulated, not private: 0.50"
    assert ["a", "b"][x.argmax()] == "a"
    assert bool(x[0] > x[1])
    assert x[0] == pytest.approx(2.0)


@every_mechanism
def test_secure_noise_does_not_clean_a_simulated_value(mechanism):
    assert isinstance(mechanism.release(seeded(mechanism)), SimulatedArray)


def test_arithmetic_in_place_keeps_the_mark():
    x = seeded(MECHANISMS[0])
    x += 1
    assert isinstance(x, SimulatedArray)


def test_what_is_printed_shows_the_numbers_too():
    x = np.array([1.5, -2.0]).view(SimulatedArray)
    assert repr(x) == "Simulated, not private: [ 1.5, -2. ]"


@pytest.mark.parametrize("value", [5.0, [5.0]])
def test_a_single_number_is_marked_as_well(value):
    m = rg.IsometricGaussian(BOUND, 1, 2.0)
    released = m.release(value, rng=np.random.default_rng(0))
    assert isinstance(released, SimulatedArray)
    assert released.shape == np.shape(value)
    assert isinstance(released + 1, SimulatedArray)


@every_mechanism
@pytest.mark.parametrize(
    "rng",
    [0, 42, "seed", False, np.random.RandomState(0), np.random.PCG64(0)],
    ids=lambda rng: type(rng).__name__,
)
def test_only_a_generator_is_taken(mechanism, rng):
    """A seed of 0 or False must not be mistaken for none at all, which asks for secure noise."""
    with pytest.raises(InvalidParameterError, match="default_rng") as caught:
        mechanism.release(VALUE, rng=rng)
    assert caught.value.name == "rng"
    with pytest.raises(InvalidParameterError, match="default_rng"):
        mechanism.simulate(VALUE, 2, rng)


@every_mechanism
def test_simulate_never_means_secure(mechanism):
    with pytest.raises(InvalidParameterError, match="rng"):
        mechanism.simulate(VALUE, 2, None)


def test_the_generator_cannot_be_passed_by_position():
    with pytest.raises(TypeError):
        MECHANISMS[0].release(VALUE, np.random.default_rng(0))


@every_mechanism
def test_secure_noise_on_a_list_of_marked_numbers_does_not_take_the_mark_off(mechanism):
    first, *_ = seeded(mechanism)
    assert isinstance(mechanism.release([first, 1.0, 2.0]), SimulatedArray)
    assert type(mechanism.release([1.0, 1.0, 2.0])) is np.ndarray
