"""What a model predicts that is but a constant."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from relgauss.linear_model.saved import Model


def predicted_constant(model: Model) -> dict[str, str]:
    """The number, or the probability of each class."""
    from scipy.special import softmax

    from relgauss.linear_model import PrivateRidge

    if isinstance(model, PrivateRidge):
        return {"constant": f"{model.intercept_:.6g}"}
    scores = np.ravel(model.intercept_)
    chances = softmax(scores if len(scores) > 1 else [0.0, scores[0]])
    return {str(each): f"{chance:.6g}" for each, chance in zip(model.classes_, chances, strict=True)}
