"""What scikit-learn refuses, in an error of ours: its words, where they may be said, and what to do about it.

Some of its messages quote the array; what a message may say is listed here, and all else is reworded. Its
wording stays where it may, since its own checks of estimators look for it.
"""

from __future__ import annotations

from relgauss.errors import InvalidValueError
from relgauss.linear_model.input_types import SHOWN, TEXT_FIX, TEXT_OF_ARRAY_FIX

SPARSE_FIX = "Make them dense: frame.sparse.to_dense() in pandas, matrix.toarray() in SciPy."
LABEL_FIX = (
    "Say by a public rule what such a label counts as, such as y.fillna(0), or leave such records out, if it "
    "may be known who they are."
)
_ORDER_FIX = "Pass the columns of the fit, in its order: frame[model.feature_names_in_]."
_CLEAN_FIX = "Clean the column, or leave it out."

# Messages that name shapes, types, names of columns, or that a value is not finite; what to do about each.
_PUBLIC = {
    "Feature names are only supported": "Name all by text: frame.columns = frame.columns.astype(str).",
    "Found array with 0 sample": "Pass at least one record.",
    "Found array with 0 feature": "Pass at least one feature.",
    "Found array with ": "Pass a matrix, with a row for each record.",
    "Found input variables with inconsistent numbers of samples": "Pass a label for each record.",
    "Input X contains ": _CLEAN_FIX,
    "Input y contains ": LABEL_FIX,
    "The feature names should match": _ORDER_FIX,
    "This ": "Pass the labels: fit(X, y).",
    "X has ": "Pass the columns of the fit, and no others.",
    "float() argument must be": "Pass a matrix of numbers, or a data frame.",
    "y should be a 1d array": "Pass one label for each record; fit a model for each of several targets.",
}
_LABEL_TYPES = {
    "Unknown label type: continuous": "Some are not whole: pass classes=[a, b, ...], or fit a PrivateRidge.",
    "Unknown label type": "Make all labels text, or all of them numbers.",
}


class WrongTypeError(InvalidValueError, TypeError):
    """What was passed is of a type that holds no records; scikit-learn wants a TypeError there."""


def in_our_words(error: Exception, columns: str) -> InvalidValueError:
    """The error that tells of one of scikit-learn or NumPy; ``columns`` of a frame hold no numbers."""
    message = str(error)
    for start, fix in _PUBLIC.items():
        if message.startswith(start):
            kind = WrongTypeError if isinstance(error, TypeError) else InvalidValueError
            return kind(_as_cause(message), fix)
    if message.startswith(("Sparse data was passed", "fill value must be 0")):
        return InvalidValueError("The table is sparse.", SPARSE_FIX)
    if message.startswith("Complex data"):
        return InvalidValueError("Complex data not supported.", "Pass real numbers.")
    if message.startswith("np.matrix"):
        return WrongTypeError("A np.matrix is not taken.", "Pass an array: np.asarray(X).")
    if message.startswith("Expected 2D array"):
        return InvalidValueError(f"{message.partition(':')[0]}.", "Reshape your data: a row for each record.")
    if message.startswith(("could not convert", "Cannot cast", "float() argument")) or columns:
        return InvalidValueError(
            f"The table holds text where numbers are needed{columns}.",
            TEXT_FIX if columns else TEXT_OF_ARRAY_FIX,
        )
    return InvalidValueError("The records are no arrays of numbers.", "Pass a matrix and a vector of floats.")


def of_label_types(error: Exception) -> InvalidValueError:
    """The error that tells of labels whose type is none of classes."""
    message = str(error)
    for start, fix in _LABEL_TYPES.items():
        if message.startswith(start):
            return InvalidValueError(f"{message.partition('.')[0]}.", fix)
    if "bytes" in message:
        return WrongTypeError("The labels are bytes.", "Make them text: label.decode().")
    return InvalidValueError("The labels are lists.", "Pass one label for each record, a text or a number.")


def columns_of_text(table: object) -> str:
    """Which columns of a frame are of a type that holds no numbers; types are public."""
    import narwhals as nw

    frame = nw.from_native(table, pass_through=True, eager_only=True)
    if not isinstance(frame, nw.DataFrame):
        return ""
    names = [name for name, kind in frame.schema.items() if not (kind.is_numeric() or kind == nw.Boolean)]
    return f": in {', '.join(map(repr, names[:SHOWN]))}" if names else ""


def _as_cause(message: str) -> str:
    """A message as a sentence; a list of columns keeps its lines, as scikit-learn's checks look for them."""
    if message.endswith("\n"):
        return f"{message.rstrip()}\n"
    first = message.partition(", but your input has")[0]
    return first if first.endswith(".") else f"{first}."
