"""The table of a fitted regression, and what a model clips to."""

import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import NotFittedError

from relgauss.cli.fit_output import fit_to_dict
from relgauss.linear_model import Fitted, PrivateLogisticRegression, PrivateRidge, load_model, save_model
from relgauss.report.coefficients import _note

N = 5_000
RNG = np.random.default_rng(0)
FRAME = pd.DataFrame({"age": RNG.normal(40, 10, size=N), "<b>\x1b[2J": RNG.random(N), "same": np.ones(N)})
LABELS = FRAME["age"] / 10 + 2 * FRAME["<b>\x1b[2J"] + RNG.normal(size=N)


@pytest.fixture(scope="module")
def model() -> PrivateRidge:
    return PrivateRidge(3.0, random_state=0).fit(FRAME, LABELS)


def test_the_table_has_a_line_for_each_coefficient(model: PrivateRidge):
    summary = model.summary()
    assert [line.name for line in summary.lines] == ["intercept", *FRAME.columns]
    text = str(summary)
    assert text.startswith("SIMULATED, not private. PrivateRidge, epsilon 3 at delta 1e-06")
    assert f"{model.coef_[0]:.5g}" in text
    assert f"{model.intervals_[1, 0]:.5g}" in text
    assert "no spread seen" in text
    assert "\x1b" not in text
    assert repr(summary) == text  # what a prompt shows


def test_the_table_is_a_data_frame_too(model: PrivateRidge):
    frame = model.summary().to_pandas().set_index("name")
    assert frame.index.tolist() == ["intercept", *FRAME.columns]
    assert frame.loc["age", "coefficient"] == model.coef_[0]
    assert frame.loc["age", ["low", "high"]].tolist() == model.intervals_[:, 0].tolist()
    assert frame.loc["age", ["clipped_low", "clipped_high"]].tolist() == [
        end[0] for end in model.feature_range_
    ]
    assert np.isnan(frame.loc["same", "standard_error"])


def test_what_is_clipped_is_said_in_words(model: PrivateRidge):
    low, high = model.prediction_range_
    assert f"clipped as shown, and predictions lie between {low:.5g} and {high:.5g}." in model.summary().note
    classes = PrivateLogisticRegression(9.0, classes=["no", "yes"], random_state=0)
    classes.fit(FRAME[["age"]], np.where(FRAME["age"] > 40, "yes", "no"))
    low, high = classes.score_range_
    assert f"log-odds of yes lie between {low:.5g} and {high:.5g}" in classes.summary().note


def test_an_outcome_is_short_however_many_features_there_are(model: PrivateRidge):
    assert len(model.outcome_.half_widths) == 3
    assert "half_widths" not in repr(model.outcome_)


def test_a_notebook_shows_it_and_runs_nothing(model: PrivateRidge):
    shown = model.summary()._repr_html_()
    assert shown.count("<tr>") == 5
    assert "<b>" not in shown
    assert "\x1b" not in shown


def test_a_constant_is_one_line_and_says_why():
    with pytest.warns(UserWarning, match="too few"):
        model = PrivateRidge(random_state=0).fit(FRAME[:50], LABELS[:50])
    summary = model.summary()
    assert [line.name for line in summary.lines] == ["intercept"]
    assert "too few" in summary.note


def test_nothing_is_shown_before_a_fit():
    with pytest.raises(NotFittedError):
        PrivateRidge().summary()
    with pytest.raises(NotFittedError):
        _ = PrivateRidge().intervals_


def test_a_saved_model_has_the_same_table(model: PrivateRidge, tmp_path: Path):
    save_model(model, tmp_path / "model.json")
    assert str(load_model(tmp_path / "model.json").summary()) == str(model.summary())


# What is clipped


def test_values_beyond_the_range_count_as_its_edge(model: PrivateRidge):
    low, high = model.feature_range_
    assert low[0] < 40 < high[0]
    assert low[2] == high[2]
    rows = pd.DataFrame([high, high + 1e300, low, low - 1e300], columns=FRAME.columns)
    first, beyond, last, below = model.predict(rows)
    assert (first, last) == (beyond, below)
    assert model.prediction_range_[0] <= last < first <= model.prediction_range_[1]


def test_a_plain_model_clips_nothing():
    model = PrivateRidge(3.0, random_state=0, clip_features=False).fit(FRAME, LABELS)
    assert isinstance(model.outcome_, Fitted)
    assert np.isinf(model.feature_range_).all()
    far = FRAME[:3] + 1e6
    assert model.predict(far) == pytest.approx(far.to_numpy() @ model.coef_ + model.intercept_)


def test_public_bounds_are_kept():
    bounds = np.array([20.0, 0.0, 0.0]), np.array([60.0, 1.0, 2.0])
    model = PrivateRidge(3.0, random_state=0, feature_bounds=bounds, label_bounds=(0.0, 9.0))
    model.fit(FRAME, LABELS)
    assert (model.feature_range_[0] >= bounds[0]).all()
    assert (model.feature_range_[1] <= bounds[1]).all()
    assert 0 <= model.prediction_range_[0] < model.prediction_range_[1] <= 9


@pytest.mark.parametrize("wide", [10.0, 1_000.0])
def test_bounds_that_are_too_wide_do_little_harm(wide: float):
    bounds = (
        np.array([40.0, 0.5]) - wide * np.array([30.0, 0.5]),
        np.array([40.0, 0.5]) + wide * np.array([30.0, 0.5]),
    )
    features = FRAME.iloc[:, :2].to_numpy()
    errors = []
    for seed in range(5):
        model = PrivateRidge(
            3.0, random_state=seed, feature_bounds=bounds, label_bounds=(-10 * wide, 20 * wide)
        )
        errors.append(np.mean((model.fit(features, LABELS).predict(features) - LABELS) ** 2))
    assert np.median(errors) < 1.1  # the noise of the labels has variance 1


def test_features_whose_bounds_hold_nobody_are_named():
    model = PrivateRidge(
        3.0, random_state=0, feature_bounds=(np.array([0.0, 500.0]), np.array([99.0, 501.0]))
    )
    model.fit(FRAME.iloc[:, :2].to_numpy(), LABELS)
    assert model.outcome_.ignored == (1,)


def test_a_classifier_clips_its_scores():
    model = PrivateLogisticRegression(3.0, random_state=0).fit(FRAME, LABELS > 5)
    low, high = model.score_range_
    scores = model.decision_function(FRAME + 1e9)
    assert low <= scores.min() <= scores.max() <= high
    assert high - low <= 12
    rows = pd.DataFrame([model.feature_range_[1], model.feature_range_[1] + 1e300], columns=FRAME.columns)
    assert len(set(model.decision_function(rows).tolist())) == 1


def test_a_second_fit_leaves_nothing_of_the_first(model: PrivateRidge):
    again = PrivateRidge(3.0, random_state=0).fit(FRAME, LABELS)
    with pytest.warns(UserWarning, match="too few"):
        again.fit(FRAME[:50], LABELS[:50])
    assert np.isinf(again.feature_range_).all()
    assert np.isnan(again.intervals_).all()


def has_intervals(count: int, epsilon: float) -> bool:
    rng = np.random.default_rng(3)
    features = rng.uniform(0, 1, size=(count, 3))
    labels = features @ [1.0, 2.0, -1.0] + rng.normal(0, 0.2, count)
    return PrivateRidge(epsilon, random_state=3).fit(features, labels).outcome_.no_intervals == ""


def test_intervals_that_lack_have_a_reason_wherever_they_would_stand(tmp_path: Path):
    rng = np.random.default_rng(3)
    features = rng.uniform(0, 1, size=(2_000, 3))
    model = PrivateRidge(0.5, random_state=3).fit(
        features, features @ [1.0, 2.0, -1.0] + rng.normal(0, 0.2, 2_000)
    )
    assert np.isnan(model.intervals_).all()
    reason = model.outcome_.no_intervals
    assert "Noise hides" in reason
    save_model(model, tmp_path / "model.json")
    loaded = load_model(tmp_path / "model.json")
    assert loaded.outcome_ == model.outcome_
    for shown in (model.summary(), loaded.summary()):
        assert f"No intervals: {reason}" in str(shown)
        assert f"No intervals: {reason}" in shown._repr_html_()
    names = ["a", "b", "c"]
    assert fit_to_dict(model, names, "y", 2_000)["outcome"]["no_intervals"] == reason
    note = _note(model, names, "y", 3)
    assert reason in note
    assert "band" not in note
    told = re.search(r"Use at least ([\d,]+) records or epsilon ([\d.]+\d)\.", reason)
    assert told is not None
    count, epsilon = int(told[1].replace(",", "")), float(told[2])
    assert has_intervals(round(1.05 * count), 0.5)  # right at the least some fits have none
    assert not has_intervals(round(0.95 * count), 0.5)
    assert has_intervals(2_000, 1.05 * epsilon)
    clear = PrivateRidge(5.0, random_state=3).fit(features, features @ [1.0, 2.0, -1.0])
    assert clear.outcome_.no_intervals == ""
    assert "band" in _note(clear, names, "y", 3)


def test_features_that_are_alike_are_named_and_drawn_as_not_known(tmp_path: Path):
    rng = np.random.default_rng(0)
    features = rng.normal(size=(20_000, 3))
    features[:, 1] = features[:, 0]
    labels = features @ [1.0, 2.0, 3.0] + rng.normal(size=20_000)
    model = PrivateRidge(random_state=0).fit(features, labels)
    assert np.isnan(model.standard_errors_).tolist() == [True, True, False, False]
    assert model.coef_[:2].sum() == pytest.approx(3.0, abs=0.1)
    assert "without an interval and not to be read: x0, x1." in str(model.summary())
    save_model(model, tmp_path / "alike.json")
    assert str(load_model(tmp_path / "alike.json").summary()) == str(model.summary())
    assert "or is not known" in _note(model, ["a", "b", "c"], "y", 3)


def test_all_dummies_of_a_category_have_no_intervals_and_it_is_said_why():
    rng = np.random.default_rng(0)
    features = np.eye(4)[rng.integers(0, 4, 20_000)]
    labels = features @ [1.0, 2.0, 3.0, 4.0] + rng.normal(size=20_000)
    model = PrivateRidge(random_state=0).fit(features, labels)
    assert np.isnan(model.standard_errors_).all()
    assert "too alike" in model.outcome_.no_intervals
    assert f"No intervals: {model.outcome_.no_intervals}" in str(model.summary())


def close_fit() -> PrivateRidge:
    rng = np.random.default_rng(3)
    features = rng.lognormal(0, 0.7, (20_000, 1))
    labels = features[:, 0] + 0.1 * rng.normal(size=20_000)
    return PrivateRidge(random_state=0).fit(features, labels)


def test_a_close_fit_says_that_its_intervals_are_for_a_robust_line(tmp_path: Path):
    model = close_fit()
    assert isinstance(model.outcome_, Fitted)
    told = model.outcome_.about_line
    assert f"at most {model.outcome_.robust_beyond:.3g} off" in told
    assert f"Up to {model.outcome_.part_beyond:.2g} of the records" in told
    assert 0.1 < model.outcome_.robust_beyond < 2
    assert 0 < model.outcome_.part_beyond < 0.02
    assert told in str(model.summary())
    assert "robust line" in model.summary()._repr_html_()
    assert "robust line" in _note(model, ["x"], "y", 1)
    save_model(model, tmp_path / "model.json")
    again = load_model(tmp_path / "model.json")
    assert again.outcome_ == model.outcome_
    assert str(again.summary()) == str(model.summary())


def test_where_nothing_is_said_intervals_are_for_least_squares():
    assert Fitted().robust_beyond is None
    assert Fitted().about_line == ""
