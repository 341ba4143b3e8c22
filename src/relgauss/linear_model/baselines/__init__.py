"""Known private regressions that need bounds, done fairly: what our own models compare with."""

from relgauss.linear_model.baselines.adassp import AdaSSP
from relgauss.linear_model.baselines.clipped_gd import ClippedGD

__all__ = ["AdaSSP", "ClippedGD"]
