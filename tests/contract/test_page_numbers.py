"""The numbers that a page or a notebook prints agree with each other, noise or not.

Statements: epsilon and what it means follow from the lines "spent". Models: intervals lie about their
coefficient, categories are clipped to 0 and 1, predictions follow from what was printed of the model. Tables:
estimates lie in their intervals, groups are as many as is said, and a wide interval is called so.
"""

import json
import math
import re
from pathlib import Path

import pytest

import relgauss as rg
from relgauss.accounting import bayes_advantage, true_positive_rate

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted(ROOT.glob("docs/*.md")), *sorted(ROOT.glob("docs/notebooks/*.ipynb"))]
NUMBER = r"-?[\d,]*\.?\d+(?:e[+-]?\d+)?"
STATEMENT = re.compile(rf"Privacy: epsilon ({NUMBER}) at delta ({NUMBER})\n((?: .*\n|\.\.\.\n)+)")
SPENT = re.compile(rf"({NUMBER})-GDP(?: × (\d+))?|\(({NUMBER}), ({NUMBER})\)-DP")
MEANS = re.compile(r"finds a record in at most ([\d.]+) % \(([\d.]+) %\); .* right in at most ([\d.]+) %")
MODEL = re.compile(r"^ +coefficient +std\. error.*\n((?:.*\d *\n)+)(.*)\n", re.MULTILINE)
SAVED = re.compile(r"^\$ relgauss fit .*--save (\S+).*\n((?:(?!\$ |```).*\n)+)", re.MULTILINE)
PREDICTED = re.compile(
    rf"^\$ printf '(.*)' > \S+\n\$ relgauss predict (\S+) .*\nprediction\n((?:{NUMBER}\n)+)", re.MULTILINE
)
GROUP = re.compile(rf"^ (\S.*?)  +([\d,]+) +({NUMBER}) +({NUMBER}) to ({NUMBER})$", re.MULTILINE)
USABLE = re.compile(r"((?:^ .*\n)+)\nAll (\d+) usable groups", re.MULTILINE)
DEMO = re.compile(
    rf"^ (\S.*?)  +([\d,]+) +([\d,]+) +(-?[\d,]+) +({NUMBER}) % +([\d,]+) +({NUMBER}) %$", re.MULTILINE
)
CELLS = re.compile(r"^ (\S.*?)  +([\d,].*)\n((?: {15,}.*\n)+)", re.MULTILINE)


def value(text: str) -> float:
    return float(text.replace(",", ""))


def printed(file: Path) -> str:
    """A page as it is, or all that a notebook prints."""
    text = file.read_text(encoding="utf-8")
    if file.suffix == ".md":
        return text
    outputs = [each for cell in json.loads(text)["cells"] for each in cell.get("outputs", [])]
    return "\n".join("".join(each.get("text") or each["data"]["text/plain"]) for each in outputs)


def wrong_statements(text: str) -> list[str]:
    """Statements whose epsilon, or what it means, does not follow from what was spent."""
    wrong = []
    for epsilon, delta, lines in STATEMENT.findall(text):
        said = re.sub(r"\n {6,}", " ", lines)
        spent = [line for line in said.splitlines() if line.startswith("  spent")]
        found = [SPENT.search(line) for line in spent]
        if not spent or None in found:  # cut out, or a Gaussian pair
            continue
        parts = [
            (rg.GaussianDP(value(each[1])), int(each[2] or 1))
            if each[1]
            else rg.ApproximateDP(value(each[3]), value(each[4]))
            for each in found
            if each
        ]
        everything = rg.compose(*parts)
        if not math.isclose(everything.epsilon(value(delta)), value(epsilon), rel_tol=2e-3):
            wrong.append(f"epsilon {epsilon} is {everything.epsilon(value(delta)):.4f} by what was spent")
        for means in MEANS.findall(said):
            true = [100 * true_positive_rate(everything, rate) for rate in (0.01, 0.1)]
            true.append(100 * (0.5 + bayes_advantage(everything)))
            wrong += [
                f"{shown} % is {right:.2f} %"
                for shown, right in zip(map(value, means), true, strict=True)
                if not right / 1.002 <= shown <= 1.01 * right
            ]
    return wrong


def models(text: str) -> list[tuple[dict[str, list[float]], tuple[float, float] | None]]:
    """Each printed model: the numbers of its rows, and the range of its predictions."""
    found = []
    for rows, below in MODEL.findall(text):
        limits = re.search(rf"predictions lie between ({NUMBER}) and ({NUMBER})", below)
        table = {name: [value(each) for each in row] for name, *row in map(str.split, rows.splitlines())}
        found.append((table, (value(limits[1]), value(limits[2])) if limits else None))
    return found


def wrong_models(text: str) -> list[str]:
    """Rows of models whose numbers cannot be of one fit."""
    wrong = []
    for rows, _ in models(text):
        for name, (coefficient, error, low, high, *clipped) in rows.items():
            widths = (coefficient - low) / error, (high - coefficient) / error
            if not all(1.95 < width < 2.6 for width in widths):
                wrong.append(f"{name}: the interval is {widths[0]:.2f} and {widths[1]:.2f} errors about it")
            if "=" in name and clipped != [0.0, 1.0]:
                wrong.append(f"{name}: a category is 0 or 1, and not clipped to {clipped}")
    return wrong


def wrong_predictions(text: str) -> list[str]:
    """Predictions that do not follow from the coefficients that are printed of the same model."""
    saved = {name: models(output)[0] for name, output in SAVED.findall(text)}
    wrong = []
    for table, name, predictions in PREDICTED.findall(text):
        rows, limits = saved[name]
        header, *records = [line.split(",") for line in table.strip("\\n").split("\\n")]
        for record, shown in zip(records, map(value, predictions.split()), strict=True):
            cells = dict(zip(header, record, strict=True))
            total, size = rows["intercept"][0], abs(rows["intercept"][0])
            for feature, (coefficient, _, _, _, *clipped) in list(rows.items())[1:]:
                column, _, category = feature.partition("=")
                cell = float(cells[column] == category) if category else float(cells[column] or 0)
                total += coefficient * min(max(cell, clipped[0]), clipped[1])
                size += abs(coefficient * cell)
            total = min(max(total, limits[0]), limits[1]) if limits else total
            if abs(total - shown) > 2e-4 * size:
                wrong.append(f"{','.join(record)}: {shown:,.0f}, and {total:,.0f} by the coefficients")
    return wrong


def wrong_groups(text: str) -> list[str]:
    """Groups that are outside of their interval, not as many as is said, or not off as is said."""
    wrong = [
        f"{name}: {mean} is not in {low} to {high}"
        for name, _, mean, low, high in GROUP.findall(text)
        if not value(low) <= value(mean) <= value(high)
    ]
    for rows, count in USABLE.findall(text):
        if len(GROUP.findall(rows)) != int(count):
            wrong.append(f"{count} usable groups are said, {len(GROUP.findall(rows))} are shown")
    for name, _, true, *both in DEMO.findall(text):
        for shown, off in (both[:2], both[2:]):
            right = 100 * abs(value(shown) / value(true) - 1)
            if abs(right - value(off)) > 0.05 * right + 50 / value(true):
                wrong.append(f"{name}: {shown} is off by {right:.3g} %, not {off} %")
    return wrong


def wrong_cells(text: str) -> list[str]:
    """Cells of a table of several statistics: outside of their interval, or wide and not called so."""
    wrong = []
    for name, numbers, below in CELLS.findall(text):
        estimates = [value(each) for each in re.findall(NUMBER, numbers)[1:]]
        lows = [value(each) for each in re.findall(rf"({NUMBER}) to\b", below)]
        ends = re.sub(rf"{NUMBER} to\b", "", below)
        highs = [value(each) for each in re.findall(NUMBER, ends)]
        if len(lows) != len(estimates) or len(highs) != len(estimates):
            continue  # another kind of table
        cells = list(zip(estimates, lows, highs, strict=True))
        wrong += [
            f"{name}: {each} is not in {low} to {high}"
            for each, low, high in cells
            if not low <= each <= high
        ]
        wide = sum(high - low > 0.1 if high <= 1 else high > 2 * low for _, low, high in cells)
        if wide != len(re.findall(r"\bwide\b", below)):
            wrong.append(f"{name}: {wide} intervals are wide, {below.count('wide')} are called so")
    return wrong


CHECKS = (wrong_statements, wrong_models, wrong_predictions, wrong_groups, wrong_cells)


@pytest.mark.parametrize("page", PAGES, ids=[page.name for page in PAGES])
def test_printed_numbers_agree(page: Path):
    text = printed(page)
    assert [problem for check in CHECKS for problem in check(text)] == []


def test_the_pages_have_something_to_check():
    text = "\n".join(map(printed, PAGES))
    assert len(STATEMENT.findall(text)) > 8
    assert len(MODEL.findall(text)) >= 2
    assert len(PREDICTED.findall(text)) >= 1
    assert len(GROUP.findall(text)) > 15
    assert len(USABLE.findall(text)) >= 2
    assert len(DEMO.findall(text)) == 9
    assert len(CELLS.findall(text)) > 8


STATED = """Privacy: epsilon 1 at delta 1e-06
  unit        one row is one person
  means       a test with 1 % (10 %) false alarms finds a record in at most
              1.84 % (14.9 %); a guess between two is right in at most 54.8 %
  spent       a: 0.136661-GDP × 2 [proofs/regression.md]
  spent       b: 0.136662-GDP [proofs/regression.md]
"""
FITTED = """$ relgauss fit homes.csv --target price --save homes.json
           coefficient  std. error  95 % from       to  clipped from   to
intercept          100          10         80      120
area                10           1          8       12             0  256
town=port           50           5         40       60             0    1
Features are clipped as shown, and predictions lie between 0 and 2000.
```

```console
$ printf 'area,town\\n20,port\\n300,hill\\n' > new.csv
$ relgauss predict homes.json new.csv
prediction
350
2000
"""
GROUPS = """ clerk     400   25,215        25,163 to 25,267
 pilot      60  147,940      145,917 to 149,997

All 2 usable groups; 0 are not usable.
 Cashier             400     25,202     15,078     40 %     25,197   0.02 %
"""
TABLE = """ clerk            3,525     71,468      1,921     0.6079
                         69,947 to   1,501 to  0.5978 to
                            73,372      3,968      0.624
                                         wide
"""


@pytest.mark.parametrize(
    ("right", "shown", "planted"),
    [
        (STATED, "0.136661", "0.146661"),
        (STATED, "× 2", "× 3"),
        (STATED, "1.84", "1.64"),
        (FITTED, "8       12", "5       12"),
        (FITTED, "0    1\n", "0  1.5\n"),
        (FITTED, "350", "380"),
        (FITTED, "\n2000\n", "\n2660\n"),
        (GROUPS, "25,215", "26,215"),
        (GROUPS, "All 2", "All 3"),
        (GROUPS, "40 %", "60 %"),
        (TABLE, "1,921", "921"),
        (TABLE, "3,968", "2,968"),
    ],
)
def test_a_planted_number_is_seen(right: str, shown: str, planted: str):
    assert [problem for check in CHECKS for problem in check(right)] == []
    spoilt = right.replace(shown, planted, 1)
    assert spoilt != right
    assert [problem for check in CHECKS for problem in check(spoilt)]
