"""Exact discrete Gaussian noise from operating-system randomness: the only file that knows OpenDP.

Adds to each coordinate k an integer multiple of 2^exponent, drawn with probability proportional to
exp(-(multiple)²/(2 std²)), in exact arithmetic. Proof: proofs/lattice.md.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from relgauss.arrays import FloatArray
from relgauss.errors import InvalidValueError, SecureNoiseUnavailableError
from relgauss.noise.lattice import round_to_lattice


def add_discrete_gaussian(value: FloatArray, std: float, exponent: int) -> FloatArray:
    """Round the value to the lattice of step 2^exponent and add discrete Gaussian noise of this std."""
    rounded = round_to_lattice(value, exponent)
    if not np.isfinite(rounded).all():  # OpenDP would take infinity for the largest double
        raise InvalidValueError("The value overflows the lattice.", "Express the query in other units.")
    return np.array(_opendp()(rounded.tolist(), std, exponent), dtype=np.float64)


@cache
def _opendp() -> Any:
    """Import OpenDP on first use; return a function that adds noise to a list of lattice points."""
    try:
        from opendp.domains import atom_domain, vector_domain
        from opendp.measurements import make_gaussian
        from opendp.metrics import l2_distance
        from opendp.mod import OpenDPException, enable_features
    except ImportError as missing:
        raise SecureNoiseUnavailableError(
            f"Secure noise needs OpenDP, which cannot be imported ({missing}).",
            "Install it: pip install opendp. There is no fall-back: for a simulation pass rng.",
        ) from missing

    enable_features("contrib")

    @cache
    def domain(size: int) -> Any:
        return vector_domain(atom_domain(T=float, nan=False), size=size)

    metric = l2_distance(T=float)

    def add(points: list[float], std: float, exponent: int) -> Any:
        try:
            return make_gaussian(domain(len(points)), metric, scale=std, k=exponent)(points)
        except OpenDPException as failed:
            raise SecureNoiseUnavailableError(
                f"OpenDP could not draw the noise ({failed.variant}).",
                "Nothing was released. Check the machine's source of randomness.",
            ) from None

    return add
