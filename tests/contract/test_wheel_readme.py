"""What a package index shows of the project: the README without links that lead nowhere there."""

import importlib.util
import re
import sys
import tomllib
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[2]
HOOK = "hatchling.metadata.plugin.interface"  # of the build's own environment


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The script that builds run, with a stand-in for what it is given there."""
    stand_in = ModuleType(HOOK)
    stand_in.MetadataHookInterface = object
    monkeypatch.setitem(sys.modules, HOOK, stand_in)
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert settings["project"]["dynamic"] == ["readme"]
    script = ROOT / settings["tool"]["hatch"]["metadata"]["hooks"]["custom"]["path"]
    spec = importlib.util.spec_from_file_location("wheel_readme", script)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_no_link_leads_to_a_file(made: ModuleType):
    text = made.for_an_index((ROOT / "README.md").read_text(encoding="utf-8"))
    assert [target for target in re.findall(r"\]\(([^)]+)\)", text) if not target.startswith("http")] == []
    assert "<!--" not in text
    assert "a published table (docs/salaries.md)" in text
    assert "(docs/glossary.md#" not in text


def test_pictures_go_with_their_captions_and_links_elsewhere_stay(made: ModuleType):
    text = "# t\n\nA [b](https://c.d).\n\n![e](f.png)\n\n*Caption\nof two lines.*\n\n**Bold** text.\n"
    assert made.for_an_index(text).endswith("A [b](https://c.d).\n\n\n**Bold** text.\n")


def test_the_hook_sets_the_description(made: ModuleType):
    hook, said = made.Readme(), {}
    hook.root = str(ROOT)
    hook.update(said)
    assert said["readme"]["content-type"] == "text/markdown"
    assert said["readme"]["text"].startswith("# relgauss\n")
