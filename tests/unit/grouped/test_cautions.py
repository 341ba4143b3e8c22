"""Mistakes that public and released numbers show: groups of one row, and text that is no number. Seeded."""

import numpy as np
import pandas as pd

from relgauss.grouped import release_means, release_table

BUDGET = {"epsilon": 1.0, "delta": 1e-6, "value_range": (1.0, 1e6)}


def rides(rows: int = 900) -> pd.DataFrame:
    rng = np.random.default_rng(3)
    fare = np.round(rng.gamma(4.0, 5.0, rows) + 2.5, 2)
    return pd.DataFrame({"ride": np.arange(rows), "town": rng.choice(["a", "b"], rows), "fare": fare})


def cautions(data: pd.DataFrame, by: str, **options: object) -> tuple[list[str], list[str]]:
    """What a table and what means say."""
    rng = np.random.default_rng(4)
    table = release_table(data, by=by, values={"fare": ["mean", "zeros"]}, rng=rng, **BUDGET, **options)
    means = release_means(data, by=by, value="fare", rng=rng, **BUDGET, **options)
    assert means.to_dict()["cautions"] == means.cautions()
    return table.cautions(), means.cautions()


def test_a_table_as_it_should_be_has_none():
    assert cautions(rides(), "town") == ([], [])


def test_groups_of_one_row_are_called_too_small_all_of_them():
    for found in cautions(rides(300), "ride"):
        (caution,) = found
        assert "Every group by 'ride' is too small" in caution
        assert "The largest has 1 rows" not in caution
        assert "coarser columns" in caution


def test_a_column_without_numbers_shows_by_its_noisy_count():
    data = rides().assign(fare=lambda table: "$" + table["fare"].astype(str))
    for found in cautions(data, "town", numbers="1234.50 €"):
        (caution,) = found
        assert "of the rows have no number in 'fare': check how its numbers are written" in caution


def test_a_range_that_cuts_values_off_shows():
    rng = np.random.default_rng(5)
    means = release_means(rides(), by="town", value="fare", rng=rng, **BUDGET | {"value_range": (1.0, 20.0)})
    (caution,) = means.cautions()
    assert "in the last step of the public range" in caution


def test_a_budget_that_protects_hardly_anybody():
    rng = np.random.default_rng(6)
    large = BUDGET | {"epsilon": 30.0, "delta": 0.1}
    found = release_means(rides(), by="town", value="fare", rng=rng, **large).cautions()
    assert [each.split()[0] for each in found] == ["Epsilon", "Delta"]
