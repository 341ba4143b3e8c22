"""Private estimates of where values lie, on a logarithmic grid over a public range."""

from relgauss.estimate.fit import Fit, fit_shapes
from relgauss.estimate.forms import learn_forms
from relgauss.estimate.log_counts import NoisyCounts, count_mechanism
from relgauss.estimate.log_grid import LogGrid
from relgauss.estimate.mixture import Mixture
from relgauss.estimate.shapes import Shapes, shapes_on
from relgauss.estimate.window import Windows, choose_windows

__all__ = [
    "Fit",
    "LogGrid",
    "Mixture",
    "NoisyCounts",
    "Shapes",
    "Windows",
    "choose_windows",
    "count_mechanism",
    "fit_shapes",
    "learn_forms",
    "shapes_on",
]
