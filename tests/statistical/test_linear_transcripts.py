"""Fits on neighbours, made to release the same: nothing else depends on the records."""

from unittest import mock

import numpy as np
import pytest

from relgauss.accounting import GaussianDP, GaussianPairDP
from relgauss.linear_model import PrivateLogisticRegression, PrivateRidge
from relgauss.linear_model.outcome import Degraded, Fitted
from relgauss.mechanisms import Gaussian, IsometricGaussian, RelativeGaussian
from relgauss.records.blocks import MOST_ROWS, Block

from .linear_transcript import Data, Tape, excess, faults, fit_on_tape, replay

N, D = 600, 2
FEATURES, LABELS = {"feature_bounds": (-4.0, 4.0)}, {"label_bounds": (-12.0, 12.0)}
OPTIONS = {
    "nothing given": {},
    "bounds": FEATURES | LABELS,
    "features known": FEATURES,
    "labels known": LABELS,
    "no intercept": {"fit_intercept": False},
    "no intercept, bounds": {"fit_intercept": False} | FEATURES | LABELS,
    "preconditioner": {"preconditioner": [[1.0, 0.3], [0.3, 1.0]]},
    "penalty": {"alpha": 50.0},
    "clip radius": {"clip_radius": 2.5} | FEATURES | LABELS,
    "plain": {"clip_features": False},
    "plain, bounds": {"clip_features": False} | FEATURES | LABELS,
    "some bounds": {"feature_bounds": ([-4.0, np.nan], [4.0, 3.0])},
    "bounds that cut off many": {"feature_bounds": (-0.5, 0.5), "label_bounds": (-1.0, 1.0)},
    "bounds far too wide": {"feature_bounds": (-4e4, 4e4), "label_bounds": (-1e5, 2e5)},
    "some bounds, far too wide": {
        "feature_bounds": ([-4e3, np.nan], [4e3, 3.0]),
        "label_bounds": (-12.0, 1e7),
    },
    "bounds five times too wide": {"feature_bounds": (-20.0, 20.0), "label_bounds": (-60.0, 60.0)},
    "bounds far from zero": {"feature_bounds": (-4.0, 1e3), "label_bounds": (-12.0, 1e4)},
    "bounds that hold nobody": {"label_bounds": (100.0, 101.0)},
    "rho": {"rho": 0.3} | FEATURES | LABELS,
    "rho too large": {"rho": 50.0} | FEATURES | LABELS,
    "hopeless": {"epsilon": 0.02},
    "hopeless, bounds": {"epsilon": 0.02} | FEATURES | LABELS,
    "hopeless, no intercept": {"epsilon": 0.02, "fit_intercept": False},
    "hopeless, bounds of the label": {"epsilon": 0.2, "label_bounds": (-1.0, 1e3)},
    "hopeless, bounds far too wide": {"epsilon": 0.4, "label_bounds": (-1e6, 1e6)},
}
REPLACEMENTS = {
    "typical": ([0.5, -1.0], 1.0),
    "zero": ([0.0, 0.0], 0.0),
    "huge": ([1e300, -1e300], 1e300),
    "huge, the other way": ([-1e300, -1e300], -1e300),
    "far in one column": ([1e6, 0.0], 0.0),
    "far, on the line": ([2.5, 2.5], 7.8),
    "far label": ([1.0, 1.0], -1e9),
    "tiny": ([5e-324, -5e-324], 5e-324),
    "on the bound": ([4.0, -4.0], 12.0),
}


@pytest.fixture(scope="module")
def data() -> Data:
    rng = np.random.default_rng(0)
    features = rng.normal(size=(N, D))
    return features, features @ [1.0, 2.0] + 0.3 + 0.2 * rng.normal(size=N)


def replaced(data: Data, record: tuple[list[float], float], place: int = 17) -> Data:
    features, labels = data[0].copy(), data[1].copy()
    features[place], labels[place] = record
    return features, labels


def pairs(model: PrivateRidge | PrivateLogisticRegression, data: Data) -> list[tuple[str, Tape, Tape]]:
    """A fit to the data and its replays on neighbours; a fit to an extreme one, replayed on the data."""
    script = fit_on_tape(model, data)
    found = [
        (name, script, replay(model, replaced(data, each), script)) for name, each in REPLACEMENTS.items()
    ]
    extreme = type(model)(**model.get_params())
    other = fit_on_tape(extreme, replaced(data, REPLACEMENTS["huge"]))
    return [*found, ("back", other, replay(model, data, other))]


@pytest.mark.parametrize("option", OPTIONS)
@pytest.mark.parametrize("mechanism", ["clipped", "public-iterate", "isometric", "relative"])
def test_a_fit_depends_on_releases_only_and_no_answer_moves_too_far(data: Data, mechanism: str, option: str):
    epsilon = 60.0 if mechanism == "relative" else 20.0
    model = PrivateRidge(
        **({"epsilon": epsilon, "mechanism": mechanism, "random_state": 1} | OPTIONS[option])
    )
    for name, script, neighbour in pairs(model, data):
        assert faults(script, neighbour) == [], name


@pytest.mark.parametrize(
    "option", [name for name, each in OPTIONS.items() if not {"rho", "clip_radius"} & each.keys()]
)
def test_a_logistic_fit_depends_on_releases_only(data: Data, option: str):
    options = {key: value for key, value in OPTIONS[option].items() if key != "label_bounds"}
    model = PrivateLogisticRegression(**({"epsilon": 20.0, "random_state": 1} | options))
    classes = data[0], (data[1] > 0).astype(int)
    script = fit_on_tape(model, classes)
    for name, (row, label) in REPLACEMENTS.items():
        neighbour = replay(model, replaced(classes, (row, float(label > 0))), script)
        assert faults(script, neighbour) == [], name


@pytest.mark.parametrize("place", [0, MOST_ROWS - 1, MOST_ROWS])
def test_a_fit_to_several_blocks_depends_on_releases_only(place: int):
    """Two threads, and rows in memory, whose scores at a point are kept: no other point is given them."""
    rng = np.random.default_rng(2)
    features = rng.normal(size=(MOST_ROWS + 9, D))
    tail = np.exp(2 * rng.normal(size=len(features))) * features[:, 0]  # some is put back: the point moves
    data = features, features @ [1.0, 2.0] + tail
    model = PrivateRidge(20.0, random_state=1, n_jobs=2, **OPTIONS["bounds far too wide"])
    script = fit_on_tape(model, data)
    assert isinstance(model.outcome_, Fitted)
    with mock.patch.object(Block, "scores", lambda self, theta: self.features[:, : theta.size] @ theta):
        anew = fit_on_tape(PrivateRidge(**model.get_params()), data)
    assert [each.value.tolist() for each in anew.releases] == [
        each.value.tolist() for each in script.releases
    ]
    for name in ("huge", "far label", "tiny"):
        assert faults(script, replay(model, replaced(data, REPLACEMENTS[name], place), script)) == [], name


@pytest.mark.parametrize("option", ["nothing given", "features known", "no intercept", "penalty", "hopeless"])
def test_a_fit_of_several_classes_depends_on_releases_only(data: Data, option: str):
    model = PrivateLogisticRegression(
        **({"epsilon": 20.0, "random_state": 1, "classes": [0, 1, 2]} | OPTIONS[option])
    )
    classes = data[0], (data[1] > -1).astype(int) + (data[1] > 1)
    script = fit_on_tape(model, classes)
    assert isinstance(model.outcome_, Degraded if option == "hopeless" else Fitted)
    for name, (row, label) in REPLACEMENTS.items():
        neighbour = replay(model, replaced(classes, (row, float(label > 0))), script)
        assert faults(script, neighbour) == [], name


def test_the_transcripts_show_what_they_are_to_show(data: Data):
    """Each route releases by its own mechanism, and the pairs come near the bounds: so the test can fail."""
    kinds = {
        "clipped": Gaussian,
        "public-iterate": Gaussian,
        "isometric": IsometricGaussian,
        "relative": RelativeGaussian,
    }
    for mechanism, kind in kinds.items():
        model = PrivateRidge(60.0, mechanism=mechanism, random_state=1)
        script = fit_on_tape(model, data)
        assert isinstance(model.outcome_, Fitted)
        assert any(type(each.mechanism) is kind for each in script.releases)
    found = pairs(PrivateRidge(20.0, random_state=1), data)
    worst = np.max(
        [[excess(*pair) for pair in zip(a.releases, b.releases, strict=True)] for _, a, b in found], axis=0
    )
    assert (worst > 0.3).all()


def test_a_proposed_rho_is_tested_and_its_distance_moves(data: Data):
    """By one or not at all, as it is a whole number: over three fits it is seen to move."""
    moved = False
    for seed in (1, 2, 3):
        model = PrivateRidge(20.0, mechanism="isometric", random_state=seed, **OPTIONS["rho"])
        found = pairs(model, data)
        assert isinstance(model.outcome_, Fitted)
        moved |= any(script.tests[0].distance != other.tests[0].distance for _, script, other in found)
    assert moved


def test_hopeless_and_refused_fits_are_degraded(data: Data):
    for option in ("hopeless", "hopeless, bounds", "rho too large"):
        model = PrivateRidge(
            **({"epsilon": 20.0, "mechanism": "isometric", "random_state": 1} | OPTIONS[option])
        )
        tape = fit_on_tape(model, data)
        assert isinstance(model.outcome_, Degraded)
        assert any(model.outcome_.reason in text for text in tape.warnings)


def test_the_relative_mechanism_is_given_linear_constants_as_linear(data: Data):
    model = PrivateRidge(60.0, mechanism="relative", random_state=1)
    tape = fit_on_tape(model, data)
    gradients = [each.mechanism for each in tape.releases if isinstance(each.mechanism, RelativeGaussian)]
    assert {each.sensitivity.form for each in gradients} == {"linear"}
    (planned,) = {c.guarantee for c in model.privacy_.charges if isinstance(c.guarantee, GaussianPairDP)}
    for each in gradients:
        assert each.guarantee.shift <= planned.shift
        assert each.guarantee.excess <= planned.excess
        assert each.guarantee.dim <= planned.dim


@pytest.mark.parametrize("random_state", [None, 5], ids=["secure", "simulated"])
def test_noise_has_the_size_that_its_charge_claims(data: Data, random_state: int | None):
    """Secure noise: the sum of m unit normals' squares is off by more than 7 sqrt(2 m) once in 1e9."""
    tapes = [
        fit_on_tape(PrivateRidge(epsilon, mechanism=mechanism, random_state=random_state), data)
        for epsilon, mechanism in ((20.0, "clipped"), (20.0, "public-iterate"), (60.0, "relative"))
    ]
    releases = [each for tape in tapes for each in tape.releases]
    for each in releases:
        if isinstance(each.mechanism, Gaussian):
            assert each.mechanism.noise_std == pytest.approx(
                each.mechanism.sensitivity.r / each.mechanism.guarantee.mu, rel=1e-12
            )
    noise = np.concatenate([np.atleast_1d(each.unit_noise).ravel() for each in releases])
    assert noise.size > 1000
    assert abs((noise**2).sum() - noise.size) < 7 * np.sqrt(2 * noise.size)
    assert abs(noise.sum()) < 7 * np.sqrt(noise.size)
    assert np.abs(noise).max() < 8


def test_charges_add_up_to_the_whole_budget(data: Data):
    model = PrivateRidge(20.0, random_state=1)
    tape = fit_on_tape(model, data)
    squares = sum(each.mechanism.mu**2 for each in tape.releases)
    everything = sum(
        c.times * c.guarantee.mu**2 for c in model.privacy_.charges if isinstance(c.guarantee, GaussianDP)
    )
    assert squares <= everything * (1 + 1e-14)
    assert squares > 0.9 * everything
