"""What a command writes for others than its user: a page for a privacy officer, an entry of the registry."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from importlib.metadata import version
from pathlib import Path
from platform import python_version
from typing import Annotated

import typer

from relgauss.budget import PrivacyStatement
from relgauss.cli import output
from relgauss.cli.files import write_new
from relgauss.cli.options import RESULT
from relgauss.errors import InvalidParameterError
from relgauss.report.page import Section, page, text, write_page
from relgauss.report.page_privacy import in_plain_words, privacy_sections
from relgauss.report.registry_entry import Product, check_registry_file, registry_entry

ReportFile = Annotated[
    Path | None,
    typer.Option(
        "--report",
        metavar="FILE",
        help="Write a page for your privacy officer, as .html.",
        rich_help_panel=RESULT,
        show_default=False,
    ),
]
RegistryFile = Annotated[
    Path | None,
    typer.Option(
        "--registry",
        metavar="FILE",
        help="Write a draft entry for OpenDP's public Deployments Registry, as .yaml.",
        rich_help_panel=RESULT,
        show_default=False,
    ),
]


@dataclass(frozen=True)
class Pages:
    """The files that were asked for, and how they are written.

    Parameters
    ----------
    report
        The page, or None.
    registry
        The registry's entry, or None.
    """

    report: Path | None
    registry: Path | None = None

    def check(self, *, simulated: bool = False) -> None:
        """Refuse, before any work, names and releases that cannot be written."""
        if self.report is not None and self.report.suffix.lower() not in (".html", ".htm"):
            raise InvalidParameterError(
                "report", str(self.report), "a .html or .htm file", "Change the file's ending."
            )
        if self.registry is not None:
            check_registry_file(self.registry)
            if simulated:
                raise InvalidParameterError(
                    "registry", str(self.registry), "for secure noise only", "Leave out --seed or --registry."
                )

    @property
    def files(self) -> tuple[Path | None, ...]:
        """The files, to be checked with all others."""
        return self.report, self.registry

    def writes(
        self,
        title: str,
        result: Sequence[Section],
        statement: PrivacyStatement,
        force: bool,
        product: Product = "Summary statistics",
        lead: str | None = None,
        *,
        spends: bool = True,
    ) -> list[Callable[[], object]]:
        """What writes them, once the result is there; the page opens with ``lead``, or with the promise.

        ``spends`` is whether the command, run again, would spend again.
        """
        writes: list[Callable[[], object]] = []
        if self.report is not None:
            sections = [*result, *privacy_sections(statement), _repeat(spends)]
            html = page(title, lead or in_plain_words(statement), sections)
            writes.append(partial(write_page, self.report, html, replace=force))
        if self.registry is not None:
            entry = registry_entry(statement, product, self.registry.stem, f"By the command: {_command()}")
            write = partial(Path.write_text, data=entry, encoding="utf-8")
            writes.append(partial(write_new, self.registry, write, force))
        return writes

    def print(self) -> None:
        """Print where the pages were written."""
        if self.report is not None:
            output.print_line(f"Report: {self.report}")
        if self.registry is not None:
            output.print_line(f"Registry entry: {self.registry}")


def _command() -> str:
    return f"relgauss {shlex.join(sys.argv[1:])}"


def _repeat(spends: bool) -> Section:
    versions = f"relgauss {version('relgauss')}, numpy {version('numpy')}, Python {python_version()}."
    again = "Noise is drawn anew each time, and each time spends the budget again."
    return Section(
        "How to repeat it",
        f"<pre>{text(_command())}</pre><p>{text(versions)} {again if spends else 'It spends nothing.'}</p>",
    )
