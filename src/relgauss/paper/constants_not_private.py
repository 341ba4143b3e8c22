"""The paper's constants, read from the private records: an illustration of what good constants would give.

A guarantee computed from them holds only "if the constants held" for all neighbours, which nobody checked.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.optimize import brentq

from relgauss.errors import UnreachableTargetError
from relgauss.mechanisms import RelativeGaussian
from relgauss.mechanisms.sensitivity import RelativeSensitivity
from relgauss.paper.node_objective import NodeObjective


@dataclass(frozen=True)
class ConstantsNotPrivate:
    """Of one node (the paper's experiment section and its appendix):

    eta = max_j sqrt(||x_j||² x_jᵀ A^{-2} x_j)/n       its factor sqrt(6) dropped, as there
    r   = eta ||b|| + 2 max_j ||x_j y_j||/n
    clip_threshold = max_j ||gradient of record j at the node's own minimiser||
    radius, label = max_j ||x_j||, max_j |y_j|         for the bound at a public iterate
    """

    eta: float
    r: float
    clip_threshold: float
    radius: float
    label: float

    @property
    def sensitivity(self) -> RelativeSensitivity:
        """The constants eta and r as a bound in the quadratic form, as the paper reads them."""
        return RelativeSensitivity(self.eta, self.r, "quadratic")


def constants_not_private(node: NodeObjective) -> ConstantsNotPrivate:
    """Read all constants from a node's records."""
    solved = node.features @ np.linalg.inv(node.matrix).astype(np.float32)
    leverage = node.squared_norms * np.einsum("ij,ij->i", solved, solved)
    eta = math.sqrt(float(leverage.max())) / node.rows
    largest = math.sqrt(float((node.squared_norms * node.labels**2).max()))
    _, norms = node.record_gradient_norms(node.minimiser)
    return ConstantsNotPrivate(
        eta,
        eta * float(np.linalg.norm(node.vector)) + 2 * largest / node.rows,
        float(norms.max()),
        math.sqrt(float(node.squared_norms.max())),
        float(np.abs(node.labels).max()),
    )


def relative_by_theorem(
    sensitivity: RelativeSensitivity, dim: int, alpha: float, epsilon: float
) -> RelativeGaussian:
    """The least gamma for which Theorem 1 states (alpha, epsilon)-RDP, in closed form:

    1/gamma = 2 epsilon slack/(alpha eta²) - d (2+eta)² (1+eta)²,   slack = 1 - eta (alpha-1) (2+eta)
    """
    eta = sensitivity.eta
    slack = 1 - eta * (alpha - 1) * (2 + eta)
    price = dim * ((2 + eta) * (1 + eta)) ** 2
    least = alpha * eta**2 * price / (2 * slack) if slack > 0 else math.inf
    if not epsilon > least:
        raise _unreachable(eta, epsilon, least)
    return RelativeGaussian(sensitivity, dim, 1 / (2 * epsilon * slack / (alpha * eta**2) - price))


def relative_exactly(
    sensitivity: RelativeSensitivity, dim: int, alpha: float, epsilon: float
) -> RelativeGaussian:
    """The least gamma whose exact Rényi divergence of this order is epsilon (proofs/exact-pair.md)."""
    least_gamma = alpha * sensitivity.eta**2 / (2 * epsilon)  # noise at the local scale alone

    def mechanism(log_growth: float) -> RelativeGaussian:
        return RelativeGaussian(sensitivity, dim, least_gamma * math.exp(log_growth))

    most = math.log(1e9)
    least = mechanism(most).rdp(alpha)
    if not epsilon > least:
        raise _unreachable(sensitivity.eta, epsilon, least)
    root = brentq(lambda x: mechanism(x).rdp(alpha) - epsilon, 0.0, most, xtol=1e-10)
    return mechanism(root + 1e-9)


def _unreachable(eta: float, epsilon: float, least: float) -> UnreachableTargetError:
    return UnreachableTargetError(
        f"ε = {epsilon:g} is out of reach at η = {eta:.2g}; the least is {least:.2g}.",
        "Use another mechanism, which has no such limit.",
        least,
    )
