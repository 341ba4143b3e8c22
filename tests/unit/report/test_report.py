"""The numbers behind the pictures, and the pictures as files."""

from dataclasses import replace
from pathlib import Path

import pytest

from relgauss.errors import InvalidParameterError, RelgaussError, UnreachableTargetError
from relgauss.mechanisms import Gaussian, RelativeGaussian
from relgauss.mechanisms.sensitivity import AbsoluteSensitivity, RelativeSensitivity
from relgauss.report.comparison import compare_accountings
from relgauss.report.curves import LOCAL_SCALE, SPAN, Curve, epsilon_error_curves
from relgauss.report.epsilon_error import plot_epsilon_error
from relgauss.report.expected_error import ExpectedError, expected_error
from relgauss.report.other_accounting import calibrate_by
from relgauss.report.question import Question
from relgauss.report.released_means import Group, ReleasedMean, plot_released_means
from relgauss.report.style import check_plot_file
from relgauss.report.wording import number, percent

BOUND = RelativeSensitivity(eta=0.01, r=1.0)
TARGET = Question(dim=10, epsilon=1.0, delta=1e-6)
BY_THEOREM = "relative, paper's theorem"


def calibrate_by_theorem(bound: RelativeSensitivity, question: Question) -> RelativeGaussian:
    found = calibrate_by(RelativeGaussian, "paper's theorem", bound, question)
    assert isinstance(found, RelativeGaussian)
    return found


# The paper's theorem


@pytest.mark.parametrize("bound", [BOUND, replace(BOUND, form="linear"), RelativeSensitivity(0.0, 2.0)])
@pytest.mark.parametrize("steps", [1, 3])
def test_the_theorem_s_calibration_meets_the_target_from_below(bound: RelativeSensitivity, steps: int):
    found = calibrate_by_theorem(bound, replace(TARGET, steps=steps))
    reached = found.epsilon(TARGET.delta, steps, method="theorem")
    assert 1 - 1e-9 < reached <= 1
    assert found.epsilon(TARGET.delta, steps) < reached


def test_the_theorem_names_the_least_epsilon_it_reaches():
    target = replace(TARGET, steps=100)
    with pytest.raises(UnreachableTargetError) as caught:
        calibrate_by_theorem(BOUND, target)
    floor = caught.value.least_epsilon
    assert floor > 1
    calibrate_by_theorem(BOUND, replace(target, epsilon=1.01 * floor))


@pytest.mark.parametrize("bound", [BOUND, replace(BOUND, form="linear"), RelativeSensitivity(0.0, 2.0)])
def test_noise_is_a_multiple_of_the_local_scale(bound: RelativeSensitivity):
    mechanism = RelativeGaussian.with_noise(bound, 3, 7.0)
    assert mechanism.noise_std(50.0) == pytest.approx(7.0 * bound.local_scale(50.0))


# Comparison


def test_rows_come_by_error_and_the_paper_s_theorem_is_among_them():
    rows = compare_accountings([BOUND], TARGET)
    assert [row.name for row in rows] == ["isometric", "relative", BY_THEOREM]
    assert [row.error for row in rows] == sorted(row.error for row in rows)


def test_unlike_bounds_need_a_norm():
    bounds = [BOUND, AbsoluteSensitivity(5.0)]
    with pytest.raises(RelgaussError, match="--norm"):
        compare_accountings(bounds, TARGET)
    rows = compare_accountings(bounds, replace(TARGET, norm=200.0))
    assert {row.name for row in rows} == {"isometric", "relative", "gaussian", BY_THEOREM}


@pytest.mark.parametrize("bound", [AbsoluteSensitivity(2.0), RelativeSensitivity(0.0, 2.0)])
def test_errors_that_do_not_grow_need_no_norm(bound: AbsoluteSensitivity | RelativeSensitivity):
    assert all(row.error > 0 for row in compare_accountings([bound], TARGET))


# Curves


def by_name(target: Question) -> dict[str, Curve]:
    return {curve.name: curve for curve in epsilon_error_curves(BOUND, target)}


@pytest.mark.parametrize("norm", [None, 50.0])
@pytest.mark.parametrize("steps", [1, 5])
def test_more_error_costs_less_epsilon(norm: float | None, steps: int):
    for curve in by_name(replace(TARGET, norm=norm, steps=steps)).values():
        assert list(curve.errors) == sorted(curve.errors)
        assert list(curve.epsilons) == sorted(curve.epsilons, reverse=True)


@pytest.mark.parametrize("norm", [None, 50.0])
def test_curves_of_one_mechanism_share_their_errors(norm: float | None):
    curves = by_name(replace(TARGET, norm=norm))
    assert curves["relative"].errors == curves[BY_THEOREM].errors
    assert curves[LOCAL_SCALE].errors == pytest.approx(curves["relative"].errors)
    for limit, exact, theorem in zip(
        curves[LOCAL_SCALE].epsilons, curves["relative"].epsilons, curves[BY_THEOREM].epsilons, strict=True
    ):
        assert limit < exact < theorem


def test_the_local_scale_spans_the_target():
    limit = by_name(TARGET)[LOCAL_SCALE]
    assert limit.epsilons[0] == pytest.approx(TARGET.epsilon * SPAN)
    assert limit.epsilons[-1] == pytest.approx(TARGET.epsilon / SPAN)


def test_a_curve_ends_where_the_mechanism_refuses():
    target = Question(dim=1, epsilon=1.0, delta=1e-6)
    wild = epsilon_error_curves(RelativeSensitivity(5.0, 1.0, nonnegative=True), target)
    curves = {curve.name: curve for curve in wild}
    assert 0 < len(curves["isometric"].errors) < len(curves[LOCAL_SCALE].errors)


def test_an_absolute_bound_has_one_curve():
    (curve,) = epsilon_error_curves(AbsoluteSensitivity(2.0), replace(TARGET, norm=100.0))
    assert curve.name == "gaussian"


@pytest.mark.parametrize(
    ("bound", "norm"), [(BOUND, 0.0), (AbsoluteSensitivity(1.0), None), (RelativeSensitivity(0.0, 1.0), None)]
)
def test_no_curve_where_the_relative_error_has_no_value(bound, norm: float | None):
    with pytest.raises(RelgaussError, match="--norm"):
        epsilon_error_curves(bound, replace(TARGET, norm=norm))


# Errors and words


@pytest.mark.parametrize(
    ("mechanism", "norm", "error", "words"),
    [
        (
            RelativeGaussian(BOUND, 4, gamma=0.01),
            None,
            ExpectedError(None, 0.2, None),
            "20 % of a large answer",
        ),
        (
            RelativeGaussian(RelativeSensitivity(0.01), 4, gamma=0.01),
            50.0,
            ExpectedError(10.0, 0.2, 50.0),
            "10 (20 %) at norm 50",
        ),
        (
            Gaussian(AbsoluteSensitivity(2.0), 4, 3.0),
            None,
            ExpectedError(12.0, None, None),
            "12 whatever the answer",
        ),
        (Gaussian(AbsoluteSensitivity(2.0), 4, 3.0), 0.0, ExpectedError(12.0, None, 0.0), "12 at norm 0"),
    ],
)
def test_errors_in_the_units_that_have_a_value(mechanism, norm, error: ExpectedError, words: str):
    found = expected_error(mechanism, norm)
    assert (found.rms, found.relative) == pytest.approx((error.rms, error.relative))
    assert f"{found.text()} {found.where()}" == words


@pytest.mark.parametrize(
    ("share", "text"),
    [(0.00107, "0.11 %"), (0.0345, "3.5 %"), (0.0999, "10 %"), (17.1, "1,710 %"), (3.2e7, "3.2e+09 %")],
)
def test_percent(share: float, text: str):
    assert percent(share) == text


@pytest.mark.parametrize(("value", "text"), [(1e-6, "1e-6"), (1.0, "1"), (0.25, "0.25"), (1e-10, "1e-10")])
def test_number(value: float, text: str):
    assert number(value) == text


# Pictures

SIGNS = {"png": b"\x89PNG\r\n\x1a\n", "pdf": b"%PDF-", "svg": b"<?xml"}
PAY = Group("Clerk", 40, 30_000.0, ReleasedMean(-5_000.0, 40_000.0), ReleasedMean(30_100.0, 90.0))


@pytest.mark.parametrize("ending", SIGNS)
def test_pictures_are_real_files(tmp_path: Path, ending: str):
    files = [tmp_path / f"curves.{ending}", tmp_path / f"means.{ending}"]
    plot_epsilon_error(epsilon_error_curves(BOUND, TARGET), TARGET, BOUND.describe(), files[0])
    plot_released_means([PAY, replace(PAY, mean=9e5)], "Means", files[1])
    for file in files:
        assert file.read_bytes().startswith(SIGNS[ending])


def test_drawing_leaves_the_global_state_of_pyplot_alone(tmp_path: Path):
    from matplotlib import pyplot

    plot_released_means([PAY], "Means", tmp_path / "means.png")
    assert pyplot.get_fignums() == []


def test_every_label_is_inside_the_picture_and_none_overlap(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    from relgauss.report import style

    drawn = []
    monkeypatch.setattr(style, "save", lambda figure, _file: drawn.append(figure))
    plot_released_means([PAY, replace(PAY, name="Chief", mean=9e5)], "Means", tmp_path / "a.png")
    target = replace(TARGET, norm=200.0)
    curves = [
        curve for bound in (BOUND, AbsoluteSensitivity(5.0)) for curve in epsilon_error_curves(bound, target)
    ]
    plot_epsilon_error(curves, target, BOUND.describe(), tmp_path / "b.png")
    for figure in drawn:
        figure.draw_without_rendering()
        boxes = [text.get_window_extent() for text in shown_texts(figure)]
        assert len(boxes) > 10
        width, height = figure.bbox.size
        for box in boxes:
            assert box.x0 >= -1
            assert box.y0 >= -1
            assert box.x1 <= width + 1
            assert box.y1 <= height + 1
        overlaps = [(a, b) for i, a in enumerate(boxes) for b in boxes[:i] if a.shrunk(0.9, 0.9).overlaps(b)]
        assert overlaps == []


def shown_texts(figure) -> list:
    """Every text of a figure but the labels of ticks that lie outside their axis."""
    from matplotlib.text import Text

    axes_and_axis = [(axes, axis) for axes in figure.axes for axis in (axes.xaxis, axes.yaxis)]
    hidden = set()
    for axes, axis in axes_and_axis:
        low, high = sorted(axis.get_view_interval())
        for tick in (*axis.get_major_ticks(), *axis.get_minor_ticks()):
            if not (axes.axison and low <= tick.get_loc() <= high):
                hidden |= {tick.label1, tick.label2}
    texts = figure.findobj(match=Text)
    return [text for text in texts if text not in hidden and text.get_visible() and text.get_text().strip()]


def test_other_endings_are_refused():
    with pytest.raises(InvalidParameterError, match=r"\.svg"):
        check_plot_file(Path("picture.bmp"))


def test_a_file_that_cannot_be_written_is_a_typed_error(tmp_path: Path):
    with pytest.raises(RelgaussError, match="folder"):
        plot_released_means([PAY], "Means", tmp_path / "absent" / "means.png")
