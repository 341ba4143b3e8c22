"""The mechanisms by name: what ``calibrate``, ``compare`` and the command line choose from.

``auto`` tries them in this order, and takes the earlier of two that are equally good.
"""

from __future__ import annotations

from relgauss import validate
from relgauss.errors import InvalidParameterError
from relgauss.mechanisms.base import Mechanism
from relgauss.mechanisms.gaussian import Gaussian
from relgauss.mechanisms.isometric import IsometricGaussian
from relgauss.mechanisms.relative import RelativeGaussian
from relgauss.mechanisms.self_description import Sensitivity
from relgauss.mechanisms.sensitivity import AbsoluteSensitivity, RelativeSensitivity

AUTO = "auto"

_BY_NAME: dict[str, type[Mechanism]] = {}


def register(mechanism: type[Mechanism]) -> None:
    """Make a mechanism known by its name, the last in order.

    Parameters
    ----------
    mechanism
        A class that derives from ``Mechanism``; its ``name`` must be free.
    """
    _refuse_unfinished(mechanism)
    if mechanism.name == AUTO or mechanism.name in _BY_NAME:
        raise InvalidParameterError(
            "name", mechanism.name, "a name that is not taken", "Give the mechanism another name."
        )
    _BY_NAME[mechanism.name] = mechanism


def _refuse_unfinished(mechanism: object) -> None:
    """Refuse a class that calibration or comparison would stumble over later."""
    if not (isinstance(mechanism, type) and issubclass(mechanism, Mechanism)):
        raise InvalidParameterError(
            "mechanism", mechanism, "a class that derives from Mechanism", "Pass the class itself."
        )
    missing = sorted(mechanism.__abstractmethods__)
    missing += [each for each in ("name", "bound_kind") if not hasattr(mechanism, each)]
    if missing:
        raise InvalidParameterError(
            "mechanism", mechanism.__name__, f"complete: it lacks {', '.join(missing)}", "Define them."
        )


for _mechanism in (IsometricGaussian, RelativeGaussian, Gaussian):
    register(_mechanism)


def names() -> tuple[str, ...]:
    """The names of all mechanisms, in order."""
    return tuple(_BY_NAME)


def named(name: str) -> type[Mechanism]:
    """The mechanism of this name."""
    return _BY_NAME[validate.choice("mechanism", name, names())]


def exactly_gaussian(sensitivity: Sensitivity, dim: int, noise_multiplier: float) -> Mechanism:
    """The mechanism for this bound whose release is exactly mu-GDP, mu = 1/noise_multiplier."""
    if isinstance(sensitivity, AbsoluteSensitivity):
        return Gaussian(sensitivity, dim, noise_multiplier)
    return IsometricGaussian(sensitivity, dim, noise_multiplier)


def candidates(sensitivity: Sensitivity) -> tuple[type[Mechanism], ...]:
    """The mechanisms that take this kind of bound, in order."""
    if not isinstance(sensitivity, RelativeSensitivity | AbsoluteSensitivity):
        raise InvalidParameterError(
            "sensitivity",
            sensitivity,
            "a RelativeSensitivity or an AbsoluteSensitivity",
            "Build one from your bound.",
        )
    return tuple(each for each in _BY_NAME.values() if isinstance(sensitivity, each.bound_kind))
