"""Peers from outside, each in an environment of its own: ``python -m benchmarks.regression.peers``."""
