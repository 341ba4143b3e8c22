"""The ways from whitened rows to coefficients, one mechanism each."""
