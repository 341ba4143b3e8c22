"""``relgauss reproduce``: the paper's experiments again, on its data or on stand-ins, with our lines."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

from relgauss.cli import options, output
from relgauss.cli.files import check_new_files, write_all
from relgauss.cli.progress import progress
from relgauss.cli.reproduce_claims import check_claims
from relgauss.errors import InvalidParameterError
from relgauss.paper.experiment import DELTA, PanelResult, run_panel_not_private
from relgauss.paper.find import VARIABLE, DataFinder, data_path
from relgauss.paper.methods_not_private import METHODS, OURS
from relgauss.paper.panels import PANELS, Panel
from relgauss.paper.plot_files import files_of, make_folder, write_results
from relgauss.paper.plots import ILLUSTRATIVE, STRICT
from relgauss.paper.strict import METHODS as STRICT_METHODS
from relgauss.paper.strict import run_panel_strict
from relgauss.report.style import check_plot_file
from relgauss.report.wording import number
from relgauss.rounding import round_up

_RUNS = 3

Data = Annotated[
    Path | None,
    typer.Option(
        "--data",
        metavar="PATH",
        help=f"A LIBSVM, .bz2 or .npz file, or their folder. Default: {VARIABLE}, else stand-ins.",
        show_default=False,
    ),
]
Panels = Annotated[
    list[str] | None,
    typer.Option(
        "--panel",
        metavar="NAME",
        help=f"Only these: {', '.join(each.name for each in PANELS)}.",
        show_default=False,
    ),
]
Out = Annotated[Path, typer.Option("--out", metavar="FOLDER", help="Where figures and curves go.")]
Quick = Annotated[bool, typer.Option("--quick", help="One run in place of three: the shape only.")]
Strict = Annotated[
    bool,
    typer.Option("--strict", help="Pay for all that is read from the data. Secure noise without --seed."),
]
Claims = Annotated[bool, typer.Option("--claims", help="Check the paper's claims instead.")]
Seed = Annotated[
    int | None, typer.Option(min=0, help="Make splits and noise repeatable.", show_default=False)
]


def reproduce(
    *,
    data: Data = None,
    panel: Panels = None,
    out: Out = Path("relgauss-paper"),
    quick: Quick = False,
    strict: Strict = False,
    claims: Claims = False,
    seed: Seed = None,
    force: options.Force = False,
    json: options.AsJson = False,
) -> None:
    """Draw the paper's figures again, with exact accounting and other mechanisms beside.

    Curves take their constants from the data, as the paper's do: they are illustrative, not private. With
    --strict everything is paid for, and the whole run's epsilon is proven.
    """
    if claims:
        check_claims(out, force, json)
        return
    chosen = _chosen(panel or [])
    make_folder(out)
    files = files_of(chosen, strict, out)
    check_new_files(files, _may_be_read(data), force)
    check_plot_file(files[0])
    finder = DataFinder(data)
    rng = np.random.default_rng(seed)
    runs = 1 if quick else _RUNS
    noise = rng if seed is not None else None
    methods = STRICT_METHODS if strict else tuple(METHODS)
    with output.collect_notes() as notes, progress(len(chosen) * runs * len(methods)) as advance:
        results = [
            run_panel_strict(each, finder.get(each.data), runs, rng, noise, advance)
            if strict
            else run_panel_not_private(each, finder.get(each.data), runs, rng, methods, advance)
            for each in chosen
        ]
    failed = write_all([partial(write_results, results, out, replace=force)])
    if json:
        panels = [_as_dict(each) for each in results]
        names = [str(file) for file in files] if failed is None else []
        output.print_json({"panels": panels, "files": names})
    else:
        for result in results:
            _print(result)
        if notes:
            output.print_hanging(f"Note: {OURS}, where eta is largest: {notes[-1]}", indent=6)
    if failed is not None:
        raise failed
    if json:
        return
    output.print_line(f"Files: {files[0].parent}: {', '.join(file.name for file in files)}")


def _may_be_read(data: Path | None) -> list[Path]:
    """The files among which data are looked for: one, or all that lie in a folder."""
    path = data_path(data)
    if path is None:
        return []
    return [file for file in path.iterdir() if file.is_file()] if path.is_dir() else [path]


def _chosen(names: Sequence[str]) -> list[Panel]:
    known = {each.name: each for each in PANELS}
    for name in names:
        if name not in known:
            raise InvalidParameterError(
                "panel", name, f"one of {', '.join(known)}", "Or leave it out for all of them."
            )
    return [known[name] for name in names] or list(PANELS)


def _as_dict(result: PanelResult) -> dict[str, Any]:
    return {
        "panel": result.panel.name,
        "in_paper": result.panel.in_paper or None,
        "data": result.source,
        "epsilon_of_a_release": result.panel.epsilon,
        "strict": result.strict,
        "simulated": result.simulated,
        "delta": DELTA,
        "methods": {
            curve.method: {
                "final_error": curve.final.tolist(),
                "over_noiseless": result.over_noiseless(curve.method).tolist(),
                "epsilon": curve.epsilon,
            }
            for curve in result.curves
        },
        "missing": result.missing,
    }


def _print(result: PanelResult) -> None:
    where = f" ({result.panel.in_paper})" if result.panel.in_paper else ""
    output.print_line(f"{result.panel.title}{where}")
    output.print_hanging(f"data: {result.source}", indent=6)
    kind = STRICT if result.strict else ILLUSTRATIVE
    if result.strict:
        kind += "; noise simulated, so nothing is private" if result.simulated else "; secure noise"
    promise = "ε of a run" if result.strict else "ε if the constants held"
    table = output.new_table("method", "final error", "over noiseless", f"{promise}, δ = {number(DELTA)}")
    for curve in result.curves:
        ratios = result.over_noiseless(curve.method)
        epsilon = "-" if curve.epsilon is None else round_up(curve.epsilon, 3)
        span = f"{np.median(ratios):.3g}  ({ratios.min():.3g} to {ratios.max():.3g})"
        table.add_row(curve.method, f"{np.median(curve.final):.3g}", span, epsilon)
    output.print_hanging(kind, indent=0)
    output.console.print(table)
    for method, reason in result.missing.items():
        output.print_hanging(f"{method}: {reason}", indent=2)
    output.console.print()
