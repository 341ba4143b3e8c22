"""``relgauss doctor``: does secure noise work here, which versions are these, what would an extra bring."""

from __future__ import annotations

import platform
import re
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, requires, version

import typer

from relgauss.audit.secure_noise import NoiseCheck, check_secure_noise
from relgauss.cli import options, output
from relgauss.errors import RelgaussError

BRINGS = {
    "plot": "pictures: --plot",
    "files": "CSV, Parquet, DuckDB and SQLite, and data frames: means, table, fit from files",
    "excel": "Excel workbooks (.xlsx)",
    "pandas": "results as pandas data frames",
    "dask": "fits on Dask arrays, frames and clusters",
    "federated": "training on Flower: relgauss federated",
}
"""What each extra is for."""

_FAULTY = 1
_NAME = re.compile(r"^[A-Za-z0-9._-]+")
_EXTRA = re.compile(r"extra == ['\"]([\w-]+)['\"]")


@dataclass(frozen=True)
class Package:
    """A package that relgauss needs, or that an extra brings, and its version here."""

    name: str
    extra: str | None
    found: str | None


def doctor(*, json: options.AsJson = False) -> None:
    """Check that secure noise works here, and show versions and what missing extras would bring.

    Ends with code 1 if the noise is faulty or a package is missing that everything needs.
    """
    noise = _noise()
    packages = _packages()
    missing = [each.name for each in packages if each.extra is None and each.found is None]
    if json:
        output.print_json(_as_dict(noise, packages))
    else:
        _print_text(noise, packages)
    if noise.faults or missing:
        raise typer.Exit(_FAULTY)


def _noise() -> NoiseCheck:
    try:
        return check_secure_noise()
    except RelgaussError as error:  # the system gives no random bytes
        return NoiseCheck((str(error),), 0)


def _packages() -> list[Package]:
    """What relgauss requires, without and with each extra that users install."""
    found = []
    for requirement in requires("relgauss") or ():
        name = _NAME.match(requirement)
        extra = _EXTRA.search(requirement)
        if name and name[0] != "relgauss" and (extra is None or extra[1] in BRINGS):
            found.append(Package(name[0], extra[1] if extra else None, _version(name[0])))
    return found


def _version(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None


def _as_dict(noise: NoiseCheck, packages: list[Package]) -> dict[str, object]:
    return {
        "secure_noise": {"works": not noise.faults, "faults": list(noise.faults), "drawn": noise.count},
        "relgauss": version("relgauss"),
        "python": platform.python_version(),
        "system": platform.platform(),
        "packages": {each.name: each.found for each in packages if each.extra is None},
        "extras": {
            extra: {"brings": BRINGS[extra], "packages": {each.name: each.found for each in of_extra}}
            for extra, of_extra in _by_extra(packages).items()
        },
    }


def _by_extra(packages: list[Package]) -> dict[str, list[Package]]:
    extras = dict.fromkeys(each.extra for each in packages if each.extra is not None)
    return {extra: [each for each in packages if each.extra == extra] for extra in extras}


def _print_text(noise: NoiseCheck, packages: list[Package]) -> None:
    if noise.faults:
        output.print_line("Secure noise: FAULTY. Release nothing on this machine.")
        for fault in noise.faults:
            output.print_line(f"  {fault}")
    else:
        output.print_line(f"Secure noise: works ({noise.count:,} numbers drawn and looked at).")
    output.print_line(f"relgauss {version('relgauss')}, Python {platform.python_version()}")
    needed = [each for each in packages if each.extra is None]
    output.print_line(", ".join(f"{each.name} {each.found or 'MISSING'}" for each in needed))
    output.console.print()
    table = output.new_table("Extra", "Here", "What it brings")
    for extra, of_extra in _by_extra(packages).items():
        absent = [each.name for each in of_extra if each.found is None]
        here = f"no: pip install 'relgauss\\[{extra}]'" if absent else "yes"
        table.add_row(extra, here, BRINGS[extra])
    output.console.print(table)
