"""``relgauss audit``: a lower bound on epsilon from a mechanism's own outputs, beside what it claims."""

from __future__ import annotations

from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

from relgauss.audit import AuditReport
from relgauss.audit import audit as run_audit
from relgauss.audit.auditor import CONFIDENCE, SECURE_SAMPLES, SIMULATED_SAMPLES
from relgauss.cli import options, output
from relgauss.cli.files import check_new_files, write_new
from relgauss.cli.pages import Pages, ReportFile
from relgauss.cli.progress import progress
from relgauss.mechanisms import Mechanism
from relgauss.mechanisms import calibrate as find_mechanism
from relgauss.report.audit_curve import plot_audit_curve
from relgauss.report.page import Section, table
from relgauss.report.style import check_plot_file
from relgauss.report.wording import number, percent
from relgauss.rounding import round_down, round_up

_AUDIT = "The audit"
_CONVICTED = 1  # the exit code
_LEADS = {
    "consistent": "{samples} outputs on neighbouring answers: none of it speaks against the claim.",
    "convicted": "{samples} outputs on neighbouring answers show that the claim below is false.",
}
_WEAK = 0.85  # a smaller share of the claim earns a hint

Samples = Annotated[
    int | None,
    typer.Option(
        help=f"Outputs to draw. Default: {SECURE_SAMPLES:,} secure, {SIMULATED_SAMPLES:,} simulated.",
        rich_help_panel=_AUDIT,
        show_default=False,
    ),
]
Confidence = Annotated[
    float, typer.Option(help="How sure the lower bound and the verdict are.", rich_help_panel=_AUDIT)
]
AuditDelta = Annotated[
    float | None,
    typer.Option(
        help="The delta to audit at. Default: where most can be found.",
        rich_help_panel=_AUDIT,
        show_default=False,
    ),
]
Seed = Annotated[
    int | None,
    typer.Option(
        min=0, help="Simulate the noise: fast, repeatable.", rich_help_panel=_AUDIT, show_default=False
    ),
]


def audit(
    *,
    eta: options.Eta = None,
    r: options.R = 0.0,
    form: options.FormOption = "quadratic",
    nonnegative: options.Nonnegative = False,
    absolute: options.Absolute = None,
    dim: options.Dim,
    epsilon: options.Epsilon,
    delta: options.Delta,
    mechanism: options.MechanismOption = "auto",
    samples: Samples = None,
    confidence: Confidence = CONFIDENCE,
    audit_delta: AuditDelta = None,
    seed: Seed = None,
    plot: options.PlotFile = None,
    report: ReportFile = None,
    force: options.Force = False,
    json: options.AsJson = False,
) -> None:
    """Try to convict a mechanism: bound its epsilon from below by its own outputs.

    It is calibrated to the target and run on pairs of neighbouring answers. Exit code 0: consistent with its
    claim. 1: convicted. 2: a mistake.
    """
    bound = options.one_bound(options.stated_bounds(eta, r, form, nonnegative, absolute), mechanism)
    pages = Pages(report)
    pages.check()
    check_new_files([plot, *pages.files], [], force)
    if plot is not None:
        check_plot_file(plot)
    with output.collect_notes():
        found = find_mechanism(bound, dim=dim, epsilon=epsilon, delta=delta, mechanism=mechanism)
    drawn = samples or (SECURE_SAMPLES if seed is None else SIMULATED_SAMPLES)
    with progress(drawn, "Drawing outputs") as advance:
        findings = run_audit(
            found,
            samples=samples,
            confidence=confidence,
            delta=audit_delta,
            rng=None if seed is None else np.random.default_rng(seed),
            progress=advance,
        )
    if plot is not None:
        write_new(plot, partial(plot_audit_curve, findings, found.name), force)
    claim = found.statement(delta)
    result = [_section(found, findings)]
    lead = _LEADS[findings.verdict].format(samples=f"{findings.samples:,}")
    for write in pages.writes(f"Audit of {found.name} noise", result, claim, force, lead=lead, spends=False):
        write()
    if json:
        output.print_json(_as_dict(found, findings, plot))
    else:
        _print_text(found, findings, plot)
        pages.print()
    if findings.verdict == "convicted":
        raise typer.Exit(_CONVICTED)


def _section(mechanism: Mechanism, report: AuditReport) -> Section:
    rows = [
        ("verdict", report.verdict),
        ("mechanism", mechanism.name),
        ("bound", mechanism.sensitivity.describe()),
        ("epsilon found, at least", round_down(report.epsilon_lower)),
        ("epsilon claimed", round_up(report.epsilon_claimed)),
        ("both at delta", number(report.delta)),
        ("confidence", percent(report.confidence)),
        ("outputs drawn", f"{report.samples:,}{' (simulated)' if report.simulated else ''}"),
    ]
    return Section("What the audit found", table(("", ""), rows, words=(1,)))


def _as_dict(mechanism: Mechanism, report: AuditReport, plot: Path | None) -> dict[str, Any]:
    return {
        "mechanism": mechanism.name,
        "parameters": mechanism.parameters,
        "bound": asdict(mechanism.sensitivity),
        **report.to_dict(),
        "plot": str(plot) if plot else None,
    }


def _print_text(mechanism: Mechanism, report: AuditReport, plot: Path | None) -> None:
    numbers = ", ".join(f"{name} {value:.6g}" for name, value in mechanism.parameters.items())
    output.print_hanging(f"Mechanism  {mechanism.name}: {numbers}, dimension {mechanism.dim}", indent=11)
    output.print_hanging(f"Bound      {mechanism.sensitivity.describe()}", indent=11)
    output.console.print()
    for line in report.text().splitlines():
        output.print_hanging(line, indent=14 if line.startswith(" ") else 0)
    if report.verdict == "consistent" and report.share < _WEAK:
        more = "or --seed, which simulates them" if not report.simulated else "or a larger --audit-delta"
        output.print_hanging(
            f"This audit found {percent(report.share)} of the claim. More show more: --samples, {more}.",
            indent=0,
        )
    if plot:
        output.print_line(f"Picture: {plot}")
