"""``relgauss ledger`` and ``--ledger``, as a user runs them."""

import json
import re
from pathlib import Path

import dp_accounting
import numpy as np
import pytest

import relgauss as rg
from relgauss.ledger import Ledger

INIT = ("--dataset", "pay 2026", "--epsilon", "3", "--delta", "1e-6")


@pytest.fixture
def book(relgauss, tmp_path) -> Path:
    file = tmp_path / "pay.ledger"
    assert relgauss("ledger", "init", str(file), *INIT).returncode == 0
    return file


@pytest.fixture
def table(tmp_path) -> Path:
    rng = np.random.default_rng(3)
    age = rng.uniform(20, 60, 4000)
    pay = 30 + age + rng.normal(size=4000)
    lines = ["age,pay", *(f"{a:.2f},{p:.2f}" for a, p in zip(age, pay, strict=True))]
    file = tmp_path / "pay.csv"
    file.write_text("\n".join(lines))
    return file


def test_a_ledger_is_made_shown_and_verified(relgauss, book):
    shown = relgauss("ledger", "show", str(book))
    assert shown.returncode == 0
    assert "pay 2026" in shown.stdout
    assert "epsilon 3 at delta 1e-06" in shown.stdout
    verified = relgauss("ledger", "verify", str(book))
    assert verified.returncode == 0
    assert Ledger.open(book).verify().head in verified.stdout
    assert "one entry, 0 spends, all as they were written." in verified.stdout


@pytest.mark.parametrize("command", ["show", "verify", "export"])
def test_every_command_prints_json(relgauss, book, command):
    found = json.loads(relgauss("ledger", command, str(book), "--json").stdout)
    assert found.get("entries") == 1 or found["left"]["epsilon"] == pytest.approx(3)


def test_mistakes_are_one_line_with_the_fix(relgauss, book, tmp_path):
    mistakes = {
        ("init", str(book), *INIT): "`relgauss ledger show` tells what that is.",
        ("init", str(tmp_path / "x"), "--dataset", "d", "--epsilon", "-1", "--delta", "1e-6"): "epsilon",
        ("show", str(tmp_path / "absent")): "once, with `relgauss ledger init`.",
        ("import", str(book), "--what", "a survey"): "--statement, or --event",
        ("import", str(book), "--what", "x", "--epsilon", "1", "--neighbours", "replace-one"): "not clear",
        ("import", str(book), "--what", "x", "--event", str(tmp_path / "none.json")): "cannot be read",
        ("import", str(book), "--what", "a survey", "--epsilon", "9"): "is left of 3",
        ("import", str(book), "--what", "x", "--statement", str(tmp_path / "none.json")): "cannot be read",
        ("export", str(book), "--output", str(book)): "never replaced",
    }
    for arguments, words in mistakes.items():
        done = relgauss("ledger", *arguments)
        assert (done.returncode, len(done.stderr.splitlines())) == (2, 1)
        assert words in done.stderr
    assert not (tmp_path / "x").exists()


def test_damage_is_found(relgauss, book):
    whole = bytearray(book.read_bytes())
    place = whole.index(b"pay 2026")
    whole[place : place + 3] = b"PAY"
    book.write_bytes(whole)
    done = relgauss("ledger", "verify", str(book))
    assert done.returncode == 2
    assert "damaged" in done.stderr


def test_an_export_is_written_and_comes_in_elsewhere(relgauss, book, tmp_path):
    Ledger.open(book).add_outside(rg.GaussianDP(0.1), "a survey")
    out = tmp_path / "out.json"
    assert relgauss("ledger", "export", str(book), "--output", str(out)).returncode == 0
    assert relgauss("ledger", "export", str(book), "--output", str(out)).returncode == 2
    other = tmp_path / "other.ledger"
    relgauss("ledger", "init", str(other), *INIT)
    done = relgauss("ledger", "import", str(other), "--statement", str(out), "--what", "the old ledger")
    assert done.returncode == 0
    assert Ledger.open(other).left() == Ledger.open(book).left()
    assert done.stderr == ""
    again = relgauss("ledger", "import", str(other), "--statement", str(out), "--what", "the same again")
    assert again.returncode == 0
    assert "already held 'the old ledger'" in again.stderr
    assert "counted twice" in again.stderr


def test_an_import_beyond_the_budget_ends_it_when_told_to(relgauss, book):
    done = relgauss("ledger", "import", str(book), "--epsilon", "9", "--what", "a leak", "--beyond")
    assert done.returncode == 0
    assert Ledger.open(book).left() == 0
    for command in ("verify", "show"):
        said = relgauss("ledger", command, str(book))
        assert said.returncode == 0
        assert "Beyond the budget" in said.stdout
        assert json.loads(relgauss("ledger", command, str(book), "--json").stdout)["within_budget"] is False


def test_a_fit_is_counted_and_stopped(relgauss, book, table):
    fit = ("fit", str(table), "--target", "pay", "--epsilon", "2", "--delta", "1e-6", "--ledger", str(book))
    first = relgauss(*fit)
    assert first.returncode == 0, first.stderr
    assert "left at delta 1e-06" in first.stdout
    (spend,) = Ledger.open(book).state().spends
    assert spend.status == "released"
    second = relgauss(*fit, "--json")
    if second.returncode == 0:  # two epsilons of 2 compose to less than 4
        assert json.loads(second.stdout)["ledger"]["left"] == Ledger.open(book).left()
    third = relgauss(*fit)
    assert third.returncode == 2
    assert "left of 3" in third.stderr
    assert "pure" not in third.stderr
    assert Ledger.open(book).statement().epsilon() <= 3


def test_tables_and_means_are_counted(relgauss, book, tmp_path):
    file = tmp_path / "jobs.csv"
    file.write_text("job,pay\n" + "".join(f"{'ab'[n % 2]},{1000 + n % 50}\n" for n in range(3000)))
    asked = ("--by", "job", "--epsilon", "1", "--delta", "1e-6", "--ledger", str(book))
    table = relgauss("table", str(file), "--value", "pay:mean", *asked)
    assert table.returncode == 0, table.stderr
    assert "left at delta 1e-06" in table.stdout
    means = relgauss("means", str(file), "--value", "pay", *asked, "--json")
    assert means.returncode == 0, means.stderr
    assert json.loads(means.stdout)["ledger"]["left"] == Ledger.open(book).left()
    assert [spend.status for spend in Ledger.open(book).state().spends] == ["released"] * 2


def test_a_ledger_of_persons_tells_that_a_release_took_rows_for_them(relgauss, tmp_path):
    file, book = tmp_path / "pay.csv", tmp_path / "persons.ledger"
    file.write_text("job,who,pay\n" + "".join(f"clerk,{n},30\n" for n in range(400)))
    Ledger.create(book, dataset="pay", unit="person", epsilon=3.0, delta=1e-6)
    asked = "--by", "job", "--value", "pay", "--epsilon", "1", "--delta", "1e-7", "--ledger", str(book)
    done = relgauss("means", str(file), *asked)
    assert done.returncode == 0
    said = " ".join(done.stdout.split())
    assert "Caution: the ledger is for persons, and this release takes one row for one person." in said
    assert "the ledger now counts rows, and will refuse --person" in said
    refused = relgauss("table", str(file), *asked, "--person", "who", "--groups", "private")
    assert "release without --person as before" in refused.stderr


def test_a_forgotten_person_is_asked_for_and_no_second_budget_is_advised(relgauss, tmp_path):
    file, book = tmp_path / "pay.csv", tmp_path / "persons.ledger"
    file.write_text("job,who,pay\n" + "".join(f"clerk,{n // 2},30\n" for n in range(800)))
    (tmp_path / "jobs.csv").write_text("job\nclerk\n")
    Ledger.create(book, dataset="pay", unit="person", epsilon=3.0, delta=1e-6)
    asked = "--by", "job", "--value", "pay", "--epsilon", "1", "--delta", "1e-6", "--ledger", str(book)
    listed = "--person", "who", "--groups", str(tmp_path / "jobs.csv")
    assert relgauss("table", str(file), *asked, *listed).returncode == 0
    for command, column in {
        "table": "(--person COLUMN)",
        "means": "(relgauss table --person COLUMN)",
    }.items():
        done = relgauss(command, str(file), *asked)
        assert (done.returncode, done.stdout) == (2, "")
        assert f"Name the column that tells whose row it is {column}, as before." in done.stderr
        assert "does not see what this one spent on the same people" in done.stderr


def test_groups_that_are_found_need_a_part_of_delta_and_listed_ones_do_not(relgauss, book, tmp_path):
    (tmp_path / "pay.csv").write_text("job,pay\n" + "nurse,50000\n" * 900)
    asked = "--by", "job", "--value", "pay", "--epsilon", "1", "--delta", "1e-6", "--ledger", str(book)
    done = relgauss("table", str(tmp_path / "pay.csv"), *asked, "--groups", "private")
    assert (done.returncode, done.stdout) == (2, "")
    assert "such as finding groups privately, and 0 is left" in done.stderr
    assert "groups of a public list; or begin with ledger init --for-failures 2.5e-07 or more" in done.stderr


def _shown(text: str, name: str) -> str:
    (line,) = [line for line in text.splitlines() if line.strip().startswith(name)]
    return line


@pytest.mark.parametrize("aside", [0.0, 4e-7])
def test_equal_releases_of_a_plan_all_fit_and_use_the_budget_up(relgauss, tmp_path: Path, aside: float):
    file = tmp_path / "plan.ledger"
    made = relgauss("ledger", "init", str(file), *INIT, "--for-failures", str(aside))
    plan = dict(re.findall(r"(\d+) of epsilon ([\d.]+)", _shown(made.stdout, "or several")))
    assert set(plan) == {"2", "4", "12"}
    assert aside or plan["4"] == "1.403"
    book = Ledger.open(file)
    mechanism = rg.calibrate(rg.AbsoluteSensitivity(1.0), dim=1, epsilon=float(plan["4"]), delta=1e-6)
    for _ in range(4):
        book.add_outside(mechanism.statement(delta=1e-6), "a quarter")
    assert book.left() < 0.1


def test_tables_with_private_groups_fit_at_the_delta_that_is_shown(relgauss, tmp_path: Path):
    file = tmp_path / "plan.ledger"
    made = relgauss("ledger", "init", str(file), *INIT, "--for-failures", "4e-7")
    line = _shown(made.stdout, "private groups")
    assert line.endswith("1 at 1e-06, 2 at 8e-07, 4 at 4e-07, 12 at 1.33e-07")
    (tmp_path / "pay.csv").write_text("job,pay\n" + "nurse,50000\n" * 900)
    asked = "--by", "job", "--value", "pay", "--groups", "private", "--epsilon", "0.5", "--ledger", str(file)
    for _ in range(2):
        done = relgauss("table", str(tmp_path / "pay.csv"), *asked, "--delta", "8e-7")
        assert done.returncode == 0, done.stderr
    done = relgauss("table", str(tmp_path / "pay.csv"), *asked, "--delta", "8e-7")
    assert done.returncode == 2
    assert "private groups" not in relgauss("ledger", "show", str(file)).stdout, "nothing is left for them"


def test_a_refusal_names_the_smaller_delta_that_fits(relgauss, tmp_path: Path):
    file = tmp_path / "x.ledger"
    assert relgauss("ledger", "init", str(file), *INIT, "--for-failures", "1e-7").returncode == 0
    (tmp_path / "pay.csv").write_text("job,pay\n" + "nurse,50000\n" * 900)
    asked = "--by", "job", "--value", "pay", "--groups", "private", "--epsilon", "0.5", "--ledger", str(file)
    done = relgauss("table", str(tmp_path / "pay.csv"), *asked, "--delta", "1e-6")
    assert "Release at a smaller delta (--delta), 0.4 of this one or less" in done.stderr
    assert relgauss("table", str(tmp_path / "pay.csv"), *asked, "--delta", "4e-7").returncode == 0


def test_a_row_ledger_may_be_made_for_groups_by_several_columns(relgauss, tmp_path: Path):
    file = tmp_path / "rows.ledger"
    made = relgauss("ledger", "init", str(file), *INIT, "--by", "status", "--by", "job")
    assert "of the same group by 'job', 'status'" in _shown(made.stdout, "neighbours")
    (tmp_path / "pay.csv").write_text("job,status,town,pay\n" + "nurse,full,Bern,50000\n" * 900)
    asked = "--value", "pay", "--epsilon", "0.5", "--delta", "1e-6", "--ledger", str(file)
    for by in (["--by", "job"], ["--by", "status"], ["--by", "job", "--by", "status"]):
        done = relgauss("table", str(tmp_path / "pay.csv"), *by, *asked)
        assert done.returncode == 0, done.stderr
    done = relgauss("table", str(tmp_path / "pay.csv"), "--by", "town", *asked)
    assert "made by `relgauss ledger init --by job --by status --by town` (or with" in done.stderr
    both = relgauss(
        "ledger", "init", str(tmp_path / "y"), *INIT, "--by", "job", "--neighbours", "replace-one"
    )
    assert "--by says what --neighbours does. Pass one of the two." in both.stderr


def test_the_report_of_a_ledger_dates_every_charge(relgauss, book: Path, tmp_path: Path):
    Ledger.open(book).add_outside(rg.GaussianDP(0.1), "a dashboard")
    page = tmp_path / "book.html"
    assert relgauss("ledger", "show", str(book), "--report", str(page)).returncode == 0
    assert re.search(r"\d{4}-\d\d-\d\d, a dashboard: ", page.read_text(encoding="utf-8"))


def test_a_seed_and_a_ledger_exclude_each_other(relgauss, book, table):
    done = relgauss(
        *("fit", str(table), "--target", "pay", "--epsilon", "2", "--delta", "1e-6"),
        *("--ledger", str(book), "--seed", "1"),
    )
    assert done.returncode == 2
    assert "leave out the seed" in done.stderr


def test_no_result_replaces_the_ledger(relgauss, book, table):
    done = relgauss(
        *("fit", str(table), "--target", "pay", "--epsilon", "2", "--delta", "1e-6"),
        *("--ledger", str(book), "--save", str(book), "--force"),
    )
    assert done.returncode == 2
    assert Ledger.open(book).left() == pytest.approx(3)


def test_an_event_of_dp_accounting_is_imported(relgauss, book, tmp_path):
    file = tmp_path / "event.json"
    file.write_text(json.dumps(dp_accounting.GaussianDpEvent(10.0).to_named_tuple()))
    asked = ("ledger", "import", str(book), "--what", "a dashboard", "--event", str(file))
    unsaid = relgauss(*asked)
    assert (unsaid.returncode, unsaid.stdout) == (2, "")
    assert "which neighbours" in unsaid.stderr
    done = relgauss(*asked, "--neighbours", "replace-one", "--json")
    assert (done.returncode, done.stderr) == (0, "")
    spend = json.loads(done.stdout)["spends"][-1]
    assert (spend["status"], spend["charges"][0]["guarantee"]["mu"]) == ("outside", pytest.approx(0.1))
    file.write_text('["os", "system", "true"]')
    assert "is no event" in relgauss(*asked, "--neighbours", "replace-one").stderr


def test_a_release_of_another_promise_is_refused_in_the_words_of_the_command_line(relgauss, tmp_path):
    book = str(tmp_path / "added.ledger")
    budget = ("--epsilon", "1", "--delta", "1e-6")
    relgauss("ledger", "init", book, "--dataset", "pay", *budget, "--neighbours", "add-or-remove")
    (tmp_path / "pay.csv").write_text("job,pay\n" + "nurse,50000\n" * 900)
    done = relgauss(
        "means", str(tmp_path / "pay.csv"), "--by", "job", "--value", "pay", *budget, "--ledger", book
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert "made with ledger init --neighbours 'within groups'" in done.stderr
