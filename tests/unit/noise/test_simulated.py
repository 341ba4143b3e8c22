"""Seeded noise is marked and repeatable; secure noise is neither."""

import numpy as np
import pytest

import relgauss as rg
from relgauss.arrays.simulated import SimulatedArray
from relgauss.errors import InvalidParameterError

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


@every_mechanism
def test_secure_noise_does_not_clean_a_simulated_value(mechanism):
    assert isinstance(mechanism.release(seeded(mechanism)), SimulatedArray)


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
