"""The statistics that there are, and what is probably meant by other words for them."""

from __future__ import annotations

import re

from relgauss.errors import InvalidParameterError

PLAIN = ("count", "sum", "mean", "std", "zeros", "missing")

_QUANTILE = re.compile(r"q(\d{1,2}(?:\.\d+)?)", re.ASCII)
_PER_UNIT = re.compile(r"[qp]0?\.(\d+)", re.ASCII)
_OTHER_WORDS = {
    **dict.fromkeys(("avg", "average"), "mean"),
    **dict.fromkeys(("n", "number"), "count"),
    **dict.fromkeys(("total",), "sum"),
    **dict.fromkeys(("sd", "stdev", "stddev", "stdev_samp", "standard deviation"), "std"),
    **dict.fromkeys(("med", "p50"), "median"),
    **dict.fromkeys(("null", "nulls", "na", "nan"), "missing"),
    **dict.fromkeys(("zero",), "zeros"),
    **dict.fromkeys(("min", "minimum"), "q1"),
    **dict.fromkeys(("max", "maximum", "q100", "p100"), "q99"),
    **dict.fromkeys(("q0", "p0"), "q1"),
    **dict.fromkeys(("var", "variance"), "std"),
}


def quantile_level(statistic: str) -> float | None:
    """0.5 for "median", 0.9 for "q90", 0.975 for "q97.5"; None for what is no quantile."""
    if statistic == "median":
        return 0.5
    found = _QUANTILE.fullmatch(statistic)
    level = float(found[1]) / 100 if found else 0.0
    return level if 0 < level < 1 else None


def _instead_of(statistic: str) -> str:
    """What was probably meant, and all that there is."""
    word = statistic.strip().lower()
    part, percent = _PER_UNIT.fullmatch(word), re.fullmatch(r"p(\d{1,2}(?:\.\d+)?)", word)
    meant = _OTHER_WORDS.get(word) or (word if word in (*PLAIN, "median") else None)
    if part is not None:
        meant = f"q{100 * float(f'0.{part[1]}'):.6g}"
        if quantile_level(f"q00.{part[1]}") is not None:
            return f"Write {meant}: levels are in per cent. For 0.{part[1]} % write q00.{part[1]}."
    elif percent is not None and meant is None:
        meant = f"q{percent[1]}"
    every = f"{', '.join(PLAIN)}, median, and quantiles above q0 and below q100, as q25 or q97.5"
    if meant is None or (meant.startswith("q") and quantile_level(meant) is None):
        return f"Choose from {every}."
    why = ""
    if word in ("min", "minimum", "max", "maximum", "q0", "p0", "q100", "p100"):
        why = ", the extreme is one person's value"
    elif word in ("var", "variance"):
        why = ", its root"
    return f"Write {meant}{why}; there are {every}."


def is_statistic(name: object) -> bool:
    """Whether there is a statistic of this name."""
    return isinstance(name, str) and (name in PLAIN or quantile_level(name) is not None)


def check_statistic(statistic: object, *, leaves_out_missing: bool) -> str:
    """A statistic that there is; the share of missing values is known only if they are left out."""
    if not is_statistic(statistic) or _PER_UNIT.fullmatch(str(statistic)):
        raise InvalidParameterError(
            "statistic", statistic, "the name of a statistic", _instead_of(str(statistic))
        )
    if statistic == "missing" and not leaves_out_missing:
        fix = "Pass missing='leave out', or do not ask for the share of missing values."
        raise InvalidParameterError("statistic", statistic, "asked where missing values are left out", fix)
    return str(statistic)
