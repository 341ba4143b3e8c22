"""Throughput of secure noise beside OpenDP called directly and beside NumPy, which is not secure."""

from __future__ import annotations

import numpy as np
from opendp.domains import atom_domain, vector_domain
from opendp.measurements import make_gaussian
from opendp.metrics import l2_distance
from opendp.mod import enable_features

import relgauss as rg
from benchmarks.timing import interleaved, show
from relgauss.noise.lattice import lattice_exponent

enable_features("contrib")
LOOP, LOOP_DIM = 1000, 22


def opendp_sampler(dim: int, std: float, exponent: int):
    """OpenDP's own measurement on the same lattice."""
    domain = vector_domain(atom_domain(T=float, nan=False), size=dim)
    return make_gaussian(domain, l2_distance(T=float), scale=std, k=exponent)


def throughput(dim: int) -> None:
    """Releases of a vector, of a short one several in a row: each case alone then has the cache."""
    value = np.linspace(-1, 1, dim)
    ours = rg.Gaussian(rg.AbsoluteSensitivity(1.0), dim, 4.0)
    exponent = lattice_exponent(ours.noise_std, dim)
    direct = opendp_sampler(dim, ours.noise_std, exponent)
    rng = np.random.default_rng(0)
    in_a_row = range(20 if dim < 1e5 else 1)
    cases = {
        "OpenDP": lambda: [np.array(direct(value.tolist())) for _ in in_a_row],
        "relgauss": lambda: [ours.release(value) for _ in in_a_row],
        "NumPy, not secure": lambda: [ours.release(value, rng=rng) for _ in in_a_row],
    }
    title = f"Noise on a vector of dimension {dim:,}, {len(in_a_row)} in a row"
    show(title, interleaved(cases, rounds=10 if dim < 1e5 else 5), "OpenDP")


def changing_scale() -> None:
    """A descent's worth of releases, each with its own noise level."""
    mechanism = rg.RelativeGaussian(rg.RelativeSensitivity(eta=1e-3, r=1.0), LOOP_DIM, gamma=1e-2)
    values = [np.full(LOOP_DIM, float(scale)) for scale in np.geomspace(1, 1e4, LOOP)]
    std = mechanism.noise_std(1.0)
    direct = opendp_sampler(LOOP_DIM, std, lattice_exponent(std, LOOP_DIM))
    zeros = [0.0] * LOOP_DIM
    cases = {
        "OpenDP, one scale": lambda: [direct(zeros) for _ in values],
        "relgauss, RGM": lambda: [mechanism.release(value) for value in values],
    }
    title = f"{LOOP:,} releases of dimension {LOOP_DIM} with a changing scale"
    show(title, interleaved(cases, rounds=7), "OpenDP, one scale")


def run() -> None:
    """Print all comparisons."""
    for dim in (10, 1_000, 100_000, 1_000_000):
        throughput(dim)
    changing_scale()
