"""Events of dp_accounting come in as they are written, and nothing else does."""

import json

import dp_accounting
import pytest
from dp_accounting import dp_event

from relgauss.accounting import from_dp_accounting
from relgauss.errors import NoEventError
from relgauss.ledger.event_text import read_event

GAUSSIAN = dp_accounting.GaussianDpEvent(1.25)
EVENTS = {
    "gaussian": GAUSSIAN,
    "laplace": dp_accounting.LaplaceDpEvent(3.0),
    "discrete laplace": dp_event.DiscreteLaplaceDpEvent(0.5, 2),
    "zcdp": dp_event.ZCDpEvent(0.1),
    "nothing": dp_accounting.NoOpDpEvent(),
    "training": dp_accounting.SelfComposedDpEvent(dp_accounting.PoissonSampledDpEvent(0.01, GAUSSIAN), 50),
    "batches": dp_accounting.SampledWithoutReplacementDpEvent(1000, 10, GAUSSIAN),
    "several": dp_accounting.ComposedDpEvent([GAUSSIAN, dp_accounting.LaplaceDpEvent(3.0)]),
}


@pytest.mark.parametrize("name", list(EVENTS))
def test_an_event_is_what_it_was(name: str):
    event = EVENTS[name]
    assert read_event(json.dumps(event.to_named_tuple())) == event
    assert read_event(json.dumps(event.to_named_tuple()._asdict())) == event


def test_what_it_promises_is_the_same():
    event = EVENTS["several"]
    again = from_dp_accounting(read_event(json.dumps(event.to_named_tuple())), neighbours="add-or-remove")
    assert again == from_dp_accounting(event, neighbours="add-or-remove")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "1",
        "[]",
        '["os", "system", "true"]',
        '["dp_accounting.dp_event", "DpEvent.mro"]',
        '["dp_accounting.dp_event", "attr"]',
        '["dp_accounting.dp_event", "GaussianDpEvent"]',
        '["dp_accounting.dp_event", "GaussianDpEvent", 1.0, 2.0]',
        '["dp_accounting.dp_event", "GaussianDpEvent", "1.0"]',
        '["dp_accounting.dp_event", "GaussianDpEvent", true]',
        '{"class_name": "GaussianDpEvent", "noise": 1.0}',
        '{"class_name": "GaussianDpEvent", "module_name": "os", "noise_multiplier": 1.0}',
        '["dp_accounting.dp_event", "SelfComposedDpEvent", 3, 2]',
        "[" * 100_000,
    ],
)
def test_other_texts_are_refused(text: str):
    with pytest.raises(NoEventError):
        read_event(text)
