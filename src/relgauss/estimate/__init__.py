"""Private estimates of where values lie: column ranges, quantiles, a whitening covariance."""
