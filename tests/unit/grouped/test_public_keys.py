"""Groups as found are published as they are: columns that tell single rows apart are refused before that."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from relgauss.errors import TableError
from relgauss.forecast.public_numbers import group_sizes
from relgauss.grouped import release_means, release_table
from relgauss.ledger import Ledger

BUDGET = {"epsilon": 1.0, "delta": 1e-6}


def staff(rows: int = 2_000) -> pd.DataFrame:
    rng = np.random.default_rng(1)
    pay = 5e4 * np.exp(0.3 * rng.normal(size=rows))
    return pd.DataFrame(
        {
            "who": rng.integers(0, rows // 2, rows),
            "job": rng.choice(["nurse", "pilot"], rows),
            "year": rng.choice([str(year) for year in range(2000, 2030)], rows),
            "grade": rng.choice([f"{grade / 10:.1f}" for grade in range(10, 50)], rows),
            "pay": [f"${each:,.2f}" for each in pay],
            "rounded": [f"${1_000 * round(each / 1_000):,}" for each in pay],
            "bonus": rng.exponential(1_000.0, rows),
        }
    )


def _table(by: str, ledger: Ledger | None = None) -> object:
    return release_table(
        staff(), by=by, values={"bonus": "mean"}, numbers="$1,234.50", ledger=ledger, **BUDGET
    )


def _means(by: str, ledger: Ledger | None = None) -> object:
    return release_means(staff(), by=by, value="bonus", numbers="$1,234.50", ledger=ledger, **BUDGET)


def _spread(by: str, ledger: Ledger | None = None) -> object:
    return release_means(staff(), by=by, value="bonus", spread=0.1, ledger=ledger, **BUDGET)


def _forecast(by: str, ledger: Ledger | None = None) -> object:
    return group_sizes(staff(), by=by, value="bonus")


@pytest.mark.parametrize("ask", [_table, _means, _spread, _forecast])
@pytest.mark.parametrize("by", ["who", "pay"])
def test_an_identity_or_an_amount_is_no_public_group(ask: Callable[..., object], by: str, tmp_path: Path):
    ledger = Ledger.create(tmp_path / "x.ledger", dataset="x", unit="row", epsilon=4, delta=1e-5)
    with pytest.raises(TableError, match=f"groups by '{by}' have one or two rows, and the keys") as refused:
        ask(by, ledger)
    assert "(are --by and --value swapped?)" in str(refused.value)
    assert "$" not in str(refused.value), "no key is quoted"
    assert not ledger.state().spends


@pytest.mark.parametrize("ask", [_table, _means])
def test_amounts_that_several_people_have_are_told_by_how_they_are_written(ask: Callable[..., object]):
    with pytest.raises(TableError, match="groups by 'rounded' are amounts, as numbers are written here"):
        ask("rounded")


@pytest.mark.parametrize("ask", [_table, _means, _forecast])
@pytest.mark.parametrize("by", ["job", "year", "grade"])
def test_numbers_that_are_names_of_groups_stay(ask: Callable[..., object], by: str):
    ask(by)


def test_a_long_tail_of_rare_keys_beside_large_groups_stays():
    jobs = ["nurse"] * 2_000 + [f"job {number}" for number in range(300)]
    data = pd.DataFrame({"job": jobs, "pay": np.ones(len(jobs))})
    assert len(release_table(data, by="job", values={"pay": "mean"}, **BUDGET)) == 301


def test_listed_and_private_groups_may_be_of_any_column():
    data = staff()
    for groups in ("private", sorted(set(data["who"].tolist()))):
        release_table(data, by="who", values={"bonus": "mean"}, groups=groups, **BUDGET)
