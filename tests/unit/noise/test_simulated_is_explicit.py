"""Seeded noise only on request: no path falls back to it, and what it touches says so."""

import copy
import pickle
import random

import numpy as np
import pytest

import relgauss as rg
from relgauss.arrays.simulated import SimulatedArray
from relgauss.errors import InvalidParameterError, RelgaussError, SecureNoiseUnavailableError
from relgauss.noise import lattice, randomness

BOUND = rg.RelativeSensitivity(0.1, 1.0)
MECHANISMS = {
    "gaussian": rg.Gaussian(rg.AbsoluteSensitivity(1.0), 3, 2.0),
    "relative": rg.RelativeGaussian(BOUND, 3, 0.1),
    "isometric": rg.IsometricGaussian(BOUND, 3, 2.0),
}
VALUE = [1.0, -2.0, 3.0]

each = pytest.mark.parametrize("mechanism", MECHANISMS.values(), ids=MECHANISMS.keys())


@each
def test_without_randomness_a_release_raises(mechanism, monkeypatch):
    def out_of_entropy(count: int) -> bytes:
        raise OSError("no entropy")

    monkeypatch.setattr(randomness.os, "urandom", out_of_entropy)
    with pytest.raises(SecureNoiseUnavailableError) as refusal:
        mechanism.release(VALUE)
    assert isinstance(refusal.value, RelgaussError)
    assert "no fall-back" in refusal.value.fix


@each
def test_a_secure_release_touches_no_seeded_generator(mechanism):
    before = pickle.dumps((np.random.get_state(), random.getstate()))  # noqa: NPY002 - the state that must not move
    mechanism.release(VALUE)
    assert pickle.dumps((np.random.get_state(), random.getstate())) == before  # noqa: NPY002


def test_the_check_sees_a_draw_from_the_global_generator():
    before = pickle.dumps(np.random.get_state())  # noqa: NPY002
    np.random.normal()  # noqa: NPY002
    assert pickle.dumps(np.random.get_state()) != before  # noqa: NPY002


@each
def test_a_seeded_global_generator_does_not_make_secure_noise_repeatable(mechanism):
    releases = []
    for _ in range(2):
        np.random.seed(0)  # noqa: NPY002
        random.seed(0)
        releases.append(mechanism.release(VALUE))
    assert not np.any(releases[0] == releases[1])  # equal with a probability below 1e-14


@each
def test_a_seed_makes_simulated_noise_repeatable(mechanism):
    first, second = (mechanism.release(VALUE, rng=np.random.default_rng(0)) for _ in range(2))
    np.testing.assert_array_equal(first, second)


@each
@pytest.mark.parametrize("rng", [0, 42, "seed", np.random, np.random.RandomState(0), random.Random(0), True])
def test_only_a_generator_asks_for_simulation(mechanism, rng, monkeypatch):
    monkeypatch.setattr(lattice, "add_discrete_gaussian", lambda *_: pytest.fail("secure noise was drawn"))
    with pytest.raises(InvalidParameterError, match="rng"):
        mechanism.release(VALUE, rng=rng)


@each
def test_simulated_noise_draws_no_secure_noise(mechanism, monkeypatch):
    monkeypatch.setattr(lattice, "add_discrete_gaussian", lambda *_: pytest.fail("secure noise was drawn"))
    mechanism.release(VALUE, rng=np.random.default_rng(0))


@each
def test_secure_releases_are_not_marked(mechanism):
    released = mechanism.release(VALUE)
    assert type(released) is np.ndarray
    assert "imulated" not in repr(released)


MARKED = {
    "as it is": lambda x: x,
    "arithmetic": lambda x: 2 * x + 1,
    "a product": lambda x: np.eye(3) @ x,
    "a slice": lambda x: x[:2],
    "another shape": lambda x: x.reshape(3, 1),
    "a copy": lambda x: copy.deepcopy(x),
    "a function": np.exp,
    "stored and loaded": lambda x: pickle.loads(pickle.dumps(x)),
}


@each
@pytest.mark.parametrize("use", MARKED.values(), ids=MARKED.keys())
def test_the_mark_stays_and_shows(mechanism, use):
    used = use(mechanism.release(VALUE, rng=np.random.default_rng(0)))
    assert isinstance(used, SimulatedArray)
    assert "Simulated, not private" in repr(used)
    assert "Simulated, not private" in str(used)
    assert "Simulated, not private" in f"{used}"
