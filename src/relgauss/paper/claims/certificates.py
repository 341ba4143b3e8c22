"""Claims about enforcing relative sensitivity: orders of matrices, Delta_+, the test, special features."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from relgauss.certify import expected_eigenvalue
from relgauss.paper.claims.claim import Claim, verdict
from relgauss.paper.procedure_not_private import accepts_not_private, delta_plus_not_private


def operator_monotonicity() -> Claim:
    """A >= rho C, but x's bound through C^{-2} is not one through A^{-2}."""
    c = np.diag([1.0, 1e-6])
    v = np.array([1.0, -1e-3])
    a = c + np.outer(v, v)
    ratio = float(np.linalg.inv(a @ a)[0, 0] / np.linalg.inv(c @ c)[0, 0])
    rng = np.random.default_rng(0)
    whitened = []
    for _ in range(200):
        root = rng.normal(size=(3, 3))
        matrix = root @ root.T + 0.1 * np.eye(3)
        rho = float(np.linalg.eigvalsh(matrix)[0])
        whitened.append(float(np.linalg.eigvalsh(np.linalg.inv(matrix @ matrix))[-1]) * rho**2)
    return Claim(
        "Ã ⪰ ρC gives Ã⁻² ⪯ ρ⁻²C⁻²",
        "Section 5.3, Proposition 1",
        "so η² = 6R⁴/(ρ²n²) can be chosen",
        f"C = diag(1, 10⁻⁶), Ã = C + vvᵀ, v = (1, −10⁻³): Ã − C = vvᵀ ⪰ 0, yet e₁ᵀÃ⁻²e₁ is {ratio:.3g} times "
        f"e₁ᵀC⁻²e₁. In whitened coordinates (C = I) the ratio is at most {max(whitened):.4g}",
        verdict(ratio <= 1, corrected=False),
    )


def delta_plus() -> Claim:
    """One replaced record moves the count by far more than one."""
    n, rho = 200, 0.5
    first, second = 9.016 + rho, 9.085 + rho
    large = 0.856 * n * 9.016
    rows = np.zeros((n, 2))
    rows[0, 0] = math.sqrt(large)
    rows[1:112, 0] = math.sqrt((n * first - large) / 111)
    rows[112:, 1] = math.sqrt(n * second / 88)
    neighbour = rows.copy()
    neighbour[0] = 0
    counts = [delta_plus_not_private(each, rho, np.eye(2)) for each in (rows, neighbour)]
    return Claim(
        "Δ₊ + Lap(1/ε) is ε-DP",
        "Section 5.3, Proposition 2",
        "the sorted-leverage count moves by at most one with one record",
        f"n = 200, d = 2, ρ = ½: Δ₊ = {counts[0]}, and {counts[1]} after one record is replaced by zero",
        verdict(abs(counts[0] - counts[1]) <= 1, corrected=False),
    )


def threshold() -> Claim:
    """How often the test passes at distance one, where a neighbour fails already."""
    delta, epsilons = 1e-6, (0.1, 0.69, 1.0, 3.0)
    ratios = {each: _pass_at_one(math.log(1 / delta) / each, each) / delta for each in epsilons}
    right = {each: _pass_at_one(1 + math.log(1 / (2 * delta)) / each, each) / delta for each in epsilons}
    text = ", ".join(f"{ratio:.3g}δ at ε = {epsilon:g}" for epsilon, ratio in ratios.items())
    return Claim(
        "Test threshold log(1/δ)/ε",
        "Section 5.3, Proposition 2",
        "a pass costs δ: data next to a failing set pass with probability at most δ",
        f"at distance 1 they pass with probability {text}: more than δ once e^ε > 2; "
        f"with 1 + log(1/(2δ))/ε it is {max(right.values()):.3g}δ at all of them",
        verdict(max(ratios.values()) <= 1, corrected=max(right.values()) <= 1 + 1e-9),
    )


def _pass_at_one(threshold: float, epsilon: float) -> float:
    """P[1 + Lap(1/epsilon) > threshold], for a threshold above one."""
    return math.exp(-epsilon * (threshold - 1)) / 2


def orthogonal_data() -> Claim:
    """Copies of d orthonormal vectors in half of the data, zeros in the other half."""
    found = {}
    for dim in (2, 5, 22):
        moments = np.eye(dim) / (2 * dim)
        found[dim] = float(np.linalg.inv(moments @ moments)[0, 0])
    text = ", ".join(f"{value:.0f} for d = {dim}" for dim, value in found.items())
    return Claim(
        "Orthogonal data",
        "Section 5.2, Appendix B.3",
        "‖X‖² XᵀA⁻²X ≤ 2d",
        f"it reaches {text}: 4d², the square of 2d",
        verdict(
            all(value <= 2 * dim for dim, value in found.items()),
            corrected=all(value <= 4 * dim**2 * (1 + 1e-9) for dim, value in found.items()),
        ),
    )


_DIM, _EPSILON, _DELTA, _SETS = 5, 0.5, 1e-6, 200
_RADIUS = math.sqrt(2 * _DIM)


def gaussian_features(seed: int = 0) -> Claim:
    """How often the paper's own test accepts its proposal, at the n it names and at larger ones."""
    rho = expected_eigenvalue(_DIM, _RADIUS) / 2
    rng = np.random.default_rng(seed)
    named = math.ceil(math.log(1 / _DELTA) * _RADIUS**2 / (2 * _EPSILON))
    sizes = [named, 2 * named, 4 * named, 6 * named]
    plain = [_acceptance(_counts(size, rho, 0.0, rng), rng) for size in sizes]
    penalty = 4 * _RADIUS**2 * math.sqrt(math.log(2 * _DIM / 0.01) / named)
    helped = _counts(named, rho, penalty, rng)
    refused = 0.5 * math.exp(-_EPSILON * (min(helped) - math.log(1 / _DELTA) / _EPSILON))
    rates = ", ".join(f"{100 * rate:.0f} % at n = {size}" for rate, size in zip(plain, sizes, strict=True))
    return Claim(
        "Gaussian features",
        "Section 5.4, Proposition 3",
        "with n ≥ log(1/δ)R²/(2ε) the proposed ρ is always accepted, with probability 1 − ν over the data",
        f"d = {_DIM}, R² = 2d, ε = {_EPSILON:g}, δ = 1e-6, so n ≥ {named}; {_SETS} sets each. "
        f"Without regulariser: accepted {rates}. With the proposition's (ν = 0.01), which is {penalty:.3g} "
        f"beside ρ = {rho:.3g} and so passes whatever the data: {100 * _acceptance(helped, rng):.0f} % at "
        f"n = {named}. Never always: noise may be negative, here it refuses with probability {refused:.0e}",
        verdict(refused == 0, corrected=plain[-1] >= 0.99),
    )


def _counts(n: int, rho: float, regulariser: float, rng: np.random.Generator) -> list[int]:
    """Delta_+ of so many clipped Gaussian data sets."""
    found = []
    for _ in range(_SETS):
        rows = rng.normal(size=(n, _DIM))
        rows *= np.minimum(1, _RADIUS / np.linalg.norm(rows, axis=1))[:, None]
        found.append(delta_plus_not_private(rows, rho, np.eye(_DIM), regulariser))
    return found


def _acceptance(counts: Sequence[int], rng: np.random.Generator) -> float:
    return sum(accepts_not_private(count, _EPSILON, _DELTA, rng) for count in counts) / len(counts)
