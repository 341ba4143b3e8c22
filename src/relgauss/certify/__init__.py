"""Certificates: how far one record can move a gradient, from released or public numbers only.

A certificate is a lower bound rho on the least eigenvalue of the whitened second moments, valid for the
data and for all its neighbours; ``gradient_sensitivity`` turns it into a bound that mechanisms take.
"""

from relgauss.certify.by_regulariser import certify_by_regulariser
from relgauss.certify.by_release import certify_by_release, certify_within
from relgauss.certify.by_test import propose_test_release, propose_within
from relgauss.certify.gaussian_features import expected_eigenvalue
from relgauss.certify.general_objectives import linear_form, quadratic_form
from relgauss.certify.gradient_bound import gradient_sensitivity, public_iterate_sensitivity
from relgauss.certify.outcome import Certified, Refused
from relgauss.certify.row_bounds import RowBounds

__all__ = [
    "Certified",
    "Refused",
    "RowBounds",
    "certify_by_regulariser",
    "certify_by_release",
    "certify_within",
    "expected_eigenvalue",
    "gradient_sensitivity",
    "linear_form",
    "propose_test_release",
    "propose_within",
    "public_iterate_sensitivity",
    "quadratic_form",
]
