"""The form of values, as a user states it before anything is read: "lognormal:0.5"."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.special import ndtr

from relgauss import validate
from relgauss.arrays import FloatArray
from relgauss.errors import InvalidParameterError

FORMS = ("lognormal", "normal", "exponential")
_FIX = "Pass for example 'lognormal:0.5', 'normal:0.2' or 'exponential'."


@dataclass(frozen=True)
class Form:
    """How the values of a group are distributed around their scale, and how many of them are 0.

    lognormal:s, scale times e^(s Z); normal:s, scale times 1 + s Z, with Z standard normal; exponential, with
    the scale as its mean.

    Attributes
    ----------
    name
        One of ``FORMS``.
    spread
        The s above.
    zeros
        The share of values that are 0, beside the others.
    """

    name: str
    spread: float
    zeros: float = 0.0

    def below(self, ratios: FloatArray) -> FloatArray:
        """The share of the values other than 0 that lie below these multiples of the scale."""
        if self.name == "lognormal":
            return np.asarray(ndtr(np.log(ratios) / self.spread), dtype=np.float64)
        if self.name == "normal":
            return np.asarray(ndtr((ratios - 1) / self.spread), dtype=np.float64)
        return np.asarray(-np.expm1(-ratios), dtype=np.float64)

    def text(self) -> str:
        """The form in words."""
        words = self.name if self.name == "exponential" else f"{self.name} with spread {self.spread:g}"
        return words if not self.zeros else f"{words}, {100 * self.zeros:g} % zeros"


def read_form(form: object, zeros: object) -> Form:
    """NAME:SPREAD as a form; an exponential one has no spread of its own."""
    if not isinstance(form, str):
        raise InvalidParameterError("form", form, "NAME:SPREAD", _FIX)
    name, sign, spread = form.partition(":")
    if name not in FORMS or (name == "exponential") == bool(sign):
        raise InvalidParameterError("form", form, f"NAME:SPREAD with a NAME of {', '.join(FORMS)}", _FIX)
    share = validate.number("zeros", zeros, "Pass a share such as 0.1.")
    if not 0 <= share < 1:
        raise InvalidParameterError("zeros", zeros, "0 or above, and below 1", "Pass a share such as 0.1.")
    if not sign:
        return Form(name, 1.0, share)
    try:
        number = float(spread)
    except ValueError:
        raise InvalidParameterError("form", form, "NAME:SPREAD with a number", _FIX) from None
    if not 1e-3 <= number <= 5 or not math.isfinite(number):
        raise InvalidParameterError("form", form, "of a spread between 0.001 and 5", _FIX)
    return Form(name, number, share)
