"""No neighbour moves an answer of a baseline by more than its bound, however far its records lie outside."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from relgauss.bounded import BoundedAnswer
from relgauss.linear_model.baselines import AdaSSP, ClippedGD, bounded
from relgauss.spending import Noisy, Spending

models = st.builds(AdaSSP, row_norm=st.sampled_from([0.7, None]), fit_intercept=st.booleans()) | st.builds(
    ClippedGD, steps=st.just(4), threshold=st.just(0.2), fit_intercept=st.booleans()
)


def released(model: Any, X: np.ndarray, y: np.ndarray) -> list[BoundedAnswer]:
    """The answers that a fit would release, if what it learns of earlier ones told nothing of the records."""
    answers: list[BoundedAnswer] = []

    class Recorder(Spending):
        def release(self, stage: str, answer: BoundedAnswer, share: float) -> Noisy:
            answers.append(answer)
            public = np.random.default_rng(len(answers)).normal(size=answer.value.size)
            return Noisy(public, super().release(stage, answer, share).noise_std)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(bounded, "Spending", Recorder)
        model.set_params(random_state=0).fit(X, y)
    return answers


def largest_move(model: Any, seed: int, size: float) -> float:
    """How far another first record moves an answer, at most, as a part of its sensitivity."""
    rng = np.random.default_rng(seed)
    X, y = size * rng.standard_normal((4, 3)), size * rng.standard_normal(4)
    other_X, other_y = X.copy(), y.copy()
    other_X[0], other_y[0] = -size * rng.standard_normal(3), -size
    return max(
        float(np.linalg.norm(one.value - other.value)) / one.sensitivity.r
        for one, other in zip(released(model, X, y), released(model, other_X, other_y), strict=True)
    )


@given(models, st.integers(0, 2**32), st.integers(-1, 5).map(lambda power: 10.0**power))
def test_no_neighbour_moves_an_answer_by_more_than_its_bound(model: Any, seed: int, size: float):
    assert largest_move(model, seed, size) <= 1


@pytest.mark.parametrize("model", [AdaSSP(), ClippedGD(steps=4, threshold=0.2)], ids=str)
def test_the_law_catches_a_sensitivity_of_half(model: Any, monkeypatch: pytest.MonkeyPatch):
    real = BoundedAnswer.enforced
    monkeypatch.setattr(
        BoundedAnswer, "enforced", classmethod(lambda _, value, bound, *rest: real(value, bound / 2, *rest))
    )
    assert max(largest_move(model, seed, 100.0) for seed in range(20)) > 1
