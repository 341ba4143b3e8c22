"""``--report`` and ``--registry``: files beside a result, refused before a budget is spent."""

from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

from relgauss.examples import write_homes

AUDIT = ["audit", "--absolute", "1", "--dim", "1", "--epsilon", "1", "--delta", "1e-3", "--samples", "2000"]


def test_an_audit_has_a_page(relgauss: Callable[..., object], tmp_path: Path):
    done = relgauss(*AUDIT, "--seed", "1", "--report", "audit.html")
    assert done.returncode == 0
    assert "Report: audit.html" in done.stdout
    html = (tmp_path / "audit.html").read_text(encoding="utf-8")
    assert "What the audit found" in html
    assert "relgauss audit --absolute 1" in html
    assert "It spends nothing." in html


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--report", "audit.txt"], "a .html or .htm file"),
        (["--report", "there.html"], "there.html exists"),
    ],
)
def test_a_page_that_cannot_be_written_is_refused_first(
    relgauss: Callable[..., object], tmp_path: Path, arguments: list[str], words: str
):
    (tmp_path / "there.html").write_text("mine")
    done = relgauss(*AUDIT, *arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert words in done.stderr
    assert (tmp_path / "there.html").read_text() == "mine"


def test_a_ledger_has_a_page_before_and_after_a_spend(relgauss: Callable[..., object], tmp_path: Path):
    apart = ["--for-failures", "1e-7", "--for-pure", "1"]
    relgauss("ledger", "init", "a.ledger", "--dataset", "<pay>", "--epsilon", "3", "--delta", "1e-6", *apart)
    assert relgauss("ledger", "show", "a.ledger", "--report", "empty.html").returncode == 0
    assert "Nothing was spent yet." in (tmp_path / "empty.html").read_text(encoding="utf-8")
    charge = ["--what", "an <old> table", "--epsilon", "0.5", "--delta", "1e-8"]
    relgauss("ledger", "import", "a.ledger", *charge)
    assert relgauss("ledger", "show", "a.ledger", "--report", "spent.html").returncode == 0
    html = (tmp_path / "spent.html").read_text(encoding="utf-8")
    assert "an &lt;old&gt; table" in html
    assert "Privacy ledger: &lt;pay&gt;" in html
    assert "It spends nothing." in html
    assert "spends the budget again" not in html
    assert "epsilons do not subtract" in relgauss("ledger", "show", "a.ledger").stdout
    assert "still fits." in html
    relgauss("ledger", "import", "a.ledger", "--what", "a leak", "--epsilon", "9", "--beyond")
    relgauss("ledger", "show", "a.ledger", "--report", "beyond.html")
    assert "nothing is left. Beyond the budget" in (tmp_path / "beyond.html").read_text(encoding="utf-8")


def test_the_page_of_a_ledger_never_replaces_the_ledger(relgauss: Callable[..., object], tmp_path: Path):
    relgauss("ledger", "init", "a.html", "--dataset", "pay", "--epsilon", "3", "--delta", "1e-6")
    before = (tmp_path / "a.html").read_bytes()
    assert relgauss("ledger", "show", "a.html", "--report", "a.html", "--force").returncode == 2
    assert (tmp_path / "a.html").read_bytes() == before


FIT = [
    "fit",
    "homes.csv",
    "--target",
    "price",
    "--features",
    "area,rooms",
    "--epsilon",
    "3",
    "--delta",
    "1e-6",
]


def test_a_fit_has_a_page_and_an_entry_of_the_registry(relgauss: Callable[..., object], tmp_path: Path):
    write_homes(tmp_path / "homes.csv", 5_000)
    done = relgauss(*FIT, "--report", "fit.html", "--registry", "homes_2026.yaml")
    assert done.returncode == 0, done.stderr
    html = (tmp_path / "fit.html").read_text(encoding="utf-8")
    assert "price by 2 features, 5,000 rows" in html
    assert "Where the budget went" in html
    entry = yaml.safe_load((tmp_path / "homes_2026.yaml").read_text(encoding="utf-8"))
    assert entry["url_slug"] == "homes_2026"
    assert entry["deployment"]["basic"]["data_product_type"] == "Machine learning model"
    assert entry["deployment"]["privacy_loss"]["privacy_parameters"]["epsilon"] == pytest.approx(3, rel=1e-3)


def test_a_simulated_fit_is_no_entry_of_the_registry(relgauss: Callable[..., object], tmp_path: Path):
    write_homes(tmp_path / "homes.csv", 500)
    done = relgauss(*FIT, "--seed", "1", "--registry", "homes.yaml")
    assert done.returncode == 2
    assert "secure noise only" in done.stderr
    assert not (tmp_path / "homes.yaml").exists()


@pytest.mark.parametrize(
    "asked",
    [
        ["means", "relgauss-demo.csv", "--by", "job", "--value", "pay"],
        ["table", "relgauss-demo.csv", "--by", "job", "--value", "pay:mean"],
    ],
)
def test_tables_have_a_page_and_an_entry_of_the_registry(
    relgauss: Callable[..., object], tmp_path: Path, asked: list[str]
):
    relgauss("demo")
    budget = ["--epsilon", "1", "--delta", "1e-6"]
    done = relgauss(*asked, *budget, "--report", "pay.html", "--registry", "pay.yaml")
    assert done.returncode == 0, done.stderr
    assert "Report: pay.html" in done.stdout
    html = (tmp_path / "pay.html").read_text(encoding="utf-8")
    assert "Cashier" in html
    assert "each time spends the budget again" in html
    assert "What is protected" in html
    assert html.count("would hardly change any number here") == 1, "the promise in one line stands once"
    entry = yaml.safe_load((tmp_path / "pay.yaml").read_text(encoding="utf-8"))
    assert entry["deployment"]["basic"]["data_product_type"] == "Summary statistics"
