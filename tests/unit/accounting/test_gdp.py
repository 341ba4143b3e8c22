"""The parameter that a budget buys: searched once for each budget."""

import pytest

from relgauss.accounting import gdp


def test_one_budget_is_searched_once(monkeypatch: pytest.MonkeyPatch):
    searches, search = [], gdp.largest_allowed

    def counted(*arguments: object) -> float:
        searches.append(arguments)
        return search(*arguments)

    monkeypatch.setattr(gdp, "largest_allowed", counted)
    gdp.mu.cache_clear()
    found = [gdp.mu(epsilon, 1e-6) for epsilon in (0.5, 1.0, 0.5, 1.0, 0.5)]
    assert len(searches) == 2
    assert found[0] == found[2] == found[4] < found[1] == found[3]
