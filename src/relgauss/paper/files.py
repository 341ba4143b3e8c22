"""Reading LIBSVM text, .npz and .csv files, with one clear line for whatever is wrong with them."""

from __future__ import annotations

import bz2
import gzip
import io
import itertools
import zipfile
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import IO

import numpy as np
from numpy.typing import NDArray

from relgauss.errors import TableError
from relgauss.paper.dataset import PUBLISHED, Dataset, Published

_BROKEN = (OSError, EOFError, ValueError, KeyError, IndexError, zipfile.BadZipFile, zlib.error)
Arrays = tuple[NDArray[np.float32], NDArray[np.float64]]


def read_files(files: Sequence[Path], expected: Published | None = None) -> Dataset:
    """One data set from files that follow each other; without ``expected`` it is told by its width."""
    parts = [_read(file, expected) for file in files]
    widths = {part[0].shape[1] for part in parts}
    named = " and ".join(file.name for file in files)
    if len(widths) > 1:
        raise TableError(f"{named} have unlike numbers of features.", "Pass files of one data set.")
    features = np.concatenate([part[0] for part in parts])
    labels = np.concatenate([part[1] for part in parts])
    published = expected or _told_by_width(named, features.shape[1])
    return _checked(published, features, labels, named)


def _read(file: Path, expected: Published | None) -> Arrays:
    if not file.is_file():
        kind = "is a folder" if file.is_dir() else "does not exist"
        raise TableError(f"The data file {file} {kind}.", "Pass a LIBSVM text (or .bz2) or .npz file.")
    most = max(each.most_rows for each in PUBLISHED) if expected is None else expected.most_rows
    try:
        if file.suffix == ".npz":
            return _from_npz(file, most)
        if file.name.endswith((".csv", ".csv.gz")):
            return _from_csv(file, most)
        return _from_libsvm(file, most)
    except _BROKEN as problem:
        raise TableError(
            f"The data file {file} cannot be read ({type(problem).__name__}): truncated, or of another kind.",
            "Fetch it again; LIBSVM text, .bz2 of it, .npz with X and y, and .csv with a label are read.",
        ) from None


def _from_npz(file: Path, most: int) -> Arrays:
    with np.load(file, allow_pickle=False) as arrays:
        features = np.asarray(arrays["X"][:most], dtype=np.float32)
        labels = np.asarray(arrays["y"][:most], dtype=np.float64)
    if features.ndim != 2 or labels.shape != features.shape[:1]:
        raise ValueError("X and y do not belong together")
    return features, labels


def _from_csv(file: Path, most: int) -> Arrays:
    """A header, one column named label, numbers everywhere."""
    with _opened(file) as stream:
        header = stream.readline().decode().strip().lower().split(",")
        column = header.index("label")
        lines = list(itertools.islice(stream, most))
    table = np.loadtxt(io.BytesIO(b"".join(lines)), delimiter=",", ndmin=2)
    return np.delete(table, column, axis=1).astype(np.float32), table[:, column]


def _from_libsvm(file: Path, most: int) -> Arrays:
    from sklearn.datasets import load_svmlight_file

    with _opened(file) as stream:
        text = b"".join(itertools.islice(stream, most))
    if not text.endswith(b"\n"):
        raise EOFError("the last line is cut off")
    features, labels = load_svmlight_file(io.BytesIO(text), dtype=np.float64)
    return np.asarray(features.toarray(), dtype=np.float32), np.asarray(labels, dtype=np.float64)


def _opened(file: Path) -> IO[bytes] | gzip.GzipFile:
    if file.suffix == ".bz2":
        return bz2.open(file, "rb")
    if file.suffix == ".gz":
        return gzip.open(file, "rb")
    return file.open("rb")


def _told_by_width(named: str, width: int) -> Published:
    for each in PUBLISHED:
        if each.dim == width:
            return each
    known = " and ".join(f"{each.dim} ({each.name})" for each in PUBLISHED)
    raise TableError(
        f"{named} has {width} features; the paper's data have {known}.", "Pass one of those files."
    )


def _checked(
    published: Published, features: NDArray[np.float32], labels: NDArray[np.float64], named: str
) -> Dataset:
    rows, width = features.shape
    if width != published.dim:
        raise TableError(
            f"{named} has {width} features; {published.name} has {published.dim}.",
            "Check that the file is complete and the right one.",
        )
    if published.row_counts and rows not in published.row_counts:
        known = f"{published.row_counts[0]:,}"
        raise TableError(
            f"{named} has {rows:,} rows; {published.name} has {known}.",
            "The file is truncated or another one: fetch it again.",
        )
    if not np.isfinite(features).all():
        raise TableError(f"{named} holds features that are no numbers.", "Fetch the file again.")
    low, high = published.label_values
    if not np.isin(labels, (low, high)).all() or len(np.unique(labels)) < 2:
        raise TableError(
            f"{named} holds labels other than {low:+g} and {high:+g}, or only one of them.".replace(
                "+0", "0"
            ),
            f"Pass the published {published.name} file.",
        )
    return Dataset(published.name, features, np.where(labels == high, 1.0, -1.0), named)
