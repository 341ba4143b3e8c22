"""Exact discrete noise from operating-system randomness: the only file that knows OpenDP.

Gaussian: adds to each coordinate k an integer multiple of 2^exponent, drawn with probability proportional
to exp(-(multiple)²/(2 std²)), in exact arithmetic. Proof: proofs/lattice.md.

Laplace: adds to a count an integer k, drawn with probability proportional to exp(-|k| epsilon).
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


def add_discrete_laplace(value: int, epsilon: float) -> int:
    """Add discrete Laplace noise; its exact parameter is at most epsilon, and by less than 2^-50 below it."""
    scale = 1 / epsilon * (1 + 2.0**-51)  # OpenDP's parameter is the inverse of this double, exactly
    return int(_opendp_laplace()(value, scale))


@cache
def _opendp() -> Any:
    """Import OpenDP on first use; return a function that adds noise to a list of lattice points."""
    try:
        from opendp.domains import atom_domain, vector_domain
        from opendp.measurements import make_gaussian
        from opendp.metrics import l2_distance
        from opendp.mod import OpenDPException, enable_features
    except ImportError as missing:
        raise _not_installed(missing) from missing

    enable_features("contrib")

    @cache
    def domain(size: int) -> Any:
        return vector_domain(atom_domain(T=float, nan=False), size=size)

    metric = l2_distance(T=float)

    def add(points: list[float], std: float, exponent: int) -> Any:
        try:
            return make_gaussian(domain(len(points)), metric, scale=std, k=exponent)(points)
        except OpenDPException as failed:
            raise _failed(failed.variant) from None

    return add


@cache
def _opendp_laplace() -> Any:
    """Import OpenDP on first use; return a function that adds noise to a count."""
    try:
        from opendp.domains import atom_domain
        from opendp.measurements import make_laplace
        from opendp.metrics import absolute_distance
        from opendp.mod import OpenDPException, enable_features
    except ImportError as missing:
        raise _not_installed(missing) from missing

    enable_features("contrib")
    space = atom_domain(T="i64"), absolute_distance(T="i64")

    def add(count: int, scale: float) -> Any:
        try:
            return make_laplace(*space, scale=scale)(count)
        except OpenDPException as failed:
            raise _failed(failed.variant) from None

    return add


def _not_installed(missing: ImportError) -> SecureNoiseUnavailableError:
    return SecureNoiseUnavailableError(
        f"Secure noise needs OpenDP, which cannot be imported ({missing}).",
        "Install it: pip install opendp. There is no fall-back: for a simulation pass rng.",
    )


def _failed(variant: object) -> SecureNoiseUnavailableError:
    return SecureNoiseUnavailableError(
        f"OpenDP could not draw the noise ({variant}).",
        "Nothing was released. Check the machine's source of randomness.",
    )
