"""What a node learns of its records before it descends, each number released: norms, whitening, certificate.

    label_bound    a quantile of |y|, unless it is public
    M              z = x M is whitened by a released covariance, of rows clipped to a quantile of ||x||
    clip_radius    a quantile of ||z||
    rho            a lower bound on the least eigenvalue of A = mean w² z zᵀ, w = min(1, clip_radius/||z||)

All of it together is mu-GDP, and rho is wrong with at most probability ``failure``: proofs/regression.md,
proofs/certificates.md. What a set-up costs is said here too, and asked before it is released.
"""

from __future__ import annotations

import json
from dataclasses import dataclass

import numpy as np

from relgauss.accounting import Failure, GaussianDP
from relgauss.arrays import FloatArray
from relgauss.budget import Charge, Condition
from relgauss.certify import Certified, Refused, certify_within
from relgauss.descent.quadratic import clipped_quadratic
from relgauss.estimate.quantiles import (
    Quantile,
    find_quantiles,
    norms_of_rows,
    sizes_of_labels,
    whitened_norm_quantile,
)
from relgauss.estimate.whitening import find_clipped_whitening
from relgauss.nodes.table import whitened_rows
from relgauss.records.blocks import ArrayRows
from relgauss.spending import Spending

_LONGEST, _SPAN = 1e3, 1e6  # public: norms and labels from 1e-3 to 1e3 are told apart
_BEYOND = 0.05  # the part of rows that is clipped, before and after whitening; far above the noise
_REACH, _COVARIANCE, _RADIUS, _CERTIFICATE = 0.1, 0.5, 0.1, 0.3  # of the setup's mu²

_FAILURE = 0.1  # of the budget's delta, for a certificate

CLIPPED = Condition("each record is clipped to the bound that its noise is made for", "enforced")
_NOT_WANTED = Refused("No certificate was asked for.", "Set up with a failure probability.")


@dataclass(frozen=True, eq=False)
class LocalSetup:
    """Released, so public: a restarted node reads it back and does not pay for it again.

    Attributes
    ----------
    whitening
        M: a row x becomes z = x M.
    clip_radius
        The norm that whitened rows are clipped to.
    label_bound
        Labels are clipped to plus and minus this.
    signal
        How much of the covariance's clearest direction is signal, from 0 (all noise) to 1.
    certificate
        The bound rho on the least eigenvalue, or why there is none.
    charges
        What all this has spent; empty for a set-up that was read back.
    """

    whitening: FloatArray
    clip_radius: float
    label_bound: float
    signal: float
    certificate: Certified | Refused
    charges: tuple[Charge, ...] = ()

    def to_text(self) -> str:
        """All that was released, to the last digit; the charges are the agreement's."""
        found = self.certificate
        certificate = [found.rho] if isinstance(found, Certified) else [found.reason, found.fix]
        whitening = np.asarray(self.whitening).tolist()
        return json.dumps([whitening, self.clip_radius, self.label_bound, self.signal, certificate])

    @classmethod
    def from_text(cls, text: str) -> LocalSetup:
        """Read back what ``to_text`` wrote."""
        whitening, clip_radius, label_bound, signal, certificate = json.loads(text)
        outcome = Certified(*certificate) if len(certificate) == 1 else Refused(*certificate)
        return cls(np.array(whitening), clip_radius, label_bound, signal, outcome)


def failure_within(delta: float, *, certified: bool) -> float | None:
    """What a set-up's certificate takes of the budget's delta; None, if there is to be none."""
    return _FAILURE * delta if certified else None


def setup_charges(mu: float, failure: float | None, times: int) -> tuple[Charge, ...]:
    """What so many set-ups promise, of which one at most is finished: fixed before the first is released."""
    charges = (Charge("setup", GaussianDP(mu), "proofs/regression.md", (CLIPPED,), times),)
    if failure is None:
        return charges
    return *charges, Charge("certificate", Failure(failure), "proofs/certificates.md", (CLIPPED,))


def release_setup(
    rows: ArrayRows,
    mu: float,
    failure: float | None,
    rng: np.random.Generator | None,
    label_bound: float | None = None,
) -> LocalSetup:
    """Spend mu, and ``failure`` on the certificate, if one is wanted.

    A public ``label_bound`` need not be found.
    """
    spending = Spending(GaussianDP(mu), rng)
    quantiles = [Quantile(norms_of_rows, _LONGEST, _SPAN, _BEYOND)]
    if label_bound is None:
        quantiles.append(Quantile(sizes_of_labels, _LONGEST, _SPAN, _BEYOND))
    whitening, found = find_clipped_whitening(rows, quantiles, spending, _REACH, _COVARIANCE)  # no centre
    whitened = whitened_rows(rows, whitening.matrix)
    quantile = whitened_norm_quantile(rows.columns, _BEYOND)
    (radius,) = find_quantiles("whitened norms", whitened, [quantile], spending, _RADIUS)
    bound = label_bound if label_bound is not None else found[0]
    certificate: Certified | Refused = _NOT_WANTED
    charges: tuple[Charge, ...] = ()
    if failure is not None:
        problem = clipped_quadratic(whitened, radius, bound)
        bounds = problem.bounds
        certificate = certify_within(spending, _CERTIFICATE, problem.least_eigenvalue, bounds, failure)
        charges += (Charge("certificate", Failure(failure), "proofs/certificates.md", (bounds.condition,)),)
    signal = float(whitening.signal.max())
    return LocalSetup(whitening.matrix, radius, bound, signal, certificate, (*spending.close(), *charges))
