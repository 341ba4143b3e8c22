"""The options that several commands take, and the bounds that they state."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from relgauss.errors import RelgaussError
from relgauss.mechanisms import registry
from relgauss.mechanisms.self_description import Sensitivity
from relgauss.mechanisms.sensitivity import AbsoluteSensitivity, Form, RelativeSensitivity

RESULT = "The result"
_BOUND, _TARGET = "The bound: how far replacing one record moves the answer", "The target"

Eta = Annotated[
    float | None,
    typer.Option(
        help="Relative bound: part of the answer's norm.", rich_help_panel=_BOUND, show_default=False
    ),
]
R = Annotated[
    float, typer.Option("--r", help="Part of a relative bound that stays at zero.", rich_help_panel=_BOUND)
]
FormOption = Annotated[
    Form,
    typer.Option(help="sqrt((eta·norm)² + r²), or eta·norm + r.", rich_help_panel=_BOUND),
]
Nonnegative = Annotated[
    bool,
    typer.Option("--nonnegative", help="Every answer is one number >= 0, publicly.", rich_help_panel=_BOUND),
]
Absolute = Annotated[
    float | None,
    typer.Option(help="Absolute bound, in the answer's unit.", rich_help_panel=_BOUND, show_default=False),
]
Dim = Annotated[int, typer.Option(help="Number of coordinates of the answer.", rich_help_panel=_TARGET)]
Epsilon = Annotated[float, typer.Option(help="Epsilon of all releases together.", rich_help_panel=_TARGET)]
Delta = Annotated[float, typer.Option(help="Delta of all releases together.", rich_help_panel=_TARGET)]
Steps = Annotated[int, typer.Option(help="Number of releases.", rich_help_panel=_TARGET)]
Norm = Annotated[
    float | None,
    typer.Option(
        help="Public size of the answer, to read errors at. Default: large.",
        rich_help_panel=_TARGET,
        show_default=False,
    ),
]
MechanismOption = Annotated[
    str,
    typer.Option(
        metavar="NAME",
        help=f"{', '.join(registry.names())}, or auto: the least error.",
        autocompletion=lambda: [registry.AUTO, *registry.names()],
        rich_help_panel=_TARGET,
    ),
]
Seed = Annotated[
    int | None,
    typer.Option(
        min=0,
        help="Simulate the noise: repeatable, not private.",
        rich_help_panel=RESULT,
        show_default=False,
    ),
]
LedgerFile = Annotated[
    Path | None,
    typer.Option(
        "--ledger",
        metavar="FILE",
        help="Reserve it there first; see `relgauss ledger`.",
        rich_help_panel=RESULT,
        show_default=False,
    ),
]
DryRun = Annotated[
    bool,
    typer.Option(
        "--dry-run",
        help="Forecast it from public numbers: read no private value, spend nothing.",
        rich_help_panel=RESULT,
    ),
]
Force = Annotated[bool, typer.Option("--force", help="Replace files that exist.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print plain JSON.")]
PlotFile = Annotated[
    Path | None, typer.Option("--plot", metavar="FILE", help="Draw a .png, .svg or .pdf.", show_default=False)
]


def stated_bounds(
    eta: float | None, r: float, form: Form, nonnegative: bool, absolute: float | None
) -> list[Sensitivity]:
    """The relative bound, the absolute one, or both."""
    bounds: list[Sensitivity] = []
    if eta is not None:
        bounds.append(RelativeSensitivity(eta, r, form, nonnegative))
    elif r != 0 or form != "quadratic" or nonnegative:
        raise RelgaussError(
            "--r, --form and --nonnegative are parts of a relative bound.",
            "Pass --eta too, or --absolute alone.",
        )
    if absolute is not None:
        bounds.append(AbsoluteSensitivity(absolute))
    if not bounds:
        raise RelgaussError("No bound is stated.", "Pass --eta and --r for a relative one, or --absolute.")
    return bounds


def one_bound(bounds: list[Sensitivity], mechanism: str) -> Sensitivity:
    """The only bound, which has to be of the kind that the mechanism needs."""
    if len(bounds) > 1:
        raise RelgaussError(
            "--eta and --absolute state two bounds.", "Pass one; `relgauss compare` takes both."
        )
    bound = bounds[0]
    if mechanism == registry.AUTO:
        return bound
    if mechanism not in registry.names():
        known = ", ".join((registry.AUTO, *registry.names()))
        raise RelgaussError(f"--mechanism {mechanism} is not known.", f"Choose one of {known}.")
    kind = registry.named(mechanism).bound_kind
    if not isinstance(bound, kind):
        needed, passed = (
            ("a relative", "--eta") if kind is RelativeSensitivity else ("an absolute", "--absolute")
        )
        other = "--absolute" if passed == "--eta" else "--eta"
        raise RelgaussError(
            f"--mechanism {mechanism} needs {needed} bound.",
            f"Pass {passed} in place of {other}, or another mechanism.",
        )
    return bound
