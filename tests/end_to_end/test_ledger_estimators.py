"""Everything that releases takes a ledger: it is reserved before noise is drawn, and stopped in time."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

import relgauss as rg
from relgauss.errors import InvalidParameterError, NoGuaranteeError, OverBudgetError
from relgauss.grouped import release_means, release_table
from relgauss.ledger import Ledger
from relgauss.linear_model import PrivateLogisticRegression, PrivateRidge
from relgauss.linear_model.baselines import AdaSSP, ClippedGD
from relgauss.noise import discrete_laplace, lattice
from relgauss.records import read_records

ROWS = 3000
BOUNDS = {"feature_bounds": (-4, 4), "label_bounds": (-8, 8)}
MODELS = {
    "ridge": PrivateRidge(1.0, 1e-6),
    "ridge, isometric": PrivateRidge(1.0, 1e-6, mechanism="isometric"),
    "ridge, tested": PrivateRidge(1.0, 1e-6, mechanism="isometric", rho=0.3),
    "logistic": PrivateLogisticRegression(1.0, 1e-6),
    "AdaSSP": AdaSSP(1.0, 1e-6, **BOUNDS),
    "ClippedGD": ClippedGD(1.0, 1e-6, **BOUNDS),
}


@pytest.fixture(scope="module")
def records() -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(5)
    features = rng.normal(size=(ROWS, 2))
    return features, features @ [1.0, -0.5] + 0.3 * rng.normal(size=ROWS)


@pytest.fixture
def ledger(tmp_path) -> Ledger:
    aside = {"for_pure": 0.5, "for_failures": 1e-6}
    return Ledger.create(tmp_path / "x.ledger", dataset="x", unit="row", epsilon=2.0, delta=2.5e-6, **aside)


def fitted(model, records):
    features, labels = records
    is_classifier = isinstance(model, PrivateLogisticRegression)
    return model.fit(features, (labels > 0).astype(int) if is_classifier else labels)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", MODELS)
def test_a_fit_is_counted_with_its_statement(name, records, ledger):
    model = fitted(clone(MODELS[name]).set_params(ledger=ledger), records)
    (spend,) = ledger.state().spends
    assert (spend.status, spend.what.split(" by ")[0]) == ("released", type(model).__name__)
    counted, stated = rg.compose(*spend.charges).epsilon(1e-6), model.privacy_.epsilon(1e-6)
    assert stated * (1 - 1e-9) <= counted <= 1.0
    assert ledger.verify().entries == 3


@pytest.mark.filterwarnings("ignore")
def test_a_fit_is_known_by_its_target_too(records, ledger):
    features, labels = records
    frame = pd.DataFrame(features, columns=["age", "area"]).assign(pay=labels)
    PrivateRidge(0.5, 1e-7, ledger=ledger).fit(frame[["age", "area"]], frame["pay"])
    PrivateRidge(0.5, 1e-7, ledger=ledger).fit(read_records(frame, target="pay"))
    told = [spend.what for spend in ledger.state().spends]
    assert told == ["PrivateRidge of pay by age, area"] * 2


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", MODELS)
def test_a_fit_that_does_not_fit_draws_nothing(name, records, tmp_path, monkeypatch):
    small = Ledger.create(tmp_path / "s", dataset="x", unit="row", epsilon=0.5, delta=1e-6)

    def never(*_: object, **__: object) -> None:
        raise AssertionError("noise was drawn")

    monkeypatch.setattr(lattice, "_add", never)
    monkeypatch.setattr(discrete_laplace, "draw", never)
    model = clone(MODELS[name]).set_params(ledger=small)
    with pytest.raises(OverBudgetError, match="left"):
        fitted(model, records)
    assert small.state().spends == ()
    assert not hasattr(model, "coef_")


@pytest.mark.filterwarnings("ignore")
def test_relative_noise_counts_at_renyi_orders(records, tmp_path):
    known = {"feature_bounds": (-5, 5), "label_bounds": (-8, 8), "alpha": 50.0}
    model = PrivateRidge(1.0, 1e-6, mechanism="relative", **known)
    plain = Ledger.create(tmp_path / "p", dataset="x", unit="row", epsilon=3, delta=1e-6, for_failures=5e-7)
    with pytest.raises(OverBudgetError, match="orders="):
        fitted(clone(model).set_params(ledger=plain), records)
    orders = {"orders": (8, 16, 32), "for_failures": 5e-7}
    ledger = Ledger.create(tmp_path / "o", dataset="x", unit="row", epsilon=3, delta=1e-6, **orders)
    fitted(clone(model).set_params(ledger=ledger), records)
    assert [spend.status for spend in ledger.state().spends] == ["released"]


@pytest.mark.filterwarnings("ignore")
def test_a_whole_budget_fits_once(records, tmp_path):
    ledger = Ledger.create(tmp_path / "w", dataset="x", unit="row", epsilon=1.0, delta=1e-6)
    fitted(PrivateRidge(1.0, 1e-6, ledger=ledger), records)
    with pytest.raises(OverBudgetError):
        fitted(PrivateRidge(0.01, 1e-6, ledger=ledger), records)


@pytest.mark.filterwarnings("ignore")
def test_noise_that_fails_leaves_the_fit_spent(records, ledger, monkeypatch):
    def fails(*_: object, **__: object) -> None:
        raise OSError("no randomness")

    monkeypatch.setattr(lattice, "_add", fails)
    with pytest.raises(OSError, match="no randomness"):
        fitted(PrivateRidge(1.0, 1e-6, ledger=ledger), records)
    assert [spend.status for spend in ledger.state().spends] == ["reserved"]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", ["ridge", "AdaSSP"])
def test_a_seed_and_a_ledger_exclude_each_other(name, records, ledger):
    with pytest.raises(InvalidParameterError, match="simulated"):
        fitted(clone(MODELS[name]).set_params(ledger=ledger, random_state=1), records)
    assert ledger.state().spends == ()


@pytest.fixture
def pay(tmp_path) -> str:
    rng = np.random.default_rng(7)
    rows = [f"{job},{30 * 2**job * rng.uniform(0.95, 1.05):.2f}" for job in range(3) for _ in range(900)]
    (tmp_path / "pay.csv").write_text("\n".join(["job,pay", *rows]))
    return str(tmp_path / "pay.csv")


@pytest.mark.parametrize("spread", [None, 0.2])
def test_means_are_counted_and_stopped(spread, pay, tmp_path, monkeypatch):
    ledger = Ledger.create(tmp_path / "m", dataset="pay", unit="row", epsilon=1.0, delta=1e-6)
    asked = {"by": "job", "value": "pay", "epsilon": 0.6, "delta": 1e-6, "spread": spread, "ledger": ledger}
    released = release_means(pay, **asked)
    (spend,) = ledger.state().spends
    assert (spend.status, spend.what) == ("released", "mean pay by job")
    assert spend.charges == released.privacy.charges
    assert ledger.state().neighbours == released.privacy.neighbours
    release_means(pay, **asked)

    def never(*_: object, **__: object) -> None:
        raise AssertionError("noise was drawn")

    monkeypatch.setattr(lattice, "_add", never)
    with pytest.raises(OverBudgetError):
        release_means(pay, **asked)
    with pytest.raises(InvalidParameterError, match="simulated"):
        release_means(pay, **asked, rng=np.random.default_rng(1))
    assert len(ledger.state().spends) == 2


@pytest.mark.filterwarnings("ignore")
def test_means_within_groups_and_a_fit_share_a_ledger_that_says_so(pay, records, tmp_path):
    """A fit protects against more than means within groups do: it counts there, they do not count with it."""
    first = Ledger.create(tmp_path / "1", dataset="pay", unit="row", epsilon=3.0, delta=1e-6)
    release_means(pay, by="job", value="pay", epsilon=0.5, delta=1e-6, ledger=first)
    fitted(PrivateRidge(0.5, 1e-6, ledger=first), records)
    assert len(first.state().spends) == 2
    second = Ledger.create(tmp_path / "2", dataset="pay", unit="row", epsilon=3.0, delta=1e-6)
    fitted(PrivateRidge(0.5, 1e-6, ledger=second), records)
    with pytest.raises(NoGuaranteeError, match="comes on top"):
        release_means(pay, by="job", value="pay", epsilon=0.5, delta=1e-6, ledger=second)


def test_tables_are_counted_by_what_they_protect(tmp_path, monkeypatch):
    rows = [f"{number % 400},{'ab'[number % 2]},{100 + number % 7}" for number in range(1200)]
    (tmp_path / "visits.csv").write_text("\n".join(["id,clinic,cost", *rows]))
    asked = {"by": "clinic", "values": {"cost": "mean"}, "epsilon": 0.5, "delta": 1e-6}
    given = {"dataset": "visits", "unit": "person", "epsilon": 1.0, "delta": 1e-6}
    ledger = Ledger.create(tmp_path / "v", **given)
    release_table(str(tmp_path / "visits.csv"), **asked, person="id", groups=["a", "b"], ledger=ledger)
    (spend,) = ledger.state().spends
    assert (spend.status, spend.what) == ("released", "cost (mean) by clinic")
    stated = [condition.text for condition in ledger.statement().conditions()]
    assert any(text.startswith("at most ") and " of a person" in text for text in stated)  # found on the way
    with pytest.raises(NoGuaranteeError, match="comes on top"):
        release_table(str(tmp_path / "visits.csv"), **asked, ledger=ledger)

    def never(*_: object, **__: object) -> None:
        raise AssertionError("noise was drawn")

    monkeypatch.setattr(lattice, "_add", never)
    whole = asked | {"epsilon": 1.0}
    with pytest.raises(OverBudgetError):
        release_table(str(tmp_path / "visits.csv"), **whole, person="id", groups=["a", "b"], ledger=ledger)
    with pytest.raises(OverBudgetError, match="for_failures"):  # groups that are found may leak
        release_table(
            str(tmp_path / "visits.csv"),
            **asked | {"epsilon": 0.1},
            person="id",
            groups="private",
            ledger=ledger,
        )
    assert len(ledger.state().spends) == 1
