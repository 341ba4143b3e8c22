"""Linear models that are differentially private, with nothing to guess."""

from relgauss.linear_model.callers import (
    EarlierStepsWarning,
    RepeatedSpendWarning,
    UnprotectedScoreWarning,
)
from relgauss.linear_model.logistic import PrivateLogisticRegression
from relgauss.linear_model.outcome import (
    Degraded,
    DegradedFitWarning,
    Fitted,
    HopelessFitWarning,
    IgnoredFeaturesWarning,
    PlainModelWarning,
    UnseenClassWarning,
    WrongBoundsWarning,
)
from relgauss.linear_model.ridge import PrivateRidge
from relgauss.linear_model.saved import load_model, save_model

__all__ = [
    "Degraded",
    "DegradedFitWarning",
    "EarlierStepsWarning",
    "Fitted",
    "HopelessFitWarning",
    "IgnoredFeaturesWarning",
    "PlainModelWarning",
    "PrivateLogisticRegression",
    "PrivateRidge",
    "RepeatedSpendWarning",
    "UnprotectedScoreWarning",
    "UnseenClassWarning",
    "WrongBoundsWarning",
    "load_model",
    "save_model",
]
