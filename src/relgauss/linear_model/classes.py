"""The classes of a classifier: public if they are stated, assumed to be if they are read from the labels.

A label becomes the number of its class, in sorted order as scikit-learn has it, and -1 if it is none of them:
record by record, so that no label, whatever it is, decides anything for the others. A fit takes -1 for 0, the
first class, and releases how many there are. That no label is missing is public, as it is of numbers.
"""

from __future__ import annotations

import numbers
from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.multiclass import check_classification_targets

from relgauss.arrays import FloatArray
from relgauss.budget import Condition
from relgauss.errors import InvalidParameterError, InvalidValueError
from relgauss.linear_model.input_errors import of_label_types
from relgauss.linear_model.input_types import refuse_masked
from relgauss.records.blocks import Rows
from relgauss.records.cells_as_text import is_missing
from relgauss.records.class_column import NO_CLASS

_NUMBERS, _TEXT, _ANY = "biuf", "U", "O"  # kinds of NumPy types
_MOST_READ = 20  # classes that are taken from labels; more look like a number that is measured
_FIX = "Pass the labels that there may be, such as [0, 1] or ['no', 'yes']."


def stated_classes(classes: object) -> NDArray[Any]:
    """The classes that the user states, sorted."""
    listed = list(classes) if isinstance(classes, Iterable) and not isinstance(classes, str | bytes) else []
    is_text = all(isinstance(each, str) for each in listed)
    if not is_text and not all(_is_finite_number(each) for each in listed):
        raise InvalidParameterError("classes", classes, "finite numbers, or texts", _FIX)
    found = np.unique(np.array(listed))
    if len(listed) < 2 or len(found) < len(listed):
        raise InvalidParameterError("classes", classes, "a list of two or more different labels", _FIX)
    return found


def _is_finite_number(value: object) -> bool:
    return isinstance(value, numbers.Real | np.bool_) and bool(np.isfinite(float(value)))


def read_classes(labels: NDArray[Any]) -> NDArray[Any]:
    """The classes that the labels hold, sorted; dates are refused, and so many that they look measured."""
    if labels.dtype.kind in "mM":
        raise InvalidValueError("The labels are dates.", "Make them text, or numbers.")
    with np.errstate(all="ignore"):  # a warning would tell of a record
        try:
            check_classification_targets(labels)
        except (ValueError, TypeError) as error:
            raise of_label_types(error) from None
        found: NDArray[Any] = np.unique(labels)
    if len(found) > _MOST_READ:
        raise InvalidValueError(
            f"The labels hold more than {_MOST_READ} classes.",
            "Pass classes=[a, b, ...], all that there may be, or fit a PrivateRidge to numbers.",
        )
    return found


def check_zero_or_one(rows: Rows) -> None:
    """Refuse numbers that are not the classes which are taken for granted; one pass over the records."""
    other = rows.total(lambda block: np.array([np.count_nonzero((block.labels != 0) & (block.labels != 1))]))
    if other[0] > 0:
        raise InvalidValueError(
            "The target holds other numbers than the classes 0 and 1.",
            "Pass classes=[a, b, ...], the numbers that there may be.",
        )


def label_column(y: ArrayLike, classes: NDArray[Any]) -> FloatArray:
    """The number of each label's class, -1 for all others.

    Their type is public and has to be that of the classes, and none may be missing; nothing else about them
    is checked. A list has no type: one text in it would make texts of all numbers; nor have categories of
    pandas, which infers theirs.
    """
    has_type = not isinstance(y, list | tuple) and str(getattr(y, "dtype", "")) != "category"
    labels = np.asarray(y, dtype=None if has_type else object)
    if labels.ndim == 2 and labels.shape[1] == 1:
        labels = labels[:, 0]
    if labels.ndim != 1:
        raise InvalidValueError(
            f"The labels are an array of the shape {labels.shape}.",
            "Pass a 1d array, a label for each record.",
        )
    kind, known = labels.dtype.kind, _public_kind(y, labels)
    if known != _ANY and not (
        (known in _NUMBERS and classes.dtype.kind in _NUMBERS) or known == classes.dtype.kind == _TEXT
    ):
        shown = getattr(y, "dtype", labels.dtype)
        raise InvalidValueError(
            f"The labels are of the type {shown}, the classes of {classes.dtype}.",
            "Pass labels and classes that are both numbers, or both text.",
        )
    refuse_missing(y)
    coded = np.full(len(labels), NO_CLASS)
    for number, each in enumerate(classes.tolist()):
        is_this = (
            np.array([_is_same(label, each) for label in labels], dtype=bool)
            if kind == _ANY
            else labels == each
        )
        coded[is_this] = number
    return coded


def refuse_missing(y: ArrayLike) -> None:
    """Refuse labels that are missing, before anything is spent."""
    refuse_masked(y)
    # NumPy makes text of a NaN that is in a list with texts.
    labels = np.asarray(y, dtype=object if isinstance(y, list | tuple) else None)
    if labels.dtype.kind == _ANY:
        are_missing = any(map(is_missing, labels.flat))
    else:
        are_missing = labels.dtype.kind == "f" and bool(np.isnan(labels).any())
    if are_missing:
        raise InvalidValueError(
            "Some labels are missing.",
            "Say by a public rule what they count as, such as y.fillna('no'), or leave such records out, if "
            "it may be known who has none.",
        )


def _public_kind(y: ArrayLike, labels: NDArray[Any]) -> str:
    """Numbers, text, or either in a column of Python objects, whose type says nothing of them.

    NumPy has no type for the text and the missing numbers of data frames, so their own type is asked.
    """
    import narwhals as nw

    if labels.dtype.kind != _ANY or getattr(y, "dtype", None) == np.dtype(object):
        return labels.dtype.kind
    series = nw.from_native(y, series_only=True, pass_through=True)
    if isinstance(series, nw.Series) and series.dtype == nw.String:
        return _TEXT
    return _NUMBERS[0] if isinstance(series, nw.Series) and series.dtype.is_numeric() else _ANY


def _is_same(label: object, one: object) -> bool:
    """Whatever cannot be compared is another label: an error would tell of a record."""
    try:
        return bool(label == one)
    except (TypeError, ValueError, ArithmeticError):
        return False


def classes_condition(classes: NDArray[Any], *, are_stated: bool) -> Condition:
    """The condition about classes in a statement: they were stated, or are assumed to be public."""
    first, *others = [repr(each) for each in classes.tolist()]
    if are_stated:
        return Condition(f"a label other than {_listed(others, 'or')} counts as {first}", "enforced")
    return Condition(f"which classes there are is public: {_listed([first, *others], 'and')}", "assumed")


def _listed(names: list[str], link: str) -> str:
    *before, last = names
    return f"{', '.join(before)} {link} {last}" if before else last
