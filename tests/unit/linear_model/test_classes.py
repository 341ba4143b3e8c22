"""Classes: public when stated, assumed when read; each label by itself, and never a flipped sign."""

import warnings
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from relgauss.errors import InvalidParameterError, InvalidValueError
from relgauss.linear_model import DegradedFitWarning, PrivateLogisticRegression, UnseenClassWarning
from relgauss.linear_model.classes import label_column
from relgauss.mechanisms.base import Mechanism
from relgauss.records.read import read_records

N = 4_000
FEATURES = np.random.default_rng(0).normal(size=(N, 2))
SECOND = FEATURES @ [1.0, 2.0] + np.random.default_rng(1).logistic(size=N) > 0


def fitted(labels: Any, classes: Any = None, **options: Any) -> PrivateLogisticRegression:
    model = PrivateLogisticRegression(3.0, classes=classes, random_state=0, **options)
    return model.fit(FEATURES, labels)


def assumed(model: PrivateLogisticRegression) -> str:
    return " ".join(each.text for each in model.privacy_.conditions() if each.provenance == "assumed")


EXPECTED = fitted(SECOND.astype(int))


@pytest.mark.parametrize(
    ("first", "second"),
    [(0, 1), (1, 2), (-1, 1), (False, True), (0.5, 2.5), ("no", "yes"), ("1", "2"), ("", "z")],
    ids=repr,
)
@pytest.mark.parametrize("is_object", [False, True])
def test_the_second_class_in_sorted_order_is_the_positive_one(first: Any, second: Any, is_object: bool):
    """Stated in either order or read, of whatever type: the coefficients are the same, sign and all."""
    labels = np.where(SECOND, second, first)
    labels = labels.astype(object) if is_object else labels
    stated = [[first, second], (second, first), np.array([first, second])]
    is_readable = isinstance(first, str) or not (is_object or isinstance(first, float))
    for classes in [*stated, None] if is_readable else stated:
        model = fitted(labels, classes)
        assert model.classes_.tolist() == [first, second]
        assert (model.coef_ == EXPECTED.coef_).all()
        assert (model.coef_ > 0).all()
        assert (model.predict(FEATURES) == np.where(EXPECTED.predict(FEATURES) == 1, second, first)).all()


def test_the_statement_lists_classes_that_were_read_as_assumed():
    assert "which classes there are is public: 0 and 1" in assumed(EXPECTED)
    assert "public: 'no' and 'yes'" in assumed(fitted(np.where(SECOND, "yes", "no")))
    assert "public: 'only'" in assumed(fitted(np.full(N, "only")))
    stated = fitted(SECOND.astype(int), [0, 1])
    assert "classes" not in assumed(stated)
    assert "enforced    a label other than 1 counts as 0" in str(stated.privacy_)


class Unlike:
    def __eq__(self, other: object) -> bool:
        raise TypeError

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return "unlike anything"  # the same in every process that runs tests


OTHER_NUMBERS = [2, -1, 0.999, 1 + 1e-15, np.inf, -np.inf, 1e308, 5e-324]
OTHER_OBJECTS = [
    *OTHER_NUMBERS,
    "1",
    "",
    b"1",
    1j,
    Unlike(),
    [1],
    np.array([1, 1]),
]


@pytest.mark.parametrize("other", OTHER_OBJECTS, ids=repr)
@pytest.mark.parametrize("row", [0, N - 1])
def test_a_label_outside_the_classes_counts_as_the_first(other: Any, row: int):
    """Record by record: to the bit the same fit as with the first class in its place, and no warning."""
    labels = SECOND.astype(int).astype(object)
    labels[row] = 0
    expected = fitted(labels, [0, 1])
    labels[row] = other
    assert_same(fitted(labels, [0, 1]), expected)


@pytest.mark.parametrize("other", OTHER_OBJECTS, ids=repr)
@pytest.mark.parametrize("kind", [list, tuple])
def test_so_does_one_in_a_list(other: Any, kind: Any):
    """Not one that decides of what type all labels are: that it is there would be told by an error."""
    labels = SECOND.astype(int).tolist()
    expected = fitted(kind([*labels[:-1], 0]), [0, 1])
    assert_same(fitted(kind([*labels[:-1], other]), [0, 1]), expected)


@pytest.mark.parametrize("classes", [[0, 1], ["no", "yes"]], ids=str)
def test_so_does_one_among_categories_of_pandas(classes: list[Any]):
    """Pandas infers of what type categories are, by those that there are: an error would tell of one."""
    labels = pd.Series(SECOND.astype(int), dtype=object)
    coded = []
    for last in (0, "x", 2.5):
        labels.iloc[-1] = last
        coded.append(label_column(labels.astype("category"), np.array(classes))[:-1].tolist())
    assert coded[0] == coded[1] == coded[2]


@pytest.mark.parametrize("other", OTHER_NUMBERS, ids=repr)
def test_so_does_one_among_numbers(other: float):
    labels = SECOND.astype(float)
    labels[7] = 0
    expected = fitted(labels, [0, 1])
    labels[7] = other
    assert_same(fitted(labels, [0, 1]), expected)


@pytest.mark.parametrize("other", ["maybe", "", "YES", "yes ", "nan", "\0"], ids=repr)
def test_so_does_one_among_texts(other: str):
    labels = np.where(SECOND, "yes", "no").astype("U8")
    labels[7] = "no"
    expected = fitted(labels, ["no", "yes"])
    labels[7] = other
    assert_same(fitted(labels, ["no", "yes"]), expected)


NO_LABELS = [None, np.nan, np.float32("nan"), pd.NA, pd.NaT, Decimal("nan"), Decimal("sNaN")]


def with_missing(numbers: bool) -> dict[str, Any]:
    """Labels of every kind of array, one of which is missing."""
    labels = SECOND.astype(int) if numbers else np.where(SECOND, "yes", "no")
    some = labels.astype(object)
    some[7] = None
    kinds = {
        "objects of pandas": pd.Series(some),
        "categories of pandas": pd.Series(some).astype("category"),
        "polars": pl.Series(some.tolist()),
        "Arrow": pa.chunked_array([some.tolist()]),
        "a list": some.tolist(),
        "a list with NaN": [np.nan if each is None else each for each in some],
        "a column": some.reshape(-1, 1),
    }
    if numbers:
        nullable = pd.Series(some).astype("Int64")
        return kinds | {"floats": some.astype(float), "integers of pandas": nullable}
    return kinds | {"text of pandas": pd.Series(some).astype("string")}


@pytest.mark.parametrize("stated", [True, False])
@pytest.mark.parametrize("numbers", [True, False])
def test_missing_labels_are_refused_as_missing_features_are(
    numbers: bool, stated: bool, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(Mechanism, "release", lambda *_, **__: pytest.fail("noise was drawn"))
    classes = ([0, 1] if numbers else ["no", "yes"]) if stated else None
    for kind, labels in with_missing(numbers).items():
        with pytest.raises(InvalidValueError, match="Some labels are missing"):
            pytest.fail(f"{kind}: {fitted(labels, classes)}")


@pytest.mark.parametrize("other", NO_LABELS, ids=repr)
def test_whatever_stands_for_a_missing_label_is_one(other: Any):
    labels = SECOND.astype(int).astype(object)
    labels[N - 1] = other
    with pytest.raises(InvalidValueError, match=r"Some labels are missing.*count as"):
        fitted(labels, [0, 1])


def assert_same(model: PrivateLogisticRegression, expected: PrivateLogisticRegression) -> None:
    assert (model.coef_ == expected.coef_).all()
    assert (model.intercept_ == expected.intercept_).all()
    assert model.privacy_ == expected.privacy_
    assert model.classes_.tolist() == expected.classes_.tolist()


@pytest.mark.parametrize(
    "labels",
    [np.zeros(N), np.ones(N), np.full(N, 7), (np.arange(N) == 3) * 1, np.arange(N) % 3],
    ids=["all first", "all second", "neither", "one second", "three"],
)
def test_whichever_classes_are_present_only_releases_decide(labels: np.ndarray):
    both = fitted(SECOND.astype(int), [0, 1])
    model = fitted(labels, [0, 1])
    assert model.classes_.tolist() == [0, 1]
    assert model.privacy_.epsilon() == pytest.approx(both.privacy_.epsilon(), rel=1e-3)
    if "Hardly any" not in getattr(model.outcome_, "reason", ""):  # the released share ended it early
        assert model.privacy_ == both.privacy_
        assert model.n_passes_ == both.n_passes_
    assert model.predict_proba(FEATURES).shape == (N, 2)
    assert set(vars(model)) == set(vars(both))


def test_labels_that_look_like_numbers_are_refused_with_the_way_out(monkeypatch: pytest.MonkeyPatch):
    no_noise(monkeypatch)
    with pytest.raises(InvalidValueError, match=r"more than 20 classes. Pass classes=\[a, b, ...\]"):
        fitted(np.arange(N) % 21)


BAD_PAIRS = [
    [],
    [0],
    [0, 1, 1],
    [1, 1],
    [1, True],
    "ab",
    b"ab",
    3,
    [0, "1"],
    [0, np.nan],
    [0, np.inf],
    [None, 1],
]


def no_noise(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Mechanism, "release", lambda *_, **__: pytest.fail("noise was drawn"))


@pytest.mark.parametrize(
    "classes",
    [[1j, 2], [[0, 1]], [[0], [1]], {"a": 0}, object, *BAD_PAIRS],
    ids=repr,
)
def test_what_is_no_pair_of_classes_is_refused(classes: Any, monkeypatch: pytest.MonkeyPatch):
    no_noise(monkeypatch)
    with pytest.raises(InvalidParameterError, match=r"classes.*such as \[0, 1\]"):
        fitted(SECOND, classes)


@pytest.mark.parametrize(
    ("labels", "classes"),
    [
        (np.where(SECOND, "1", "0"), [0, 1]),
        (SECOND.astype(int), ["0", "1"]),
        (SECOND.astype("S1"), ["a", "b"]),
        (SECOND.astype(complex), [0, 1]),
        (SECOND.astype("M8[s]"), [0, 1]),
    ],
    ids=["text", "numbers", "bytes", "complex", "dates"],
)
def test_labels_of_another_type_are_refused(labels: np.ndarray, classes: Any, monkeypatch):
    """Their type is public; no label of theirs could be one of the classes."""
    no_noise(monkeypatch)
    with pytest.raises(InvalidValueError, match="both numbers, or both text"):
        fitted(labels, classes)


@pytest.mark.parametrize(
    "labels", [SECOND[:-1], np.column_stack([SECOND, SECOND]), None], ids=["few", "two", "no"]
)
def test_labels_of_another_shape_are_refused(labels: Any, monkeypatch: pytest.MonkeyPatch):
    no_noise(monkeypatch)
    with pytest.raises(ValueError, match=r"inconsistent|1d array|requires y"):
        fitted(labels, [0, 1])


@pytest.fixture
def table(tmp_path: Path) -> Path:
    frame = pd.DataFrame(FEATURES, columns=["a", "b"]).assign(y=SECOND + 1)
    frame.to_csv(tmp_path / "table.csv", index=False)
    return tmp_path / "table.csv"


def test_labels_1_and_2_of_a_file_are_refused_unless_stated(table: Path, monkeypatch: pytest.MonkeyPatch):
    stated = PrivateLogisticRegression(3.0, classes=[1, 2], random_state=0)
    stated.fit(read_records(table, target="y"))
    assert stated.coef_ == pytest.approx(EXPECTED.coef_, rel=1e-9)
    assert stated.classes_.tolist() == [1, 2]
    no_noise(monkeypatch)
    with pytest.raises(InvalidValueError, match=r"other numbers than the classes 0 and 1. Pass classes="):
        PrivateLogisticRegression(3.0).fit(read_records(table, target="y"))
    with pytest.raises(InvalidParameterError, match="must be numbers"):
        PrivateLogisticRegression(3.0, classes=["1", "2"]).fit(read_records(table, target="y"))


@pytest.mark.parametrize("classes", [[-1, 1], [1, 2], [3, 7]])
def test_classes_of_a_file_are_told_apart_where_no_range_is_searched_for(tmp_path: Path, classes: list[int]):
    """Labels are numbered beside the rows, which are scaled in place in the first pass over them."""
    data = pd.DataFrame({"a": FEATURES[:, 0] > 0, "b": FEATURES[:, 1] > 0})
    labels = np.where(SECOND, classes[1], classes[0])
    data.assign(y=labels).to_parquet(tmp_path / "truths.parquet")
    of_frame, of_file = (PrivateLogisticRegression(5.0, classes=classes, random_state=0) for _ in range(2))
    of_frame.fit(data, labels)
    of_file.fit(read_records(tmp_path / "truths.parquet", target="y"))
    assert of_file.coef_ == pytest.approx(of_frame.coef_, rel=1e-9)
    assert of_file.intercept_ == pytest.approx(of_frame.intercept_, rel=1e-9)


def test_labels_0_and_1_of_a_file_are_assumed_to_be_all(table: Path):
    query = "SELECT a, b, CAST(y AS INTEGER) = 2 AS y FROM data"
    model = PrivateLogisticRegression(3.0, random_state=0).fit(read_records(table, target="y", query=query))
    assert model.coef_ == pytest.approx(EXPECTED.coef_, rel=1e-9)
    assert "which classes there are is public: 0 and 1" in assumed(model)
    stated = PrivateLogisticRegression(3.0, classes=[0, 1], random_state=0)
    stated.fit(read_records(table, target="y", query=query))
    assert stated.n_passes_ == model.n_passes_  # that one checked the labels, this counts those of no class


def test_no_record_is_warned_of_when_classes_are_stated():
    labels = SECOND.astype(float)
    labels[:50] = 2**60
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", DegradedFitWarning)
        warnings.simplefilter("ignore", UnseenClassWarning)  # by a released count
        PrivateLogisticRegression(3.0, classes=[0, 1]).fit(FEATURES, labels)
