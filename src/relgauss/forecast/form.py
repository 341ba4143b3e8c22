"""The form of values, as a user states it before anything is read: "lognormal:0.5", "lognormal:0.05-0.2"."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.special import ndtr

from relgauss import validate
from relgauss.arrays import FloatArray
from relgauss.errors import InvalidParameterError

FORMS = ("lognormal", "normal", "exponential")
_LEAST, _MOST = 1e-3, 5.0
_FIX = "Pass for example 'lognormal:0.5', 'lognormal:0.05-0.2', 'normal:0.2' or 'exponential'."


@dataclass(frozen=True)
class Form:
    """How the values of a group are distributed around their scale, and how many are 0 or missing.

    lognormal:s, scale times e^(s Z); normal:s, scale times 1 + s Z, with Z standard normal; exponential, with
    the scale as its mean.

    Attributes
    ----------
    name
        One of ``FORMS``.
    spread, most
        The s above, which groups have in common; or its least and its largest, where groups differ: even on
        a logarithmic axis.
    zeros
        The share of values that are 0, beside the others.
    missing
        The share of rows without a value.
    typical
        The least and the largest scale of a group, in the public range; between them scales are even on a
        logarithmic axis. None: the middle third of the range.
    """

    name: str
    spread: float
    most: float
    zeros: float = 0.0
    missing: float = 0.0
    typical: tuple[float, float] | None = None

    def spreads(self, groups: int, rng: np.random.Generator) -> FloatArray:
        """A spread for each of so many groups."""
        return np.asarray(self.spread * (self.most / self.spread) ** rng.uniform(size=groups))

    def scales(self, groups: int, low: float, high: float, rng: np.random.Generator) -> FloatArray:
        """A scale for each of so many groups, in this public range."""
        if self.typical is not None:
            least, most = map(math.log, self.typical)
        else:
            third = math.log(high / low) / 3
            least, most = math.log(low) + third, math.log(high) - third
        return np.asarray(np.exp(least + (most - least) * rng.uniform(size=groups)), dtype=np.float64)

    def below(self, ratios: FloatArray, spreads: FloatArray) -> FloatArray:
        """The share of the values other than 0 below these multiples of the scale, a row for each group."""
        if self.name == "lognormal":
            return np.asarray(ndtr(np.log(ratios) / spreads[:, None]), dtype=np.float64)
        if self.name == "normal":
            return np.asarray(ndtr((ratios - 1) / spreads[:, None]), dtype=np.float64)
        return np.asarray(-np.expm1(-ratios), dtype=np.float64)

    def text(self) -> str:
        """The form in words."""
        words = self.name
        if self.name != "exponential":
            words += f" with spread {self.spread:g}" + (
                f" to {self.most:g}" if self.most > self.spread else ""
            )
        if self.typical is not None:
            least, most = self.typical
            words += f" around {least:,.6g}" + (f" to {most:,.6g}" if most > least else "")
        for share, what in ((self.zeros, "zeros"), (self.missing, "missing")):
            words += f", {100 * share:g} % {what}" if share else ""
        return words


def read_form(
    form: object,
    zeros: object,
    missing: object = 0.0,
    typical: object = None,
    value_range: tuple[float, float] = (0.0, math.inf),
) -> Form:
    """NAME:SPREAD or NAME:LEAST-MOST as a form; an exponential one has no spread of its own."""
    if not isinstance(form, str):
        raise InvalidParameterError("form", form, "NAME:SPREAD", _FIX)
    name, sign, spread = form.partition(":")
    if name not in FORMS or (name == "exponential") == bool(sign):
        raise InvalidParameterError("form", form, f"NAME:SPREAD with a NAME of {', '.join(FORMS)}", _FIX)
    shares = _share("zeros", zeros), _share("missing", missing), _typical(typical, *value_range)
    if not sign:
        return Form(name, 1.0, 1.0, *shares)
    ends = spread.split("-")
    try:
        least, most = float(ends[0]), float(ends[-1])
    except ValueError:
        raise InvalidParameterError("form", form, "NAME:SPREAD with a number", _FIX) from None
    known = all(math.isfinite(each) and _LEAST <= each <= _MOST for each in (least, most))
    if not known or len(ends) > 2 or least > most:
        raise InvalidParameterError(
            "form", form, f"of a spread between {_LEAST:g} and {_MOST:g}, or LEAST-MOST of them", _FIX
        )
    return Form(name, least, most, *shares)


def _typical(given: object, low: float, high: float) -> tuple[float, float] | None:
    """A number, or a pair of them, in the range."""
    if given is None:
        return None
    fix = "Pass a number such as 50000, or the least and the largest, such as (30000, 90000)."
    pair = tuple(given) if isinstance(given, tuple | list) else (given, given)
    if len(pair) != 2:
        raise InvalidParameterError("typical", given, "a number or a pair (low, high)", fix)
    least, most = (validate.positive("typical", each, fix) for each in pair)
    if not low <= least <= most <= high:
        raise InvalidParameterError("typical", given, f"from {low:g} to {high:g}, as the range is", fix)
    return least, most


def _share(name: str, value: object) -> float:
    share = validate.number(name, value, "Pass a share such as 0.1.")
    if not 0 <= share < 1:
        raise InvalidParameterError(name, value, "0 or above, and below 1", "Pass a share such as 0.1.")
    return share
