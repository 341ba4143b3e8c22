"""The bar over the passes of a fit: its total is enough, and it never ends a fit."""

import io
import warnings
from typing import Any

import numpy as np
import pytest

from relgauss.linear_model import PrivateLogisticRegression, PrivateRidge, progress
from relgauss.linear_model.progress import shown_passes
from relgauss.records.blocks import Passes

FEATURES = np.random.default_rng(0).normal(size=(3_000, 2))
LABELS = FEATURES @ [1.0, 2.0]
MODELS: dict[str, Any] = {
    "clipped": PrivateRidge(3.0, random_state=0, verbose=True),
    "bounds": PrivateRidge(3.0, random_state=0, verbose=True, feature_bounds=(-5.0, 5.0)),
    "isometric": PrivateRidge(30.0, random_state=0, verbose=True, mechanism="isometric"),
    "logistic": PrivateLogisticRegression(3.0, random_state=0, verbose=True, classes=[0, 1]),
    "classes": PrivateLogisticRegression(3.0, random_state=0, verbose=True, classes=[0, 1, 2]),
}


@pytest.mark.parametrize("name", MODELS)
def test_the_total_is_enough_and_not_far_off(name: str, monkeypatch: pytest.MonkeyPatch):
    totals = []
    honest = progress.shown_passes

    def noted(passes: Passes, planned: int) -> Any:
        totals.append(planned)
        return honest(passes, planned)

    monkeypatch.setattr("relgauss.linear_model.estimator.shown_passes", noted)
    labels = LABELS if isinstance(MODELS[name], PrivateRidge) else (LABELS > 0).astype(int)
    model = MODELS[name].fit(FEATURES, labels)
    assert 0.5 * totals[0] <= model.n_passes_ <= totals[0]


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_terminal_shows_how_many_passes_there_are(monkeypatch: pytest.MonkeyPatch):
    terminal = Terminal()
    monkeypatch.setattr("sys.stderr", terminal)
    passes = Passes()
    with shown_passes(passes, 37):
        assert passes.tell is not None
        passes.tell(5)
    assert "5/37" in terminal.getvalue()
    assert passes.tell is None


def test_what_is_no_terminal_shows_nothing(capsys: pytest.CaptureFixture[str]):
    MODELS["clipped"].fit(FEATURES, LABELS)
    assert capsys.readouterr().err == ""


class Broken(Terminal):
    def write(self, text: str) -> int:
        raise OSError("no space left")


def test_a_bar_that_cannot_be_drawn_ends_no_fit(monkeypatch: pytest.MonkeyPatch):
    expected = PrivateRidge(3.0, random_state=0).fit(FEATURES, LABELS)
    monkeypatch.setattr("sys.stderr", Broken())
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = MODELS["clipped"].fit(FEATURES, LABELS)
    assert (model.coef_ == expected.coef_).all()
