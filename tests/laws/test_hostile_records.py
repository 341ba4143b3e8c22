"""Whatever one record holds: no foreign error, nothing of it in a message, the warnings of its neighbour."""

import csv
import warnings
from collections.abc import Callable, Collection
from decimal import Decimal
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from relgauss.bounded import clipped_mean
from relgauss.errors import RelgaussError, SimulatedNoiseWarning
from relgauss.grouped import release_means
from relgauss.linear_model import HopelessFitWarning, PrivateLogisticRegression, PrivateRidge
from relgauss.records import read_records

MARK = "4711"
COUNT = 60  # too few to fit slopes: a fit goes its shortest way
QUIET = ["nan", "inf", "-inf", "-0.0", "4711e304", "-4711e304", "4711e-320", "4711e999", "0x4711", "1_4711"]
TEXTS = [
    *QUIET,
    "",
    " ",
    "secret4711",
    "4711 kr",
    "=4711+1",
    "\x1b[31m4711",
    "ü4711",
    "it's 4711",
    '"4711',
    "\x01",
]

Task = Callable[[Any], object]


def means(data: Any) -> object:
    rng = np.random.default_rng(0)
    return release_means(data, by="job", value="pay", epsilon=1.0, delta=1e-6, rng=rng)


def spread_means(data: Any) -> object:
    rng = np.random.default_rng(0)
    return release_means(data, by="job", value="pay", epsilon=1.0, delta=1e-6, spread=0.1, rng=rng)


def fit(data: Any) -> object:
    return PrivateRidge(random_state=0).fit(read_records(data, target="pay", features=["age"]))


def classify(data: Any) -> object:
    model = PrivateLogisticRegression(classes=[0, 1], random_state=0)
    return model.fit(read_records(data, target="age", features=["pay"]))


READERS = [means, fit]  # every way of reading records: they meet everything
OTHERS = [spread_means, classify]  # they read as those do: they meet what tells most


def tasks_and(everything: Collection[Any], telling: Collection[Any]) -> list[tuple[Task, Any]]:
    return [*product(READERS, everything), *product(OTHERS, telling)]


@cache
def outcome_of_a_neighbour(task: Task) -> list[str]:
    """What warns where the last record is like the others."""
    done, said = outcome(task, frame_with(1100.0))
    assert done
    return said


def outcome(task: Task, data: Any) -> tuple[bool, list[str]]:
    """Whether it was done, and what warned; an error must be ours, and must not quote the record."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            task(data)
            done = True
        except RelgaussError as error:
            assert_quotes_nothing(error)
            done = False
    said = [f"{each.category.__name__}: {each.message}" for each in caught]
    assert MARK not in "".join(said)
    return done, said


def assert_quotes_nothing(error: BaseException) -> None:
    assert MARK not in str(error)
    assert error.__cause__ is None
    assert error.__context__ is None or error.__suppress_context__


def csv_lines(last: str) -> str:
    return "job,age,pay\n" + "a,30,1000\n" * (COUNT - 1) + f"{last}\n"


def field(text: str) -> str:
    return '"' + text.replace('"', '""') + '"'


TELLING = ["nan", "secret4711", "4711e999"]


@pytest.mark.parametrize(
    ("task", "text", "line"),
    [
        *((task, text, "a,30,{}") for task, text in tasks_and(TEXTS, TELLING)),
        *((task, text, "a,{},1000") for task, text in product([*READERS, *OTHERS], TELLING)),
    ],
)
def test_a_field_of_a_text_file(task: Task, text: str, line: str, tmp_path: Path):
    (tmp_path / "x.csv").write_text(csv_lines(line.format(field(text))), encoding="utf-8")
    done, said = outcome(task, tmp_path / "x.csv")
    if task in (means, spread_means):
        assert done
    if done:
        assert said == outcome_of_a_neighbour(task)


FILES = {
    "empty": b"",
    "blank": b"\n\n",
    "header only": b"job,age,pay\n",
    "one row": b"job,age,pay\na,4711,4711\n",
    "no line end": b"job,age,pay\na,4711,4711",
    "byte order mark": b"\xef\xbb\xbfjob,age,pay\na,4711,4711\n",
    "CRLF": b"job,age,pay\r\na,4711,4711\r\n\r\n",
    "CR": b"job,age,pay\ra,4711,4711\r",
    "mixed line ends": b"job,age,pay\na,4711,4711\r\nb,4711,4711\n",
    "blank lines": b"job,age,pay\n\n\na,4711,4711\n  \n\n",
    "open quote": b'job,age,pay\na,4711,"4711\nb,1,2\n',
    "stray quote": b'job,age,pay\na,47"11,4711"\nb,1,2\n',
    "same names": b"job,pay,pay\na,4711,4711\n",
    "names differ in case": b"job,age,pay,PAY\na,1,4711,4711\n",
    "no header": b"4711,4712,4713\na,1,2\n",
    "header over two lines": b'"job\n4711",age,pay\na,1,2\n',
    "Latin-1": b"job,age,pay\na\xe4,4711,4711\n",
    "UTF-16": "job,age,pay\na,4711,4711\n".encode("utf-16"),
    "zero byte": b"job,age,pay\na,47\x0011,4711\n",
    "zeros": b"\x00" * 4711,
    "long line": b"job,age,pay\na,1," + b"4711" * 600_000 + b"\n",
    "wide header": b",".join(b"c%d" % i for i in range(800)) + b"\n4711\n",
    "huge name": b"job,age,pay," + b"x" * 200_000 + b"\na,1,4711,2\n",
}


@pytest.mark.parametrize(("task", "name"), tasks_and(FILES, ["empty", "one row", "open quote"]))
@pytest.mark.filterwarnings("always")
def test_a_text_file_of_any_form(task: Task, name: str, tmp_path: Path):
    (tmp_path / "x.csv").write_bytes(FILES[name])
    outcome(task, tmp_path / "x.csv")
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "0.csv").write_text(csv_lines("a,30,1000"))
    (tmp_path / "folder" / "1.csv").write_bytes(FILES[name])
    outcome(task, tmp_path / "folder")


OBJECTS: list[Any] = [
    None, "secret4711", b"secret4711", "\ud8004711", 4711 + 1j, 10**400, -(10**25), Decimal("4711E+999"),
    Decimal("NaN"), np.longdouble("4711e4000"), np.datetime64("4711-01-01"), [4711], {"a": 4711}, (4711, 1),
    float("nan"), float("inf"), -0.0, 4711e304, 4711e-320, True, pd.NA, pd.Timestamp("2011-04-07"), object(),
    np.ma.masked,
]  # fmt: skip


def frame_with(value: Any) -> pd.DataFrame:
    pay = pd.Series([1000.0] * COUNT, dtype=object)
    pay.iloc[-1] = value
    return pd.DataFrame({"job": ["a"] * COUNT, "age": [30.0] * COUNT, "pay": pay})


@pytest.mark.parametrize(
    ("task", "value"),
    tasks_and(OBJECTS, [None, "secret4711", 4711e304]),
    ids=lambda value: getattr(value, "__name__", type(value).__name__),
)
def test_a_value_of_a_data_frame(task: Task, value: Any):
    outcome(task, frame_with(value))


@pytest.mark.parametrize("task", [means, fit])
@pytest.mark.parametrize("value", [float("nan"), float("inf"), 4711e304, 5e-324])
@pytest.mark.parametrize("kind", ["parquet", "polars", "float32"])
def test_a_number_of_any_table(task: Task, value: float, kind: str, tmp_path: Path):
    frame = frame_with(value).astype({"pay": "float64"})
    data: Any = pa.Table.from_pandas(frame)
    if kind == "parquet":
        data = tmp_path / "x.parquet"
        frame.to_parquet(data)
    elif kind == "polars":
        data = polars.from_pandas(frame)
    elif kind == "float32":
        with np.errstate(over="ignore"):
            data = frame.astype({"pay": "float32"})
    done, said = outcome(task, data)
    assert done or (task is fit and not abs(value) < 1e300)
    if done:
        assert said == outcome_of_a_neighbour(task)


ARRAYS: list[Any] = [
    *(value for value in OBJECTS if not isinstance(value, list | dict | tuple)), 1e308, -1e308, 5e-324
]  # fmt: skip


def array_with(value: Any, columns: int) -> Any:
    array = np.full((COUNT, columns), 1000.0).astype(object)
    array[-1, 0] = value
    try:
        numbers = np.array(array.tolist())
    except (ValueError, TypeError, OverflowError):
        return array
    return array if numbers.dtype.kind in "USO" else numbers


USUAL = np.full((COUNT, 2), 1000.0), np.full(COUNT, 1000.0)


@pytest.fixture(scope="module")
def fitted() -> PrivateRidge:
    with pytest.warns(HopelessFitWarning):
        return PrivateRidge(random_state=0).fit(*USUAL)


@pytest.mark.parametrize("value", ARRAYS, ids=lambda value: type(value).__name__)
@pytest.mark.parametrize("kind", ["object", "natural", "list"])
@pytest.mark.filterwarnings("ignore:Warning. converting a masked")
def test_a_value_of_an_array(value: Any, kind: str, fitted: PrivateRidge):
    features, labels = array_with(value, 2), array_with(value, 1)[:, 0]
    if kind == "object":
        features, labels = features.astype(object), labels.astype(object)
    if kind == "list":
        features, labels = features.tolist(), labels.tolist()
    assert_alike(lambda: PrivateRidge(random_state=0).fit(features, USUAL[1]))
    assert_alike(lambda: PrivateRidge(random_state=0).fit(USUAL[0], labels))
    assert_alike(lambda: PrivateLogisticRegression(random_state=0).fit(features, np.arange(COUNT) % 2))
    assert_alike(lambda: PrivateLogisticRegression(random_state=0).fit(USUAL[0], labels))
    assert_alike(lambda: clipped_mean(features, 1.0))
    with np.errstate(over="ignore"):
        assert_alike(lambda: fitted.predict(features))


WORDS = (
    "Input X contains",
    "Input y contains",
    "Unknown label type",
    "Support for labels represented as bytes",
    "float() argument must be",
)


def assert_alike(run: Callable[[], object]) -> None:
    """Done without a warning but that of few records, or of a released label, or refused without a quote.

    scikit-learn's own words are let through where they name shapes, types and what is not finite.
    """
    refused: Exception | None = None
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            run()
        except (ValueError, TypeError) as error:
            refused = error
    about_records = [each for each in caught if each.category is not SimulatedNoiseWarning]
    told = {str(each.message).partition(" records")[0] for each in about_records}
    assert {each for each in told if not each.startswith("No label was seen")} <= {"60"}
    if refused is not None:
        assert_quotes_nothing(refused)
        assert isinstance(refused, RelgaussError) or str(refused).startswith(WORDS)


@given(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), max_size=20))
def test_a_field_is_one_row_whatever_it_holds(tmp_path_factory: pytest.TempPathFactory, text: str):
    file = tmp_path_factory.mktemp("fields") / "x.csv"
    with file.open("w", newline="", encoding="utf-8") as opened:
        csv.writer(opened).writerows([("job", "pay"), ("a", 1), ("a", text), ("a", 2)])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        release = means(file)
    assert release.sizes.tolist() == [3]
