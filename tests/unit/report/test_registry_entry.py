"""A draft entry of the public registry: its fields and values are those the registry allows."""

import datetime
import re

import pytest
import yaml

import relgauss as rg
from relgauss.budget import Condition
from relgauss.errors import InvalidParameterError
from relgauss.report.registry_entry import check_registry_file, registry_entry

TEXT, NUMBER = str, (int, float)
FIELDS = {
    "basic": {
        **dict.fromkeys(("name", "intended_use", "data_product_region", "description"), TEXT),
        "data_curators": list,
        "data_product_type": {
            "Summary statistics",
            "Machine learning model",
            "Dataset",
            "Synthetic data",
            "Interactive API",
            "SQL queries",
        },
        "publication_date": TEXT,
    },
    "dp_variant": {
        "variant_name": {"Pure DP", "Approximate DP", "Zero-concentrated DP", "Renyi DP", "Custom"},
        **dict.fromkeys(("data_domain", "unprotected_quantities"), TEXT),
    },
    "privacy_loss": {
        **dict.fromkeys(("privacy_unit", "privacy_unit_details", "privacy_parameters_details"), TEXT),
        "privacy_parameters": dict,
    },
    "deployment_model": {
        "model_name": {"Local", "Central", "Shuffle", "Federated", "Varies"},
        "release_type": {"One release", "Many releases"},
        "data_source_type": {"Static", "Dynamic"},
        "access_type": {"Interactive", "Non-interactive"},
        **dict.fromkeys(("actors", "data_source_type_details", "access_type_details"), TEXT),
    },
    "accounting": dict.fromkeys(("post_processing", "composition"), TEXT),
    "implementation": dict.fromkeys(
        ("preprocessing_and_hyperparameter_tuning", "mechanisms", "justification"), TEXT
    ),
    "administrative": {"registry_authors": list},
}
"""What the registry asks for at tier 3, as this tool fills it in."""


def problems(entry: dict) -> list[str]:
    """Fields that are missing, unknown or of another kind."""
    wrong = []
    if set(entry) != {"url_slug", "status", "tier", "deployment"}:
        wrong.append(f"fields {sorted(entry)}")
    for part, fields in FIELDS.items():
        found = entry["deployment"].get(part, {})
        wrong += [f"{part}: {name}" for name in set(found) ^ set(fields)]
        for name, allowed in fields.items():
            value = found.get(name)
            right = value in allowed if isinstance(allowed, set) else isinstance(value, allowed)
            wrong += [] if right else [f"{part}.{name}: {value!r}"]
    return wrong


def statement(*texts: str, simulated: bool = False) -> rg.PrivacyStatement:
    conditions = tuple(Condition(each, "assumed") for each in texts)
    charge = rg.Charge("means", rg.GaussianDP(0.2), "proofs/grouped-means.md", conditions)
    return rg.PrivacyStatement((charge,), 1e-6, simulated=simulated)


def test_the_entry_is_what_the_registry_allows():
    text = registry_entry(statement("one row a person"), "Summary statistics", "pay_2026", "none")
    entry = yaml.safe_load(text)
    assert problems(entry) == []
    assert (entry["url_slug"], entry["status"], entry["tier"]) == ("pay_2026", "Draft", 3)
    parameters = entry["deployment"]["privacy_loss"]["privacy_parameters"]
    assert isinstance(parameters["delta"], float)
    assert parameters["epsilon"] >= statement().epsilon()
    datetime.date.fromisoformat(entry["deployment"]["basic"]["publication_date"])


def test_a_person_is_asked_in_comments_above_what_is_missing():
    text = registry_entry(statement(), "Machine learning model", "a", "none")
    asked = re.findall(r"^ *# (.+)\n *(?:\w+: |- )\"FILL IN\"$", text, re.MULTILINE)
    assert len(asked) == text.count('"FILL IN"') >= 9


@pytest.mark.parametrize(
    "name", ['a: b\n  "c": |', "x\x1b[2J", "# not a comment", "- item", "\\\\x", "ünï ✓"]
)
def test_names_from_a_table_cannot_leave_their_place(name: str):
    entry = yaml.safe_load(registry_entry(statement(name), "Summary statistics", "a", name))
    assert problems(entry) == []
    assert "\\\\" not in entry["deployment"]["implementation"]["justification"]


def test_a_wrong_entry_is_seen():
    entry = yaml.safe_load(registry_entry(statement(), "Summary statistics", "a", "none"))
    entry["deployment"]["basic"]["data_product_type"] = "Table"
    del entry["deployment"]["accounting"]["composition"]
    entry["deployment"]["privacy_loss"]["rho"] = 1
    assert len(problems(entry)) >= 3


def test_a_simulated_release_is_no_deployment():
    with pytest.raises(InvalidParameterError, match="secure noise"):
        registry_entry(statement(simulated=True), "Summary statistics", "a", "none")


@pytest.mark.parametrize("name", ["Pay.yaml", "pay-2026.yaml", "pay.json", "pay 2026.yml"])
def test_a_file_that_the_registry_would_not_take(name: str, tmp_path):
    with pytest.raises(InvalidParameterError, match=r"registry must be a \.yaml or \.yml file"):
        check_registry_file(tmp_path / name)
