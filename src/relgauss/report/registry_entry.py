"""A release as a draft entry of the public registry of differential-privacy deployments, tier 3.

What the tool knows is filled in; what only a person can know is the text FILL IN, below a comment that says
what is asked for. The entry is YAML with plain, quoted and block strings only.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from importlib.metadata import version
from pathlib import Path
from typing import Literal

from relgauss.budget import PrivacyStatement
from relgauss.errors import InvalidParameterError
from relgauss.report.wording import printable
from relgauss.rounding import round_up

Product = Literal["Summary statistics", "Machine learning model"]

_ENDINGS = (".yaml", ".yml")
_NAME = re.compile(r"[a-z0-9_]+")
_FILL_IN = "FILL IN"
_SOFTWARE = (
    "relgauss {version}: noise is an exact discrete Gaussian on a public lattice, drawn from the operating "
    "system's random bits; rounding is charged to the noise."
)


@dataclass(frozen=True)
class _Asked:
    """What only a person can know, and what is asked for."""

    what: str


def check_registry_file(file: Path) -> None:
    """Refuse, before any work, a name that the registry would not take."""
    if file.suffix not in _ENDINGS or not _NAME.fullmatch(file.stem):
        raise InvalidParameterError(
            "registry",
            str(file),
            "a .yaml or .yml file named by lower-case letters, digits and underscores",
            "Pass for example pay_by_job_2026.yaml.",
        )


def registry_entry(statement: PrivacyStatement, product: Product, name: str, preprocessing: str) -> str:
    """The entry as YAML.

    Parameters
    ----------
    statement
        What the release cost and rests on.
    product
        The registry's word for what was released.
    name
        The entry's own name in addresses: lower-case letters, digits and underscores.
    preprocessing
        How the data were prepared and parameters found, in words.
    """
    if statement.simulated:
        raise InvalidParameterError(
            "registry", "SIMULATED", "a release with secure noise", "Release without a seed."
        )
    unit, _, public = statement.neighbours.partition("; ")
    conditions = [f"- {each.provenance}: {each.text}" for each in statement.conditions()]
    stages = [
        f"- {each.stage}: {each.guarantee.describe()}, {each.times} time(s); {each.theorem}"
        for each in statement.charges
    ]
    deployment: dict[str, object] = {
        "basic": {
            "name": _Asked("the title of the release"),
            "data_curators": [_Asked("who holds the data")],
            "intended_use": _Asked("what the release is for"),
            "data_product_type": product,
            "data_product_region": _Asked("where the people live"),
            "description": _Asked("what was released, about whom, from which years"),
            "publication_date": date.today().isoformat(),
        },
        "dp_variant": {
            "variant_name": "Approximate DP",
            "data_domain": _Asked("which tables could have been the data: columns and their public ranges"),
            "unprotected_quantities": public or "nothing is stated to be public",
        },
        "privacy_loss": {
            "privacy_unit": statement.unit,
            "privacy_unit_details": f"Neighbours: {unit}.",
            "privacy_parameters": {"epsilon": float(round_up(statement.epsilon())), "delta": statement.delta},
            "privacy_parameters_details": "\n".join(
                ["The proven epsilon of all stages together, composed exactly:", *stages]
            ),
        },
        "deployment_model": {
            "model_name": "Central",
            "actors": _Asked("who computed the release, who could see the data, who may see the result"),
            "release_type": "One release",
            "data_source_type": "Static",
            "data_source_type_details": _Asked(
                "whether the same people's data were or will be released again"
            ),
            "access_type": "Non-interactive",
            "access_type_details": _Asked("where the release can be found"),
        },
        "accounting": {
            "post_processing": "Intervals and estimates are computed from released numbers only.",
            "composition": "Privacy-loss accounting of unlike stages by relgauss (proofs/composition.md).",
        },
        "implementation": {
            "preprocessing_and_hyperparameter_tuning": preprocessing,
            "mechanisms": _SOFTWARE.format(version=version("relgauss")),
            "justification": "\n".join(["The guarantee rests on:", *conditions]),
        },
        "administrative": {"registry_authors": [_Asked("who wrote this entry")]},
    }
    entry = {"url_slug": name, "status": "Draft", "tier": 3, "deployment": deployment}
    return "# A draft. FILL IN stands for what only a person can know.\n" + _yaml(entry)


def _yaml(values: Mapping[str, object], indent: int = 0) -> str:
    """Mappings, lists of strings, numbers and strings as YAML; a text that asks has a comment above it."""
    lines = []
    space = "  " * indent
    for key, value in values.items():
        if isinstance(value, Mapping):
            lines.append(f"{space}{key}:\n{_yaml(value, indent + 1)}")
        elif isinstance(value, list):
            items = "".join(
                f"{_comment(each, space)}{space}  - {_scalar(each, indent + 2)}\n" for each in value
            )
            lines.append(f"{space}{key}:\n{items}")
        else:
            lines.append(f"{_comment(value, space)}{space}{key}: {_scalar(value, indent + 1)}\n")
    return "".join(lines)


def _comment(value: object, space: str) -> str:
    return f"{space}# {value.what}\n" if isinstance(value, _Asked) else ""


def _scalar(value: object, indent: int) -> str:
    """A number, a quoted line or a block; what a column's name brings along cannot leave its place."""
    if isinstance(value, _Asked):
        return f'"{_FILL_IN}"'
    if not isinstance(value, str):
        return re.sub(r"^(\d+)e", r"\1.0e", json.dumps(value, allow_nan=False))  # YAML: 1.0e-06 is a number
    lines = [printable(line).replace("\\\\", "\\") for line in value.splitlines()]
    if len(lines) > 1:
        return "|\n" + "\n".join("  " * indent + line for line in lines)
    return json.dumps(lines[0] if lines else "", ensure_ascii=False)
