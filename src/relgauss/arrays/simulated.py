"""Arrays that came out of seeded noise: they are marked, as is what NumPy makes of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from relgauss.arrays import FloatArray


class SimulatedArray(np.ndarray[Any, np.dtype[np.float64]]):
    """An array that came out of seeded noise; the mark shows when it is printed.

    It survives arithmetic, indexing, iteration, NumPy's functions, copies and pickling; a single number is a
    marked array without dimension. It cannot survive what leaves NumPy's arrays or writes into another one:
    ``float``, ``tolist``, ``item``, ``flat``, ``np.array``, ``np.asarray``, ``plain += marked``, files, other
    libraries.
    """

    def __repr__(self) -> str:
        return f"Simulated, not private: {np.array2string(np.asarray(self), separator=', ')}"

    def __str__(self) -> str:
        return repr(self)

    def __format__(self, spec: str) -> str:
        plain = np.asarray(self)
        return f"Simulated, not private: {format(plain.item(), spec)}" if plain.ndim == 0 else repr(self)

    def __round__(self, digits: int = 0) -> Any:
        return self.round(digits)

    def __getitem__(self, key: Any) -> Any:
        return _mark_all(super().__getitem__(key))

    def __array_function__(
        self,
        func: Callable[..., Any],
        types: Iterable[type],
        args: Iterable[Any],
        kwargs: Any,
    ) -> Any:
        return _mark_all(super().__array_function__(func, types, args, kwargs))

    # The methods that would return a plain array or number.

    def argmax(self, *args: Any, **kwargs: Any) -> Any:
        return _mark_all(super().argmax(*args, **kwargs))

    def argmin(self, *args: Any, **kwargs: Any) -> Any:
        return _mark_all(super().argmin(*args, **kwargs))

    def dot(self, *args: Any, **kwargs: Any) -> Any:
        return _mark_all(super().dot(*args, **kwargs))

    def nonzero(self) -> Any:
        return _mark_all(super().nonzero())

    def round(self, *args: Any, **kwargs: Any) -> Any:
        return _mark_all(super().round(*args, **kwargs))

    def searchsorted(self, *args: Any, **kwargs: Any) -> Any:
        return _mark_all(super().searchsorted(*args, **kwargs))

    def take(self, *args: Any, **kwargs: Any) -> Any:
        return _mark_all(super().take(*args, **kwargs))

    def trace(self, *args: Any, **kwargs: Any) -> Any:
        return _mark_all(super().trace(*args, **kwargs))


def mark(value: FloatArray) -> SimulatedArray:
    """Mark a result of simulated noise."""
    return value.view(SimulatedArray)


def is_marked(value: object) -> bool:
    """Whether a value is a result of simulated noise, or a list of which a part is."""
    if isinstance(value, list | tuple):
        return any(map(is_marked, value))
    return isinstance(value, SimulatedArray)


def _mark_all(result: Any) -> Any:
    """The arrays and NumPy's numbers in a result, marked; Python's own numbers and texts as they are."""
    if type(result) is np.ndarray or isinstance(result, np.generic):
        return np.asarray(result).view(SimulatedArray)
    if isinstance(result, tuple) and hasattr(result, "_make"):
        return result._make(map(_mark_all, result))
    if isinstance(result, tuple | list):
        return type(result)(map(_mark_all, result))
    return result
