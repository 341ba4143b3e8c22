"""Which data a reproduction uses: a given file or folder, RELGAUSS_DATA, else the embedded stand-ins."""

from __future__ import annotations

import os
from pathlib import Path

from relgauss.errors import TableError
from relgauss.paper.dataset import HIGGS, IJCNN1, Dataset, Name
from relgauss.paper.files import read_files
from relgauss.paper.stand_in import stand_in

VARIABLE = "RELGAUSS_DATA"


def data_path(path: Path | None) -> Path | None:
    """The given path, or else what RELGAUSS_DATA names."""
    named = os.environ.get(VARIABLE)
    return path or (Path(named) if named else None)


class DataFinder:
    """Gives each data set; its ``source`` says what it is, so that no stand-in passes for data."""

    def __init__(self, path: Path | None = None) -> None:
        self._path = data_path(path)
        self._found: dict[Name, Dataset] = {}
        if self._path is not None:
            self._open(self._path)

    def _open(self, path: Path) -> None:
        """Read what the user named, at once: a wrong path is to be met before any work."""
        if not path.exists():
            raise TableError(
                f"The data path {path} does not exist.", f"Check --data and {VARIABLE}, or leave both out."
            )
        if path.is_file():
            found = read_files([path])
            self._found[found.name] = found
            return
        for published in (IJCNN1, HIGGS):
            names = next((each for each in published.file_names if _all_in(path, each)), None)
            if names is not None:
                files = [path / name for name in names]
                self._found[published.name] = read_files(files, published)
        if not self._found:
            first = " or ".join(" with ".join(each) for each in IJCNN1.file_names[:2])
            raise TableError(f"The folder {path} holds none of the data sets.", f"It should hold {first}.")

    def get(self, name: Name) -> Dataset:
        """The data set, or its stand-in if no file of it was named."""
        if name not in self._found:
            self._found[name] = stand_in(name)
        return self._found[name]


def _all_in(folder: Path, names: tuple[str, ...]) -> bool:
    return all((folder / name).is_file() for name in names)
